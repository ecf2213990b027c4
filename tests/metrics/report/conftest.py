"""Reports of the made study, built once for all tests; that of one human score also written, because figures take time."""

import pytest

from metrics.report import Options, build_report, write_report
from tests.metrics.report.studies import METRICS, THREE, judgments, marked_study, report_of, texts


def build(**options):
    outputs, references = texts()
    # Eight items are too few for randomisation and Holm's correction to find anything: lines are drawn as WMT draws them.
    how = Options(metrics=METRICS, comparison="wmt", **options)
    return build_report(judgments(), outputs=outputs, references=references, options=how, processes=1)


@pytest.fixture(scope="session")
def report():
    return build()


@pytest.fixture(scope="session")
def of_adequacy():
    return build(human=["adequacy"])


@pytest.fixture(scope="session")
def of_three_references():
    """With what needs more references or a parser: KING, and why outputs have their BEwT-E score."""
    return report_of(THREE, ["bewte", "chrf", "ngram-1-1", "wer"])


@pytest.fixture(scope="session")
def folder(of_adequacy, tmp_path_factory):
    return write_report(of_adequacy, tmp_path_factory.mktemp("reports") / "made", figures=True)


@pytest.fixture(scope="session")
def of_marks():
    """With errors that people marked in texts."""
    marks, attributes, outputs, scores = marked_study()
    how = Options(n_resamples=50)
    return build_report(
        marks, attributes=attributes, outputs=outputs, scores=scores, options=how, processes=1
    )

"""KING beside correlations in a report, and metrics that need a parser where there is none."""

import pandas as pd

from metrics.report import Options, build_report, frame_of
from tests.metrics.human.rows import table

SYSTEMS, ITEMS = ("s1", "s2", "s3", "s4"), ("1", "2")
GOOD = "the old ferry left the harbour before the storm came"


def study(models):
    rows = [
        {"assessor": "a", "system": system, "item": item, "value": 1 + (place + int(item)) % 5}
        for place, system in enumerate(SYSTEMS)
        for item in ITEMS
    ]
    outputs = [
        {"system": system, "item": item, "text": f"{' '.join(GOOD.split()[: 3 + place])} {item}"}
        for place, system in enumerate(SYSTEMS)
        for item in ITEMS
    ]
    references = [
        {"item": item, "reference": str(number), "text": text}
        for item in ITEMS
        for number, text in enumerate(models)
    ]
    judgments = table(rows, kind="rating", criterion="adequacy")
    return judgments, {"outputs": pd.DataFrame(outputs), "references": pd.DataFrame(references)}


def report_of(models, metrics):
    judgments, texts = study(models)
    return build_report(judgments, **texts, options=Options(metrics=metrics), processes=1)


THREE = (GOOD, GOOD.replace("old", "grey"), GOOD.replace("came", "began"))


def test_king_stands_beside_the_correlation_where_items_have_three_references():
    report = report_of(THREE, ["rouge-1-f", "ngram-1-1"])
    king = frame_of(report.data["meta"][0]["king"])
    assert king["metric"].tolist() == ["ngram-1-1"], "of the default set, what was computed"
    assert king["king"].tolist() == [1.0]
    assert any(found.name.startswith("king-") for found in report.tables)


def test_with_two_references_there_is_no_king():
    assert report_of(THREE[:2], ["ngram-1-1"]).data["meta"][0]["king"] is None


def test_metrics_without_a_parser_are_left_out_and_the_report_says_what_to_install(monkeypatch):
    monkeypatch.setattr("metrics.automatic.syntax.parsers.spacy_parser", lambda: None)
    report = report_of(THREE[:1], ["rouge-1-f", "bewte"])
    assert any("pip install 'touchstone[syntax]'" in note["note"] for note in report.data["notes"])
    assert any("bewte" in entry["why"] for entry in report.data["left_out"])

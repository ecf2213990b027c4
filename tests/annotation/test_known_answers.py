"""Studies with known answers give exactly the results that can be worked out by hand: from import to scores."""

import csv
import uuid
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.analysis import human_results
from annotation.models import Assignment, Study
from annotation.selectors.exhibits import config_of, kind_of
from annotation.services import work
from annotation.services.studies import study_open
from metrics.cli import main
from tests.conftest import ROOT
from tests.factories import viewer_client

pytestmark = pytest.mark.django_db


def played(name, answer, seconds):
    """The example study, judged by everybody: ``answer(assessor, subject)`` takes ``seconds(subject)``."""
    call_command("import_study", str(ROOT / "fixtures" / name))
    study = Study.objects.latest("pk")
    study_open(study=study)
    for assessor in study.assessors.select_related("study"):
        while (assignment := work.assignment_next(assessor=assessor)) is not None:
            subject = assignment.subject
            shown = timezone.now() - timedelta(seconds=seconds(subject) + 1)
            Assignment.objects.filter(pk=assignment.pk).update(shown_at=shown)
            sent = answer(assessor.name, subject)
            for _ in range(kind_of(subject.task).stages(config_of(subject.task), None)):
                work.draft_save(assignment=assignment, revision=1, answer=sent, advance=True)
            work.judgment_record(
                assignment=assignment,
                client_key=uuid.uuid4(),
                revision=1,
                answer=sent,
                seconds=seconds(subject),
            )
    return study


def system_scores(study, score, folder):
    """Export, then what ``python -m metrics human`` makes of the files alone: {system: score}."""
    table = folder / "judgments.csv"
    call_command("export_judgments", study.slug, "--out", str(table))
    out = folder / "scores.csv"
    command = ["human", table, "--score", score, "--level", "system"]
    assert not main([*map(str, command), "--attributes", f"{table}.attributes.csv", "--out", str(out)])
    with out.open(newline="") as file:
        return {row["system"]: float(row["score"]) for row in csv.DictReader(file)}


def table(study, name):
    """A table of the study page: rows as {column: value}."""
    (tables,) = human_results(study).tables.values()
    found = next(one for one in tables if one.name == name)
    return [dict(zip([column.name for column in found.columns], row, strict=True)) for row in found.rows]


# --- relevance prediction -------------------------------------------------------------------------------------------

SECONDS = {"HEAD": 4.0, "HUM": 5.0, "full": 20.0}


def decide(assessor, subject):
    """Ina knows the key. Joel finds every headline relevant. Kim finds one full text not relevant. Lou finds nothing so."""
    kind, document, topic = subject.noted["kind"], subject.document, subject.topic
    relevant = topic.gold[document.key]
    if assessor == "Joel" and kind == "HEAD":
        relevant = True
    if assessor == "Kim" and kind == "full" and document.key == "seeds-1":
        relevant = False
    if assessor == "Lou":
        relevant = False
    return {"relevant": float(relevant)}


@pytest.fixture
def relevance(db):
    return played("relevance", decide, lambda subject: SECONDS[subject.noted["kind"]])


def test_relevance_prediction_from_import_to_scores(relevance, tmp_path):
    """Twelve documents, six of them relevant, four assessors; the practice event counts nowhere."""
    # Agreeing with the own full text: Ina 12, Joel 6 on headlines (the relevant ones), Kim 11, Lou 12.
    assert system_scores(relevance, "relevance-prediction", tmp_path) == pytest.approx(
        {"HEAD": 41 / 48, "HUM": 47 / 48}
    )
    # Agreeing with the key: Ina 12 everywhere, Joel 6 on headlines, Kim 11 on full texts, Lou 6 everywhere.
    assert system_scores(relevance, "gold-agreement", tmp_path) == pytest.approx(
        {"HEAD": 36 / 48, "HUM": 42 / 48, "full": 41 / 48}
    )


def test_relevance_prediction_on_the_study_page(relevance):
    by_event = {
        (row["event"], row["system"]): (row["prediction"], row["prediction_n"], row["gold"])
        for row in table(relevance, "agreement-by-event")
    }
    assert by_event == {
        # Three of six documents are relevant in each event.
        ("ferry", "HEAD"): (pytest.approx((6 + 3 + 6 + 6) / 24), 24, pytest.approx((6 + 3 + 6 + 3) / 24)),
        ("ferry", "HUM"): (1.0, 24, pytest.approx((6 + 6 + 6 + 3) / 24)),
        ("ferry", "full"): (None, None, pytest.approx((6 + 6 + 6 + 3) / 24)),
        ("seeds", "HEAD"): (pytest.approx((6 + 3 + 5 + 6) / 24), 24, pytest.approx((6 + 3 + 6 + 3) / 24)),
        ("seeds", "HUM"): (pytest.approx((6 + 6 + 5 + 6) / 24), 24, pytest.approx((6 + 6 + 6 + 3) / 24)),
        ("seeds", "full"): (None, None, pytest.approx((6 + 6 + 5 + 3) / 24)),
    }
    names = dict(relevance.assessors.values_list("pseudonym", "name"))
    by_assessor = {
        (names[row["assessor"]], row["system"]): row["prediction"]
        for row in table(relevance, "agreement-by-assessor")
        if row["system"] != "full"
    }
    assert by_assessor == {
        (name, kind): pytest.approx(
            {("Joel", "HEAD"): 6, ("Kim", "HEAD"): 11, ("Kim", "HUM"): 11}.get((name, kind), 12) / 12
        )
        for name in ("Ina", "Joel", "Kim", "Lou")
        for kind in ("HEAD", "HUM")
    }
    confusion = {
        (row["system"], row["surrogate"], row["full"]): (row["count"], row["seconds"])
        for row in table(relevance, "confusion")
    }
    assert confusion == {
        # Relevant full texts: Ina 6, Joel 6, Kim 5.
        ("HEAD", "relevant", "relevant"): (17, 4.0),
        ("HEAD", "relevant", "not relevant"): (7, 4.0),  # Joel 6, Kim 1
        ("HEAD", "not relevant", "relevant"): (0, None),
        ("HEAD", "not relevant", "not relevant"): (24, 4.0),  # Ina 6, Kim 6, Lou 12
        ("HUM", "relevant", "relevant"): (17, 5.0),
        ("HUM", "relevant", "not relevant"): (1, 5.0),
        ("HUM", "not relevant", "relevant"): (0, None),
        ("HUM", "not relevant", "not relevant"): (30, 5.0),
    }
    saved = {row["system"]: (row["seconds"], row["saved"], row["n"]) for row in table(relevance, "times")}
    assert saved == {"full": (20.0, 0.0, 48), "HEAD": (4.0, 0.8, 48), "HUM": (5.0, 0.75, 48)}
    page = viewer_client(relevance).get(reverse("study_results", args=[relevance.slug])).content.decode()
    for shown in (
        "Agreement by event",
        "Agreement by assessor",
        "Surrogate against full text",
        "0.854",
        "0.800",
    ):
        assert shown in page


# --- questionnaires -------------------------------------------------------------------------------------------------

LIKING = {"kx7140": 5, "zf0326": 4, "vb9583": 2, "gm4471": 1}


def agree(assessor, subject):
    """Everybody likes a system alike, answers opposites oppositely, and has no opinion on two statements."""
    if subject.output is None:
        return {}
    liking = LIKING[subject.output.system.key]
    values = {
        statement.name: liking if statement.polarity == "positive" else 6 - liking
        for statement in config_of(subject.task).statements
    }
    return {"values": {**values, "important-points": 3, "disjointed": 3}}


@pytest.fixture
def likert(db):
    return played("likert", agree, lambda subject: 30.0)


def test_a_questionnaire_from_import_to_scores(likert, tmp_path):
    """In each group of six statements five are worth the liking and one is worth 3."""
    expected = {system: (5 * liking + 3) / 6 for system, liking in LIKING.items()}
    assert system_scores(likert, "likert", tmp_path) == pytest.approx(expected)


def test_a_questionnaire_on_the_study_page(likert):
    mean = {system: pytest.approx((5 * liking + 3) / 6) for system, liking in LIKING.items()}
    # Two meetings, two assessors each; familiarisation and practice are no questionnaires.
    assert {
        row["system"]: (row["informativeness"], row["readability"], row["n"])
        for row in table(likert, "group-means")
    } == {system: (mean[system], mean[system], 4) for system in LIKING}
    by_statement = table(likert, "statement-means")
    assert [row["statement"] for row in by_statement][:3] == [
        "important-points",
        "avoids-redundancy",
        "relevant-sentences",
    ]
    for row in by_statement:
        fixed = row["statement"] in {"important-points", "disjointed"}
        assert {system: row[system] for system in LIKING} == (dict.fromkeys(LIKING, 3) if fixed else LIKING)
        assert row["n"] == 16
    pairs = {
        row["statement"]: (row["correlation"], row["mean_difference"])
        for row in table(likert, "pair-consistency")
    }
    # |5 − 3|, |4 − 3|, |2 − 3|, |1 − 3| are 1.5 on average, and what does not vary has no correlation.
    assert pairs.pop("continuity") == (None, 1.5)
    assert list(pairs.values()) == [(pytest.approx(1.0), 0.0)] * 4
    # Five equal statements and a constant: α = 6/5 · (1 − 5v/25v).
    assert [(row["group"], row["alpha"], row["n"]) for row in table(likert, "reliability")] == [
        ("informativeness", pytest.approx(0.96), 16),
        ("readability", pytest.approx(0.96), 16),
    ]
    page = viewer_client(likert).get(reverse("study_results", args=[likert.slug])).content.decode()
    for shown in ("Means by statement", "Consistency of opposite statements", "Cronbach’s α", "0.96", "4.67"):
        assert shown in page

"""Adjudicators: what they are given, what they decide, and what results make of it."""

from __future__ import annotations

import csv
import uuid
from pathlib import Path

import pytest

from annotation import analysis
from annotation.analysis.inputs import attribute_table, judged_table
from annotation.errors import Conflict, Refused
from annotation.export_files import export_write
from annotation.models import Adjudication, Assignment, AuditEntry, Decision, Judgment, Study, Subject
from annotation.selectors.adjudication import adjudication_next, desk_deciding, judged_beside
from annotation.selectors.disagreement import queue_of, queue_rows
from annotation.selectors.runs import data_hash, newest_data
from annotation.services import adjudication as services
from annotation.services.bin import study_bin, study_purge
from annotation.services.disagreement import disagreement_look, disagreement_set
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.studies import study_open
from annotation.services.work import assignment_next, judgment_record
from annotation.tasks.terms import NotYet
from metrics.cli import main
from metrics.frames import adjudicated, check_judgments, scored
from metrics.report import Options, build_report
from tests.studies import make_study

pytestmark = pytest.mark.django_db

RATING = {
    "kind": "rating",
    "name": "quality",
    "criteria": [{"name": "fluency", "steps": [{"value": n, "label": f"step {n}"} for n in (1, 2, 3, 4, 5)]}],
    "design": {"assessors_per_item": 2},
}
PAIRS = {
    "kind": "pairwise",
    "name": "pairs",
    "criteria": [{"name": "overall"}],
    "reason": "optional",
    "design": {"assessors_per_item": 2},
}


def judged(values: dict[str, list[int]]) -> Study:
    """A rating of two systems on two documents by two people, who give the system on a document these two values."""
    study = make_study(RATING)
    study_open(study=study)
    left = {key: list(both) for key, both in values.items()}
    for assessor in study.assessors.order_by("pk"):
        while assignment := assignment_next(assessor=assessor):
            output = Subject.objects.get(pk=assignment.subject_id).output
            value = left[f"{output.system.key}/{output.document.key}"].pop(0)
            record(assignment, {"values": {"fluency": value}})
    return study


def record(assignment: Assignment, answer: dict) -> None:
    judgment_record(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1.0)


VALUES = {"qx31/d1": [1, 5], "qx31/d2": [2, 4], "wv77/d1": [3, 3], "wv77/d2": [4, 5]}


@pytest.fixture
def study():
    study = judged(VALUES)
    disagreement_look(study=study)
    return study


def pieces(study: Study, show: str = "open") -> list[str]:
    rows = queue_rows(queue_of(study), show)
    return [f"{row.output.system.key}/{row.output.document.key}" for row in rows]


def given(study: Study, count: int = 1) -> Adjudication:
    """The worst pieces, given to Dora; the first of them, shown."""
    (dora,) = services.adjudicators_add(study=study, names=["Dora"])
    worst = list(queue_rows(queue_of(study), "open")[:count])
    services.adjudications_give(study=study, subjects=worst, adjudicator=dora)
    found = adjudication_next(dora)
    services.adjudication_show(adjudication=found)
    return found


def decide(
    adjudication: Adjudication, value: int, *, revision: int = 1, key: uuid.UUID | None = None
) -> bool:
    _, is_new = services.decision_record(
        adjudication=adjudication,
        client_key=key or uuid.uuid4(),
        revision=revision,
        answer={"values": {"fluency": value}},
        seconds=3.0,
    )
    return is_new


def test_the_queue_has_the_worst_first_and_goes_by_the_experimenters_threshold(study):
    assert pieces(study) == ["qx31/d1", "qx31/d2"]  # 4/4 and 2/4 of the scale; 1/4 is usual
    disagreement_set(study=study, by="spread", threshold=0.2)
    assert pieces(study) == ["qx31/d1", "qx31/d2", "wv77/d2"]
    disagreement_set(study=study, by="alpha", threshold=None)
    # Squared differences 16, 4, 0 and 1 by the expected 2·(8·105 − 27²)/56 = 3.96: two are no better than chance.
    assert pieces(study) == ["qx31/d1", "qx31/d2"]
    worst = queue_rows(queue_of(study), "open")[0]
    assert worst.distance == pytest.approx(16 / (2 * (8 * 105 - 27**2) / (8 * 7)))
    with pytest.raises(Refused):
        disagreement_set(study=study, by="spread", threshold=float("nan"))


def test_a_judgment_that_comes_later_and_one_that_is_left_out_change_the_queue(study):
    worst = queue_rows(queue_of(study), "open")[0]
    assignment = worst.assignments.first()
    exclusion = exclusion_add(study=study, target=assignment, reason="slip")
    disagreement_look(study=study)
    assert pieces(study) == ["qx31/d2"]  # one person's word is no disagreement
    exclusion_end(exclusion=exclusion)
    disagreement_look(study=study)
    assert pieces(study) == ["qx31/d1", "qx31/d2"]


def test_the_queue_knows_no_more_judgments_than_it_has_looked_at(study, monkeypatch):
    """A long study is looked at in parts, and ends up the same."""
    monkeypatch.setattr("annotation.services.disagreement.AT_ONCE", 3)
    queue = queue_of(study)
    queue.seen, queue.stand = 0, "anew"
    queue.save()
    disagreement_look(study=study)
    while disagreement_look(study=study):
        pass
    assert pieces(study) == ["qx31/d1", "qx31/d2"]


def test_a_piece_is_given_once_and_can_be_taken_back_until_it_is_decided(study):
    dora = given(study, 2).adjudicator
    assert pieces(study) == []
    assert pieces(study, "given") == ["qx31/d1", "qx31/d2"]
    adjudication, second = (
        dora.adjudications.get(subject__output__document__key=key) for key in ("d1", "d2")
    )
    services.adjudication_show(adjudication=adjudication)
    subject = adjudication.subject
    with pytest.raises(Refused, match="given already"):
        services.adjudications_give(study=study, subjects=[subject], adjudicator=adjudication.adjudicator)
    services.adjudication_take_back(adjudication=second)
    assert pieces(study) == ["qx31/d2"]
    decide(adjudication, 4)
    assert pieces(study, "decided") == ["qx31/d1"]
    with pytest.raises(Refused, match="decided already"):
        services.adjudication_take_back(adjudication=adjudication)
    done = set(AuditEntry.objects.filter(chain=study.pk).values_list("action", flat=True))
    assert {"adjudicator.add", "adjudication.give", "adjudication.take-back", "adjudication.decide"} <= done


def test_a_decision_is_recorded_once_and_revised_by_another_row(study):
    adjudication = given(study)
    key = uuid.uuid4()
    assert decide(adjudication, 4, key=key)
    assert not decide(adjudication, 4, key=key)
    with pytest.raises(Conflict):
        decide(adjudication, 3)
    assert decide(adjudication, 3, revision=2)
    with pytest.raises(NotYet):
        services.decision_draft(adjudication=adjudication, revision=3, answer={"values": "x"})
    assert [row.answer["values"]["fluency"] for row in Decision.objects.order_by("revision")] == [4, 3]
    with pytest.raises(Refused):
        Decision.objects.first().delete()


def test_a_draft_of_a_decision_replaces_only_the_one_that_its_page_has_seen(study):
    adjudication = given(study)
    one, two = ({"values": {"fluency": value}} for value in (4, 2))
    services.decision_draft(adjudication=adjudication, revision=1, answer=one, seen="")
    with pytest.raises(Conflict, match="another tab"):
        services.decision_draft(adjudication=adjudication, revision=1, answer={}, seen="")
    adjudication.refresh_from_db()
    assert adjudication.draft["values"] == {"fluency": 4}
    seen = desk_deciding(adjudication).seen
    services.decision_draft(adjudication=adjudication, revision=1, answer=two, seen=seen)
    adjudication.refresh_from_db()
    assert adjudication.draft["values"] == {"fluency": 2}


def test_judges_have_no_names_and_stand_in_an_order_of_the_piece(study):
    beside = judged_beside(given(study))
    assert [judge.number for judge in beside] == [1, 2]
    assert sorted(line for judge in beside for line in judge.lines) == ["fluency: step 1", "fluency: step 5"]


def test_what_judges_said_of_a_set_names_the_places_where_its_texts_stand_for_the_adjudicator():
    study = make_study(PAIRS, documents=1)
    study_open(study=study)
    first, second = study.assessors.order_by("pk")
    for assessor, winner in ((first, 0), (second, 1)):
        assignment = assignment_next(assessor=assessor)
        # Both see the texts in opposite orders, and each prefers what stands on the same side: different texts win.
        Assignment.objects.filter(pk=assignment.pk).update(places=[0, 1])
        assignment.places = [0, 1]
        answer = {"choices": {"overall": {"winner": winner}}, "reason": f"because {winner}"}
        record(assignment, answer)
    disagreement_look(study=study)
    (dora,) = services.adjudicators_add(study=study, names=["Dora"])
    (row,) = services.adjudications_give(
        study=study, subjects=list(queue_rows(queue_of(study), "open")), adjudicator=dora
    )
    for places, letters in (([0, 1], "AB"), ([1, 0], "BA")):
        row.places = places
        said = {judge.lines[-1]: judge.lines for judge in judged_beside(row)}
        assert f"{letters[0]} overall: better" in said["reason: because 0"]
        assert f"{letters[1]} overall: better" in said["reason: because 1"]


def test_an_export_without_decisions_is_as_it_was_and_one_with_them_says_which_they_are(study, tmp_path):
    export_write(study, format="csv", out=tmp_path / "before.csv")
    adjudication = given(study)
    decide(adjudication, 4)
    export_write(study, format="csv", out=tmp_path / "after.csv")
    assert (tmp_path / "after.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    export_write(study, format="csv", out=tmp_path / "whole.csv", decisions=True)
    rows = read(tmp_path / "whole.csv")
    assert [row["adjudication"] for row in rows].count("") == 6
    assert [row["value"] for row in rows if row["adjudication"] == "raw"] == ["1.0", "5.0"]
    (decision,) = [row for row in rows if row["adjudication"] == "decision"]
    assert (decision["assessor"], decision["system"], decision["value"]) == ("D01", "qx31", "4.0")
    attributes = read(tmp_path / "whole.csv.attributes.csv")
    assert [row["value"] for row in attributes if row["scope"] == "adjudicated"] == ["1"]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# Means over documents: qx31 is (1+5)/2 = 3 and 3, wv77 3 and 4.5; the decision on the first is 5.
@pytest.mark.parametrize(
    ("use", "means"),
    [
        ("raw", {"qx31": 3.0, "wv77": 3.75}),
        ("adjudicated", {"qx31": 5.0}),
        ("both", {"qx31": 4.0, "wv77": 3.75}),
    ],
)
def test_scores_are_made_of_raw_judgments_decisions_or_both(study, tmp_path, use, means):
    decide(given(study), 5)
    (table,) = analysis.human_results(study, use=use).scores
    assert {row.system: row.mean for row in table.systems} == means
    out = tmp_path / "judgments.csv"
    export_write(study, format="csv", out=out, decisions=True)
    asked = ["human", str(out), "--score", "fluency", "--level", "system", "--adjudicated", use]
    assert main([*asked, "--out", str(tmp_path / "scores.csv")]) == 0
    scores = {row["system"]: float(row["score"]) for row in read(tmp_path / "scores.csv")}
    assert scores == means


def test_the_report_says_what_its_scores_are_made_of_and_agreement_stays_that_of_judgments(study):
    decide(given(study), 5)
    judgments, attributes = judged_table(study), attribute_table(study)
    data = {
        use: build_report(
            judgments, attributes=attributes, options=Options(adjudicated=use, n_resamples=100)
        ).data
        for use in ("raw", "both")
    }
    assert "1 piece on which assessors disagreed was decided by adjudicators" in str(data["raw"]["notes"])
    assert "raw judgments alone" in str(data["raw"]["methods"])
    assert "(1 value for 2)" in str(data["both"]["methods"])
    assert data["both"]["options"]["adjudicated"] == "both"
    assert data["raw"]["agreement"] == data["both"]["agreement"]
    assert data["raw"]["human"][0]["systems"] != data["both"]["human"][0]["systems"]


def test_a_decision_and_another_one_call_for_a_new_report(study):
    def needed() -> str:
        options = {"adjudicated": "both"}
        return data_hash(study, newest=newest_data(study), options=options, version="")

    raw = needed()
    first = given(study)
    assert needed() == raw, "nothing is decided yet"
    decide(first, 2)
    once = needed()
    decide(first, 3, revision=2)
    assert len({raw, once, needed()}) == 3


def test_whoever_does_not_choose_gets_raw_judgments(study):
    decide(given(study), 5)
    table = check_judgments(judged_table(study))
    assert len(table) == 9
    assert set(scored(table)["assessor"]) == {"A01", "A02"}
    assert len(adjudicated(table, "both")) == 7


def test_a_study_goes_for_good_with_its_decisions(study):
    decide(given(study), 5)
    study_bin(study=study, by="x")
    study_purge(study=study)
    assert not Decision.objects.exists()


def test_an_adjudicator_who_is_removed_leaves_decisions_without_a_name(study):
    adjudication = given(study, 2)
    decide(adjudication, 5)
    services.adjudicator_remove(adjudicator=adjudication.adjudicator)
    (stays,) = study.adjudicators.all()
    assert (stays.name, stays.token_hash) == ("D01", None)
    assert pieces(study) == [f"qx31/{'d2' if adjudication.subject.output.document.key == 'd1' else 'd1'}"]
    assert Judgment.objects.filter(assignment__assessor__study=study).count() == 8


def test_the_name_of_an_adjudicator_is_no_others_pseudonym():
    """Before: whoever took one of them out got an error, and names were never forgotten in this study, nor in those after it."""
    study = make_study(RATING)
    study_open(study=study)
    first, second = services.adjudicators_add(study=study, names=["Ada", "D02"])
    assert [first.pseudonym, second.pseudonym] == ["D01", "D03"]
    with pytest.raises(Refused, match="is what exports call another adjudicator"):
        services.adjudicators_add(study=study, names=["D01"])
    assert services.adjudicators_forget(studies=Study.objects.all()) == 2
    assert list(study.adjudicators.values_list("name", flat=True)) == ["D01", "D03"]

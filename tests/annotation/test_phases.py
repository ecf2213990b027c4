"""Cross comprehension from import to scores: phases, authors who leave or come late, and the paper's example."""

import uuid
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from django.urls import reverse

from annotation.errors import Refused
from annotation.export import ATTRIBUTE_COLUMNS, COLUMNS, attribute_rows, judgment_rows
from annotation.models import Assignment, Study, Subject
from annotation.services import work
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.persons import assessor_erase
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.study_files.schema import QuestionRow
from annotation.tasks.cross_comprehension.kind import AUTHORING, JUDGING
from metrics.frames import check_attributes, check_judgments
from metrics.human import cross_comprehension as scores
from metrics.human.tables import human_tables
from tests.conftest import ROOT
from tests.factories import assessor_client
from tests.studies import make_study, study_file

pytestmark = pytest.mark.django_db

CROSS = {"kind": "cross_comprehension", "name": "crossing", "questions_min": 1}


def answer_all(study, answer, *, only=None):
    """Let everybody do all that is there for them, with ``answer(assignment)``."""
    for assessor in study.assessors.select_related("study"):
        if only and assessor.name not in only:
            continue
        while assignment := work.assignment_next(assessor=assessor):
            work.judgment_record(
                assignment=assignment,
                client_key=uuid.uuid4(),
                revision=1,
                answer=answer(assignment),
                seconds=1,
            )


def text_of(assignment):
    name = assignment.assessor.name
    return {
        "summary": f"Word of {name}",
        "questions": [{"question": "Whose word is it?", "answer": name}],
    }


def tables(study):
    judgments = pd.DataFrame(list(judgment_rows(study)), columns=COLUMNS)
    attributes = pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS)
    return check_judgments(judgments), check_attributes(attributes)


def test_the_shape_of_the_papers_table_2_judged_as_their_table_3_gives_its_shares():
    """Kolluru & Gotoh 2005, Tables 2 and 3: N R I P | R R | R R N is 5/9, 1/9, 1/9 and 2/9."""
    study = study_import(study_file=read_study(ROOT / "fixtures" / "cross_comprehension"))
    study_open(study=study)
    codes = {"R": 3, "P": 2, "I": 1, "N": 0}
    table_3 = {"iris": "NRIP", "otto": "RR", "nils": "RRN"}

    def as_in_the_paper(assignment):
        details = assignment.subject.noted
        if details["summary_author"] != "vera":
            return {"choice": 3}
        return {"choice": codes[table_3[details["question_author"]][details["number"] - 1]]}

    answer_all(study, as_in_the_paper)
    judgments, attributes = tables(study)
    by_summary = scores.shares(judgments, by="summary", attributes=attributes).set_index("system")
    first = by_summary.loc["vera"]
    assert first["n"] == 18  # nine pairs, two judges each
    assert first[["relevant", "partial", "irrelevant", "not_found"]].tolist() == pytest.approx(
        [5 / 9, 1 / 9, 1 / 9, 2 / 9]
    )
    types = scores.shares(judgments, by="type", attributes=attributes).set_index("type")
    assert set(types.index) == {"human", "system"}
    length = scores.against_length(judgments, attributes=attributes).set_index("system")
    assert length.loc["otto", "characters"] == 78


def test_nobody_judges_own_text_or_own_questions():
    study = study_import(study_file=read_study(ROOT / "fixtures" / "cross_comprehension"))
    study_open(study=study)
    for assignment in Assignment.objects.select_related("assessor", "subject"):
        details = assignment.subject.noted
        assert assignment.assessor.author not in (details["summary_author"], details["question_author"])
    per_pair = Counter(Assignment.objects.values_list("subject", flat=True))
    assert set(per_pair.values()) == {2}


def test_judging_opens_when_the_experimenter_says_so_and_crosses_what_was_written():
    study = make_study(CROSS, documents=1, systems=("machine",), assessors=3)
    study_open(study=study)
    task = study.tasks.get()
    assert task.phase == AUTHORING
    answer_all(study, text_of)
    phase_open(task=task)
    task.refresh_from_db()
    assert task.phase == JUDGING
    pairs = Subject.objects.filter(phase=JUDGING)
    # Three authors with one question each: each summary meets two foreign questions, the machine's all three.
    assert pairs.count() == 3 * 2 + 3
    answer_all(study, lambda assignment: {"choice": 3})
    with pytest.raises(Refused, match="no further phase"):
        phase_open(task=task)


def test_an_author_who_leaves_is_not_crossed_and_one_who_comes_late_is_added():
    study = make_study(CROSS, documents=1, systems=(), assessors=4)
    study_open(study=study)
    task = study.tasks.get()
    answer_all(study, text_of, only={"p1", "p2"})
    phase_open(task=task)
    crossed = Subject.objects.filter(phase=JUDGING)
    assert crossed.count() == 2
    before = set(crossed.values_list("pk", flat=True))
    assert phase_extend(task=task) == 0
    late = work.assignment_next(assessor=study.assessors.select_related("study").get(name="p3"))
    assert late.subject.phase == AUTHORING
    work.judgment_record(
        assignment=late, client_key=uuid.uuid4(), revision=1, answer=text_of(late), seconds=1
    )
    assert phase_extend(task=task) == 4
    assert before < set(crossed.values_list("pk", flat=True))
    assert crossed.count() == 3 * 2


def test_an_author_with_a_single_question_is_crossed_like_the_others():
    study = make_study(CROSS, documents=1, systems=(), assessors=3)
    study_open(study=study)

    def unequal(assignment):
        written = text_of(assignment)
        if assignment.assessor.name == "p1":
            written["questions"] += [{"question": "What is it of?", "answer": "p1"}]
        return written

    answer_all(study, unequal)
    phase_open(task=study.tasks.get())
    authors = Counter(
        row["question_author"]
        for row in Subject.objects.filter(phase=JUDGING).values_list("noted", flat=True)
    )
    assert authors == {"A01": 4, "A02": 2, "A03": 2}


def test_too_few_judges_is_a_clear_problem_and_opens_nothing():
    study = make_study(CROSS | {"judges_per_pair": 2}, documents=1, systems=(), assessors=2)
    study_open(study=study)
    answer_all(study, text_of)
    with pytest.raises(Refused, match="crossing"):
        phase_open(task=study.tasks.get())
    assert not Subject.objects.filter(phase=JUDGING).exists()


def test_simulation_plays_every_phase():
    study = make_study(CROSS, documents=2, assessors=4)
    study_simulate(study=study, seed=1)
    judgments, _ = tables(study)
    assert {"summary", "question", "expected", "answer"} <= set(judgments["criterion"])
    assert not Assignment.objects.filter(state=Assignment.State.OPEN).exists()


def test_results_show_shares_by_author_the_crossing_matrix_and_length():
    study = study_import(study_file=read_study(ROOT / "fixtures" / "cross_comprehension"))
    study_open(study=study)
    answer_all(
        study,
        lambda assignment: {"choice": 3 if assignment.subject.noted["summary_author"] == "vera" else 0},
    )
    found = {table.name: table for table in human_tables(*tables(study))["crossing"]}
    by_summary = {row[0]: row[1:] for row in found["answers-by-summary"].rows}
    assert by_summary["vera"] == (1.0, 0.0, 0.0, 0.0, 18)
    assert by_summary["pw6417"] == (0.0, 0.0, 0.0, 1.0, 26)
    matrix = {
        row[0]: dict(zip([c.name for c in found["crossing"].columns][1:], row[1:], strict=True))
        for row in found["crossing"].rows
    }
    assert matrix["vera"] == {"vera": None, "iris": 1.0, "otto": 1.0, "nils": 1.0}
    assert {row[0] for row in found["answers-by-type"].rows} == {"human", "system"}
    assert {row[0] for row in found["length"].rows} == set(by_summary)


def test_opening_a_phase_twice_at_once_deals_once():
    """A double click: both requests have loaded the task before either opens its phase."""
    study = make_study(CROSS, assessors=4)
    study_open(study=study)
    answer_all(study, text_of)
    task, again = study.tasks.get(), study.tasks.get()
    phase_open(task=task)
    dealt = Assignment.objects.count()
    with pytest.raises(Refused, match="no further phase"):
        phase_open(task=again)
    assert Assignment.objects.count() == dealt


def test_an_author_is_told_that_a_further_part_comes():
    study = make_study(CROSS, assessors=3)
    study_open(study=study)
    answer_all(study, text_of)
    study.assessors.update(started_at=study.opened_at)
    client = assessor_client(study.assessors.get(name="p1"))
    address = reverse("finished", args=[study.slug])
    assert "opens later" in client.get(address).content.decode()
    phase_open(task=study.tasks.get())
    answer_all(study, lambda assignment: {"choice": 3})
    page = client.get(address).content.decode()
    assert "You have finished." in page and "opens later" not in page


@pytest.mark.parametrize("writes_as", ["", "paula"])
@pytest.mark.parametrize("keep", [True, False])
def test_what_an_erased_author_wrote_stays_under_the_name_that_says_nothing(keep, writes_as):
    """Before: where their judgments went, their texts stayed under their pseudonym, in the export as well; and of somebody with an author
    id all that they wrote was dealt once more as soon as the phase was extended."""
    study = make_study(CROSS, documents=1, assessors=3)
    study.assessors.filter(name="p1").update(author=writes_as)
    study_open(study=study)
    answer_all(study, text_of)
    task, author = study.tasks.get(), study.assessors.get(name="p1")
    phase_open(task=task)
    before = Subject.objects.count()
    assessor_erase(assessor=author, keep_judgments=keep)
    named = {name for noted in Subject.objects.values_list("noted", flat=True) for name in noted.values()}
    assert not named & {author.pseudonym, "paula"}
    (nobody,) = {name for name in named if str(name).startswith("erased-")}
    assert list(study.assessors.filter(pseudonym=nobody)) == ([author] if keep else [])
    assert phase_extend(task=task) == 0
    assert Subject.objects.count() == before, "nothing is dealt a second time under another name"


def open_and_erase_paula(study: Study, *, keep_judgments: bool) -> None:
    """Everybody writes, judging opens, and p1, whose author id is in the study file too, is erased."""
    study.assessors.filter(name="p1").update(author="paula")
    study_open(study=study)
    answer_all(study, text_of)
    phase_open(task=study.tasks.get())
    assessor_erase(assessor=study.assessors.get(name="p1"), keep_judgments=keep_judgments)


def test_texts_of_the_study_file_stay_with_their_author_id_when_somebody_who_has_it_is_erased():
    made = study_file(CROSS, documents=1, assessors=3)
    outputs = tuple(row.model_copy(update={"author": "paula"}) for row in made.materials.outputs[:1])
    made = replace(made, materials=replace(made.materials, outputs=outputs))
    study = study_import(study_file=made)
    open_and_erase_paula(study, keep_judgments=True)
    writers = {
        (row.noted["summary_author"] == "paula", row.shown["summary"])
        for row in Subject.objects.filter(phase=JUDGING)
        if row.output or "p1" in row.shown["summary"]
    }
    assert writers == {(True, study.outputs.get().text), (False, "Word of p1")}


def test_a_text_of_the_study_file_keeps_the_name_of_its_system_when_somebody_of_that_name_is_erased():
    """Before: their judgments went by the name that says nothing, and all of the text was dealt once more."""
    study = make_study(CROSS, documents=1, systems=("paula",), assessors=3)
    open_and_erase_paula(study, keep_judgments=False)
    writers = Subject.objects.exclude(output=None).values_list("noted__summary_author", flat=True)
    assert set(writers) == {"paula"}
    assert phase_extend(task=study.tasks.get()) == 0


@pytest.mark.parametrize("same", [True, False])
def test_what_somebody_wrote_as_the_study_file_has_it_is_theirs_all_the_same(same):
    """Before: it kept the author id of whoever was erased, and was dealt once more."""
    made = study_file(CROSS, documents=1, assessors=3)
    text = "Word of p1" if same else "Another word."
    outputs = tuple(
        row.model_copy(update={"author": "paula", "units": (text,)}) for row in made.materials.outputs[:1]
    )
    asked = QuestionRow(document="d1", author="paula", question="Whose?", answer="Hers.")
    made = replace(made, materials=replace(made.materials, outputs=outputs, questions=(asked,)))
    study = study_import(study_file=made)
    open_and_erase_paula(study, keep_judgments=True)
    pairs = list(Subject.objects.filter(phase=JUDGING))
    summaries = {(row.output_id is None, row.noted["summary_author"]) for row in pairs}
    assert {name[:6] for here, name in summaries if here} == {"erased", "A02", "A03"}
    assert {name for here, name in summaries if not here} == {"paula"}
    questions = {row.noted["question_author"][:6] for row in pairs if row.shown["question"] == "Whose?"}
    assert questions == {"paula"}

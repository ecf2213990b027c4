"""Practice that must be passed, and what happens to people who fail: while they work, told in words, and undone by the experimenter."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.checks import Agreement, Checks, WarmUp
from annotation.designs import Design
from annotation.errors import Conflict
from annotation.export import judgment_rows
from annotation.models import Assignment, AuditEntry, Judgment, Subject
from annotation.selectors.halts import halt_of
from annotation.selectors.joining import ending_of
from annotation.selectors.work import assignments_left
from annotation.services import work
from annotation.services.assessors import assessor_start
from annotation.services.joining import assessor_join, join_link_set
from annotation.services.persons import assessor_resume
from annotation.services.studies import study_import, study_open
from annotation.study_files.schema import ControlRow, Settings
from tests.factories import assessor_client, owner_client
from tests.studies import practice, study_file

pytestmark = pytest.mark.django_db
RATING = {
    "kind": "rating",
    "name": "quality",
    "criteria": [{"name": "useful", "steps": [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]}],
}
KEY = {"values": {"useful": 1}}
STOP = {"on_failure": "stop", "message": "Thank you, that is all."}


def opened(checks, *, practised=(), controls=(), **fields):
    fields.setdefault("documents", 8)
    study = study_import(
        study_file=study_file(
            RATING, checks=checks, practice=tuple(practised), controls=tuple(controls), **fields
        )
    )
    study_open(study=study)
    return study


def begun(study, number=0):
    person = list(study.assessors.select_related("study"))[number]
    assessor_start(assessor=person, consented=True)
    return person


def submit(person, value):
    """What comes next, answered; the next page's first item or None, and what was recorded."""
    assignment = work.assignment_next(assessor=person)
    assignment.assessor = person  # as the guard of a page has it
    draft = getattr(assignment, "draft", None)
    return assignment, *work.judgment_submit(
        assignment=assignment,
        client_key=uuid.uuid4(),
        revision=draft.revision if draft else 1,
        answer={"values": {"useful": value}},
        seconds=1,
    )


def warm_up(**fields):
    practised = [practice("quality", document="d1", key=KEY), practice("quality", document="d2", key=KEY)]
    return opened(Checks(warm_up=WarmUp(share=0.7, **fields.pop("rule", {})), **fields), practised=practised)


def gold(number=4):
    return [
        ControlRow(task="quality", type="gold", system="qx31", document=f"d{n}", expect=KEY)
        for n in range(1, number + 1)
    ]


def failed_lines():
    return list(AuditEntry.objects.filter(action="assessor.fail").values_list("target", "after"))


# --- practice that must be passed ---------------------------------------------------------------------------------


def test_whoever_passes_practice_goes_on():
    study = warm_up()
    person = begun(study)
    submit(person, 1)
    _, recorded, line = submit(person, 1)
    assert not recorded.verdict.again
    assert not line.current.subject.practice
    assert list(person.assignments.filter(subject__practice=True).values_list("met", flat=True)) == [1.0, 1.0]


def test_who_does_not_pass_practice_begins_it_anew_and_what_was_answered_stays():
    study = warm_up(rule={"tries": 2})
    person = begun(study)
    submit(person, 1)
    first, recorded, line = submit(person, 0)
    assert recorded.verdict.again
    assert line is None, "a word comes first"
    assert "50%" in person.notice
    assert halt_of(person) == ""
    again = work.assignment_next(assessor=person)
    assert again.subject.practice
    assert again.draft.revision == 2
    for _ in range(2):
        submit(person, 1)
    assert Judgment.objects.filter(assignment=first).count() == 2, "both tries are kept"
    assert not work.assignment_next(assessor=person).subject.practice
    assert failed_lines() == []


def test_practice_must_be_passed_even_if_its_last_item_has_no_key():
    practised = [practice("quality", document="d1", key=KEY), practice("quality", document="d2")]
    person = begun(opened(Checks(warm_up=WarmUp(share=0.7)), practised=practised))
    submit(person, 0)
    submit(person, 1)
    assert "0% of what the keys expect" in person.checks_failed_why


def test_practice_of_another_try_cannot_be_skipped_by_discarding_it():
    study = warm_up(rule={"tries": 2})
    person = begun(study)
    submit(person, 0)
    submit(person, 0)
    again = work.assignment_next(assessor=person)
    with pytest.raises(Conflict):
        work.draft_discard(assignment=again, revision=2)


def test_after_the_last_try_the_person_is_paused_with_the_message_and_the_history_says_why():
    study = warm_up(message="We will write to you.")
    person = begun(study)
    submit(person, 0)
    _, _, line = submit(person, 1)
    assert line is None
    assert halt_of(person) == "paused"
    client = assessor_client(person)
    page = client.get(reverse("work", args=[study.slug])).content.decode()
    assert "We will write to you." in page
    ((target, after),) = failed_lines()
    assert target == f"assessor {person.pseudonym}"
    assert after["then"] == "pause"
    assert "50% of what the keys expect" in after["why"]


# --- gold and attention --------------------------------------------------------------------------------------------


def test_below_the_agreement_after_enough_of_them_the_study_stops_the_person_and_others_get_the_work():
    study = opened(
        Checks(agreement=Agreement(share=0.6, after=2), **STOP),
        controls=gold(),
        design=Design(assessors_per_item=1),
    )
    person = begun(study)
    while not halt_of(person):
        submit(person, 0)
    judged = person.assignments.filter(state="done", subject__control="gold").count()
    assert judged == 2, "not after one alone"
    assert person.checks_failed_why.startswith("0% of what 2 check items (gold, attention) expect")
    assert work.assignment_next(assessor=person) is not None, "what is on the screen can still be sent"
    left = assignments_left(study).filter(assessor=person)
    assert left.exists()
    rows = [row for row in judgment_rows(study) if row["assessor"] == person.pseudonym]
    assert len(rows) == person.assignments.filter(state="done").count(), "nothing is left out of the table"
    assert not Assignment.objects.filter(assessor=person, left_out=True).exists()


def test_whoever_answers_as_expected_is_left_alone_and_nothing_only_notes_it():
    study = opened(
        Checks(agreement=Agreement(share=0.6, after=2), on_failure="nothing"), controls=gold(), assessors=2
    )
    good, bad = begun(study), begun(study, 1)
    while work.assignment_next(assessor=good):
        submit(good, 1)
    assert good.checks_failed_at is None
    while work.assignment_next(assessor=bad):
        submit(bad, 0)
    assert bad.checks_failed_at is not None
    assert halt_of(bad) == ""
    assert [after["then"] for _, after in failed_lines()] == ["nothing"], "once"


@pytest.mark.parametrize(
    ("careful", "failed"), [(True, ""), (False, "0% of what 3 check items (repeat, degraded) expect")]
)
def test_repeats_and_texts_made_worse_count_where_the_study_says_so(careful, failed):
    """The originals come first or later; whoever says the same again, and less of what was spoilt, is left alone."""
    grades = {
        **RATING,
        "criteria": [{"name": "useful", "steps": [{"value": n, "label": str(n)} for n in range(5)]}],
    }
    rule = Agreement(share=0.6, after=3, of=("repeat", "degraded"))
    file = study_file(grades, checks=Checks(repeats=0.25, degraded=0.25, agreement=rule), documents=8)
    study = study_import(study_file=file)
    study_open(study=study)
    person = begun(study)
    while not halt_of(person) and (assignment := work.assignment_next(assessor=person)):
        control = Subject.objects.get(pk=assignment.subject_id).control
        told = {"": 3, "repeat": 3, "degraded": 1} if careful else {"": 3, "repeat": 0, "degraded": 4}
        submit(person, told[control])
    assert person.checks_failed_why.startswith(failed) if failed else not person.checks_failed_at
    met = dict(person.assignments.filter(state="done").exclude(subject__control="").values_list("pk", "met"))
    assert sum(share is not None for share in met.values()) >= 3
    assert set(met.values()) - {None} == {float(careful)}


def revise(person, assignment, value):
    again = Assignment.objects.select_related("draft").get(pk=assignment.pk)
    again.assessor = person
    work.judgment_record(
        assignment=again,
        client_key=uuid.uuid4(),
        revision=2,
        answer={"values": {"useful": value}},
        seconds=1,
    )


def test_a_listed_degraded_text_must_get_less_and_is_compared_with_what_its_original_got_last():
    spoilt = ControlRow(task="quality", type="degraded", system="qx31", document="d5", text="Story no.")
    rule = Agreement(share=0.1, after=3, of=("degraded", "gold"))
    person = begun(
        opened(
            Checks(agreement=rule), controls=[spoilt, *gold(1)], settings=Settings(revise=True), assessors=1
        )
    )
    while assignment := work.assignment_next(assessor=person):
        subject = Subject.objects.get(pk=assignment.subject_id)
        submit(person, int(subject.control != "degraded"))
    control = person.assignments.get(subject__control="degraded")
    original = person.assignments.get(subject__output=control.subject.output_id, subject__control="")
    if control.met is None:  # it came before its original, and no check item after that
        gold_item = person.assignments.get(subject__control="gold")
        revise(person, gold_item, 1)
        control.refresh_from_db()
    assert control.met == 1.0
    revise(person, original, 0)
    control.refresh_from_db()
    assert control.met == 0.0


def test_how_long_a_submit_takes_does_not_tell_a_check_item():
    """Before: with each, all that had come before their originals were looked at again, which a stopwatch could tell."""
    rule = Agreement(share=0.01, after=2, of=("repeat", "degraded"))
    checks = Checks(repeats=0.2, degraded=0.25, agreement=rule)
    study = opened(checks, documents=24, assessors=1, design=Design(assessors_per_item=1))
    person = begun(study)
    asked: dict[str, list[int]] = {"": [], "repeat": [], "degraded": []}
    while coming := work.assignment_next(assessor=person):
        control = coming.subject.control
        with CaptureQueriesContext(connection) as queries:
            submit(person, int(control != "degraded"))
        asked[control].append(len(queries))
    assert len(asked["degraded"]) > 8
    assert max(asked["repeat"] + asked["degraded"]) <= max(asked[""]) + 3
    compared = person.assignments.filter(subject__control__in=["repeat", "degraded"])
    assert None not in compared.values_list("met", flat=True), "each is compared in the end"


def test_without_a_word_repeats_do_not_count():
    checks = Checks(repeats=0.25, degraded=0.25, agreement=Agreement(share=0.6, after=1))
    study = opened(checks, controls=gold(1))
    person = begun(study)
    while work.assignment_next(assessor=person):
        submit(person, 1)
    assert person.checks_failed_at is None
    repeats = person.assignments.filter(subject__control__in=["repeat", "degraded"], state="done")
    assert repeats.exists()
    assert set(repeats.values_list("met", flat=True)) == {None}


def test_an_answer_that_is_changed_counts_as_it_is_then():
    study = opened(Checks(agreement=Agreement(share=0.6, after=2)), controls=gold())
    person = begun(study)
    while True:
        assignment, *_ = submit(person, 0)
        if assignment.subject.control:
            break
    work.judgment_undo(assignment=assignment)
    revise(person, assignment, 1)
    assert Assignment.objects.get(pk=assignment.pk).met == 1.0


def test_the_experimenter_lets_somebody_go_on_who_is_not_stopped_again():
    study = opened(Checks(agreement=Agreement(share=0.6, after=1), **STOP), controls=gold())
    person = begun(study)
    while not halt_of(person):
        submit(person, 0)
    page = owner_client(study).get(reverse("assessor", args=[study.slug, person.pk])).content.decode()
    assert "has failed the checks" in page
    assert f"Let {person.name} go on" in page
    assessor_resume(assessor=person)
    assert halt_of(person) == ""
    while work.assignment_next(assessor=person):
        submit(person, 0)
    assert halt_of(person) == ""


def test_who_is_stopped_reads_why_and_gets_the_outcome_for_failing_of_the_join_link():
    study = opened(
        Checks(agreement=Agreement(share=0.6, after=1), **STOP),
        controls=gold(),
        design=Design(pool=True, assessors_per_item=2),
    )
    link = join_link_set(
        study=study,
        rules={
            "parameters": ["PID"],
            "failed": {"url": "https://panel.example/failed?id={PID}", "code": "FAILED1"},
        },
    )
    person = assessor_join(link=link, given={"PID": "p 1"}, consented=True)
    assessor_start(assessor=person, consented=True)
    while not halt_of(person):
        submit(person, 0)
    assert ending_of(person).outcome == "failed"
    response = assessor_client(person).get(reverse("work", args=[study.slug]))
    page = response.content.decode()
    assert "Thank you, that is all." in page
    assert "FAILED1" in page
    assert response["Refresh"].endswith("https://panel.example/failed?id=p%201")
    assert person.completion_code not in page


def test_only_control_and_practice_items_cost_a_query_more():
    def costs(study):
        person = begun(study)
        found = {}
        while assignment := work.assignment_next(assessor=person):
            with CaptureQueriesContext(connection) as seen:
                work.judgment_record(
                    assignment=assignment,
                    client_key=uuid.uuid4(),
                    revision=1,
                    answer={"values": {"useful": 1}},
                    seconds=1,
                )
            found.setdefault(assignment.subject.control, len(seen))
        return found

    plain = costs(opened(Checks(), controls=gold()))
    checked = costs(opened(Checks(agreement=Agreement(share=0.5, after=2)), controls=gold(), slug="checked"))
    assert checked[""] == plain[""]
    assert checked["gold"] <= plain["gold"] + 1

"""Keys that a first phase builds: independent builders, the experimenter's choice, and a new version after judging has begun."""

import threading
import uuid
from functools import partial

import pytest
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.analysis import judgment_table
from annotation.designs import Design
from annotation.errors import Conflict, Refused
from annotation.export import judgment_rows
from annotation.export_files import export_write
from annotation.models import Assignment, AuditEntry, Draft, Judgment, Study, Subject
from annotation.selectors.exclusions import left_out
from annotation.selectors.keys import key_rows
from annotation.selectors.progress import study_progress
from annotation.selectors.runs import newest_data
from annotation.selectors.work import revisable_assignments
from annotation.services import work
from annotation.services.assessors import assessor_create, assessor_link, assessor_revoke
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.imports import judgments_import
from annotation.services.keys import key_choose, key_reopen
from annotation.services.persons import assessor_erase, assignment_give
from annotation.services.studies import study_open
from metrics.frames import read_judgments
from metrics.human import human_score
from tests.factories import owner_client
from tests.keyed_studies import answer_all, answer_one, scores_of
from tests.studies import make_study

pytestmark = pytest.mark.django_db

UNITS = {"kind": "units_present", "name": "units", "writing": True, "builders": "w", "judges": "r"}


@pytest.fixture
def study():
    """One document, one reference, two outputs; p1 and p2 write units independently, p3 judges."""
    made = make_study(UNITS | {"builders_per_item": 2}, documents=1, assessors=3)
    made.assessors.filter(name__in=["p1", "p2"]).update(group="w")
    made.assessors.filter(name="p3").update(group="r")
    study_open(study=made)
    return made


def write(*texts):
    return {"written": [{"id": str(n), "text": text, "sentence": 1} for n, text in enumerate(texts, start=1)]}


def builders(assignment, exhibit):
    return (
        write("Mara baked.", "She baked bread.")
        if assignment.assessor.name == "p1"
        else write("Mara baked bread.")
    )


def all_present(assignment, exhibit):
    return {"present": {unit["id"]: 1 for unit in exhibit.shown["units"]}}


def author(study, name):
    return study.assessors.get(name=name).pseudonym


def test_each_builder_works_alone_and_only_builders_build(study):
    assert sorted(
        Assignment.objects.filter(subject__phase="writing").values_list("assessor__name", flat=True)
    ) == ["p1", "p2"]


def test_of_two_keys_the_experimenter_must_choose_one(study):
    answer_all(study, builders)
    task = study.tasks.get()
    assert [row.is_undecided for row in key_rows(task)] == [True]
    with pytest.raises(
        Refused, match=r"several people have built a key for r-d1. Choose one of each on the plan page"
    ):
        phase_open(task=task)
    assert not Subject.objects.filter(phase="judging").exists()
    key_choose(task=task, about="r-d1", author=author(study, "p2"))
    phase_open(task=task)
    shown = [subject.shown for subject in Subject.objects.filter(phase="judging")]
    assert shown == [{"units": [{"id": "r-d1/1", "text": "Mara baked bread."}]}] * 2
    assert set(
        Assignment.objects.filter(subject__phase="judging").values_list("assessor__name", flat=True)
    ) == {"p3"}
    with pytest.raises(Refused, match="There is no such key"):
        key_choose(task=task, about="r-d1", author="nobody")


def test_a_phase_opens_with_the_key_that_was_chosen_a_moment_ago(study):
    """Before: with the one that was chosen when the page was read."""
    answer_all(study, builders)
    key_choose(task=study.tasks.get(), about="r-d1", author=author(study, "p1"))
    as_read = study.tasks.get()
    key_choose(task=study.tasks.get(), about="r-d1", author=author(study, "p2"))
    phase_open(task=as_read)
    shown = [subject.shown for subject in Subject.objects.filter(phase="judging")]
    assert shown == [{"units": [{"id": "r-d1/1", "text": "Mara baked bread."}]}] * 2


def test_keys_can_be_joined_and_go_back_to_a_builder_to_finish(study):
    answer_all(study, builders)
    task = study.tasks.get()
    key_reopen(task=task, about="r-d1", author=author(study, "p1"), join=True)
    again = work.assignment_next(assessor=study.assessors.select_related("study").get(name="p1"))
    texts = [unit["text"] for unit in again.draft.answer["written"]]
    assert texts == ["Mara baked.", "She baked bread.", "Mara baked bread."]
    answer_one(again, write("Mara baked bread."))
    assert Judgment.objects.filter(assignment=again).count() == 2
    task.refresh_from_db()
    phase_open(task=task)
    assert Subject.objects.filter(phase="judging").count() == 2


def test_a_key_that_is_open_again_outlives_leaving_its_builder_out(study):
    """Before: somebody else had built one meanwhile, and the key of the builder who was included again was gone from all results."""
    answer_all(study, builders)
    task = study.tasks.get()
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    left_out = exclusion_add(study=study, target=study.assessors.get(name="p1"), reason="A mistake.")
    assessor_create(study=study, name="p4", group="w")
    answer_all(study, builders, only={"p4"})
    assert Judgment.objects.filter(assignment__assessor__name="p4").exists()
    exclusion_end(exclusion=left_out)
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    again = work.assignment_next(assessor=study.assessors.select_related("study").get(name="p1"))
    answer_one(again, write("Mara baked bread."))
    assert Judgment.objects.filter(assignment=again).count() == 2


def test_the_key_of_a_builder_who_is_left_out_is_nobody_s_to_choose(study):
    """Before: the plan page called it the one that goes on, while the phase opened with the other; and it could be joined to that."""
    answer_all(study, builders)
    task = study.tasks.get()
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    exclusion_add(study=study, target=study.assessors.get(name="p1"), reason="A mistake.")
    task.refresh_from_db()
    assert [(one.name, one.goes_on) for row in key_rows(task) for one in row.built] == [("p2", True)]
    for take in (
        partial(key_choose, author=author(study, "p1")),
        partial(key_reopen, author=author(study, "p2"), join=True),
    ):
        with pytest.raises(Refused, match=r"no such key|nothing to join"):
            take(task=task, about="r-d1")
    phase_open(task=task)
    assert {row.shown["units"][0]["text"] for row in Subject.objects.filter(phase="judging")} == {
        "Mara baked bread."
    }


def with_two_judges(**fields):
    """p1 has written units, and whoever of p2 and p3 asks first judges by them."""
    made = make_study(UNITS, documents=1, assessors=3, **fields)
    made.assessors.filter(name="p1").update(group="w")
    made.assessors.filter(name__in=["p2", "p3"]).update(group="r")
    study_open(study=made)
    answer_all(made, builders)
    phase_open(task=made.tasks.get())
    return made


def test_whoever_takes_over_gets_the_new_version_alone():
    """Before: they got the older one first, which nobody can submit, and nothing else any more."""
    made = with_two_judges()
    task, goes = made.tasks.get(), made.assessors.get(name="p2")
    answer_all(made, all_present)
    key_reopen(task=task, about="r-d1", author=author(made, "p1"))
    answer_all(made, lambda assignment, exhibit: write("Mara baked bread."), only={"p1"})
    assert phase_extend(task=task) == 2
    assessor_link(assessor=goes)
    assessor_revoke(assessor=goes)
    answer_all(made, all_present, only={"p3"})
    assert not Assignment.objects.filter(subject__superseded=True, state=Assignment.State.OPEN).exists()
    assert study_progress(made).left == 0


def test_a_report_is_out_of_date_once_older_judgments_count_no_more():
    """Before: it was called up to date, with the numbers of before."""
    made = with_two_judges()
    answer_all(made, all_present)
    key_reopen(task=made.tasks.get(), about="r-d1", author=author(made, "p1"))
    answer_all(made, lambda assignment, exhibit: write("Mara baked bread."), only={"p1"})
    before = newest_data(made)
    phase_extend(task=made.tasks.get())
    assert newest_data(Study.objects.get(pk=made.pk)) != before


def test_a_pool_hands_out_nothing_of_a_phase_that_is_over():
    """Before: a judge was given a key to build, where its builder had been left out."""
    made = with_two_judges(design=Design(pool=True))
    exclusion_add(study=made, target=made.assessors.get(name="p1"), reason="A mistake.")
    for judge in made.assessors.filter(group="r").select_related("study"):
        assert work.assignment_next(assessor=judge).subject.phase == "judging"


def test_a_key_that_is_open_again_is_told_as_left_out_with_its_builder():
    """Before: “0 judgments”, and its rows were in the table of what is left out without a reason, as if they counted."""
    made = make_study(UNITS, documents=1, assessors=2)
    made.assessors.filter(name="p1").update(group="w")
    made.assessors.filter(name="p2").update(group="r")
    study_open(study=made)
    answer_all(made, builders)
    phase_open(task=made.tasks.get())
    key_reopen(task=made.tasks.get(), about="r-d1", author=author(made, "p1"))
    exclusion_add(study=made, target=made.assessors.get(name="p1"), reason="A mistake.")
    assert {row["excluded"] for row in judgment_rows(made, excluded=True)} == {"assessor A01: A mistake."}
    assert [len(entry.judgments) for entry in left_out(made)] == [1]


def test_a_change_of_the_key_makes_a_new_version_and_opens_again_what_was_judged(study):
    answer_all(study, builders)
    task = study.tasks.get()
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    phase_open(task=task)
    reader = study.assessors.select_related("study").get(name="p3")
    first = work.assignment_next(assessor=reader)
    answer_one(first, {"present": {"r-d1/1": 1, "r-d1/2": 0}})
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    with pytest.raises(Refused, match="p1 is at it already"):
        key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    assert len(scores_of(study, "acu")) == 1, "what was submitted counts while its builder goes on"
    builder = study.assessors.select_related("study").get(name="p1")
    answer_one(work.assignment_next(assessor=builder), write("Mara baked.", "It was bread."))
    assert phase_extend(task=task) == 2
    assert phase_extend(task=task) == 0
    # The judged one comes again with what still stands; the one that was not begun comes in its new version.
    again = {row.subject.output_id: row for row in reader.assignments.filter(state=Assignment.State.OPEN)}
    assert len(again) == 2
    assert Draft.objects.get(assignment=again[first.subject.output_id]).answer["present"] == {"r-d1/1": 1}
    with pytest.raises(Conflict, match="It comes again"):
        answer_one(first, {"present": {"r-d1/1": 1, "r-d1/2": 1}})
    assert not [row for row in judgment_rows(study) if row["system"]], (
        "what was judged by the old key counts no more"
    )
    answer_all(study, all_present, only={"p3"})
    rows = [row for row in judgment_rows(study) if row["system"]]
    assert len(rows) == 4
    assert {row["revision"] for row in rows if row["system"] == first.subject.output.system.key} == {2}
    kept = [row for row in judgment_rows(study, all_revisions=True) if row["system"]]
    assert len(kept) == 6
    assert set(scores_of(study, "acu").values()) == {1.0}


def test_the_plan_page_shows_keys_and_an_owner_chooses(study):
    answer_all(study, builders)
    client = owner_client(study)
    address = reverse("study_plan", args=[study.slug])
    page = client.get(address).content.decode()
    assert "to be chosen" in page and "2 units" in page and "1 unit" in page
    key = reverse("task_key", args=[study.slug, "units"])
    client.post(key, {"about": "r-d1", "author": author(study, "p1"), "choose": "1"})
    assert study.tasks.get().choices == {"r-d1": author(study, "p1")}
    assert "goes on" in client.get(address).content.decode()
    client.post(key, {"about": "r-d1", "author": author(study, "p1"), "reopen": "1"})
    assert "at work" in client.get(address).content.decode()
    told = AuditEntry.objects.filter(action__startswith="key.").order_by("number")
    assert [(entry.action, entry.target) for entry in told] == [
        ("key.choose", "task units, r-d1"),
        ("key.reopen", "task units, r-d1"),
    ]
    refused = client.post(key, {"about": "r-d9", "author": "x", "choose": "1"}, follow=True).content.decode()
    assert "There is no such key for r-d9." in refused


def test_a_group_without_anybody_is_a_clear_problem():
    made = make_study(UNITS, documents=1, assessors=2)
    with pytest.raises(Refused, match="nobody is in the group that does “writing”"):
        study_open(study=made)


# --- what was built stays until something takes its place ---------------------------------------------------------


def person(study, name):
    return study.assessors.select_related("study").get(name=name)


def key_of(study, name):
    return Assignment.objects.select_related("assessor__study", "draft").get(
        assessor__study=study, assessor__name=name, subject__phase="writing"
    )


def test_closing_the_phase_fixes_the_key_although_answers_may_be_revised(study):
    study.settings = study.settings | {"revise": True}
    study.save(update_fields=["settings"])
    answer_all(study, builders)
    builder = person(study, "p1")
    key = key_of(study, "p1")
    work.draft_save(assignment=key, revision=2, answer=write("Begun before."))
    assert key in revisable_assignments(builder)
    task = study.tasks.get()
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    phase_open(task=task)
    again = {"assignment": key_of(study, "p1"), "revision": 2, "answer": write("Something else.")}
    with pytest.raises(Conflict, match="judged this item already"):
        work.draft_save(**again)
    with pytest.raises(Conflict, match="judged this item already"):
        work.judgment_record(**again, client_key=uuid.uuid4(), seconds=1)
    assert key not in revisable_assignments(builder)
    with pytest.raises(Conflict, match="too late to undo"):
        work.judgment_undo(assignment=key_of(study, "p2"))
    # The experimenter opens it again: then its builder may.
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    work.judgment_record(**again, client_key=uuid.uuid4(), seconds=1)


def test_opening_a_key_again_keeps_what_its_builder_has_begun(study):
    study.settings = study.settings | {"revise": True}
    study.save(update_fields=["settings"])
    answer_all(study, builders)
    begun = write("Mara baked.", "She baked bread.", "Begun, not submitted.")
    work.draft_save(assignment=key_of(study, "p1"), revision=2, answer=begun, seconds=0)
    key_reopen(task=study.tasks.get(), about="r-d1", author=author(study, "p1"))
    assert Draft.objects.get().answer["written"] == begun["written"]


def test_a_builder_may_leave_a_key_that_is_open_again_as_it_was(study):
    answer_all(study, builders)
    task = study.tasks.get()
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    work.draft_discard(assignment=key_of(study, "p1"), revision=2)
    assert key_of(study, "p1").state == Assignment.State.DONE
    assert not Draft.objects.exists()
    assert work.assignment_next(assessor=person(study, "p1")) is None
    assert [key.described for row in key_rows(task) for key in row.submitted] == ["2 units", "1 unit"]


def test_keys_that_are_too_much_together_are_not_joined(study):
    def many(assignment, exhibit):
        return write(*(f"{assignment.assessor.name} {n}." for n in range(251)))

    answer_all(study, many)
    with pytest.raises(Refused, match="too much for one key"):
        key_reopen(task=study.tasks.get(), about="r-d1", author=author(study, "p1"), join=True)
    assert not Draft.objects.exists()


def test_a_key_that_is_open_again_is_nobody_elses_when_its_builder_leaves(study):
    study.assessors.filter(name="p3").update(group="w")
    answer_all(study, builders, only={"p1", "p2"})
    task = study.tasks.get()
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    study.assessors.filter(name="p1").update(token_hash=None, token_made_at=timezone.now())
    assert work.assignment_next(assessor=person(study, "p3")) is None
    with pytest.raises(Refused, match="Only work that is not done"):
        assignment_give(assignment=key_of(study, "p1"), to=person(study, "p3"))
    assert [key.described for row in key_rows(task) for key in row.submitted] == ["2 units", "1 unit"]


@pytest.mark.django_db(transaction=True)
def test_what_is_submitted_while_a_new_version_is_made_comes_again_too(study):
    answer_all(study, builders)
    task = study.tasks.get()
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    phase_open(task=task)
    first = work.assignment_next(assessor=person(study, "p3"))
    key_choose(task=task, about="r-d1", author=author(study, "p2"))
    submitted, may_end = threading.Event(), threading.Event()

    def submit():
        with transaction.atomic():
            answer_one(first, {"present": {"r-d1/1": 1, "r-d1/2": 0}})
            submitted.set()
            may_end.wait(timeout=60)
        connection.close()

    def extend():
        phase_extend(task=study.tasks.get())
        connection.close()

    threads = [threading.Thread(target=submit), threading.Thread(target=extend)]
    threads[0].start()
    assert submitted.wait(timeout=60)
    threads[1].start()
    threads[1].join(timeout=1)  # it waits for the one who submits, or has not come so far
    may_end.set()
    for thread in threads:
        thread.join(timeout=60)
    again = Assignment.objects.get(subject__output=first.subject.output, subject__superseded=False)
    assert (again.revisions_before, hasattr(again, "draft")) == (1, True)


@pytest.mark.parametrize("keep", [True, False])
def test_the_key_of_a_builder_who_is_erased_goes_on_as_nobodys_or_goes_with_them(study, keep):
    answer_all(study, builders)
    task, person = study.tasks.get(), study.assessors.get(name="p2")
    study.assessors.filter(pk=person.pk).update(author="Wilhelmina")
    person.refresh_from_db()
    key_choose(task=task, about="r-d1", author="Wilhelmina")
    assessor_erase(assessor=person, keep_judgments=keep)
    task.refresh_from_db()
    assert "Wilhelmina" not in str(task.choices)
    (row,) = key_rows(task)
    assert [(one.name.startswith("erased"), one.goes_on) for one in row.built] == (
        [(False, False), (True, True)] if keep else [(False, True)]
    )
    assert "Wilhelmina" not in str(list(AuditEntry.objects.values()))


@pytest.fixture
def judged_anew(study):
    """p3 has judged by the key of p1, and once more by the newer one."""
    answer_all(study, builders)
    task = study.tasks.get()
    key_choose(task=task, about="r-d1", author=author(study, "p1"))
    phase_open(task=task)
    answer_all(study, all_present, only={"p3"})
    key_reopen(task=task, about="r-d1", author=author(study, "p1"))
    answer_one(work.assignment_next(assessor=person(study, "p1")), write("Mara baked.", "It was bread."))
    phase_extend(task=task)
    answer_all(study, all_present, only={"p3"})
    return study


def test_what_was_judged_by_two_versions_of_a_key_comes_in_again_without_a_change(judged_anew, tmp_path):
    """Before: every import of its own table stored each judgment by the newer key once more, as a further revision."""
    export_write(judged_anew, format="csv", out=tmp_path / "table.csv")
    before = list(judgment_rows(judged_anew)), Judgment.objects.count()
    done = judgments_import(study=judged_anew, rows=judgment_table(tmp_path / "table.csv"))
    assert (done.judgments, done.differing) == (0, 0)
    assert (list(judgment_rows(judged_anew)), Judgment.objects.count()) == before


@pytest.mark.parametrize("revision", [None, 2])
def test_judgments_by_the_newer_key_that_were_made_elsewhere_count(judged_anew, revision):
    """Before, on PostgreSQL: they became judgments by the older one, said to be imported, and counted nowhere."""
    rows = [row for row in judgment_rows(judged_anew) if row["system"]]
    assessor_create(study=judged_anew, name="p4", group="r")
    table = [
        row | {"row": number, "assessor": "p4", "position": None, "value": 0.0, "revision": 1}
        for number, row in enumerate(rows, start=2)
    ]
    assert judgments_import(study=judged_anew, rows=table).judgments == 2
    found = [row for row in judgment_rows(judged_anew, names=True) if row["system"]]
    assert [row["value"] for row in found if row["assessor"] == "p4"] == [0.0] * 4
    again = Assignment.objects.filter(assessor__name="p4", subject__superseded=False)
    assert again.count() == 2
    own = [row | {"row": number, "revision": revision} for number, row in enumerate(rows, start=2)]
    assert judgments_import(study=judged_anew, rows=own).known == 2


def test_a_judgment_by_an_older_key_does_not_come_in_as_one_by_the_newer(judged_anew):
    rows = [row for row in judgment_rows(judged_anew) if row["system"]]
    older = [row | {"row": number, "revision": 1} for number, row in enumerate(rows, start=2)]
    with pytest.raises(
        Refused,
        match="judged this by an older key as revision 1; by the newer one it is a revision from 2 on",
    ):
        judgments_import(study=judged_anew, rows=older)


def test_a_table_of_all_revisions_counts_what_was_judged_by_the_newer_key(judged_anew, tmp_path):
    """Before: metrics took what was judged by the older key for second judgments of the same."""
    export_write(judged_anew, format="csv", out=tmp_path / "table.csv", all_revisions=True)
    table = read_judgments(tmp_path / "table.csv")
    assert (table["excluded"] == "judged by an older key").sum() == 4
    assert set(human_score(table, "acu").scores["score"]) == {1.0}
    again = judgments_import(study=judged_anew, rows=judgment_table(tmp_path / "table.csv"))
    assert (again.judgments, again.excluded) == (0, 4)

"""Keys that a first phase builds: independent builders, the experimenter's choice, and a new version after judging has begun."""

import pytest
from django.urls import reverse

from annotation.errors import Conflict, Refused
from annotation.export import judgment_rows
from annotation.models import Assignment, AuditEntry, Draft, Judgment, Subject
from annotation.selectors.keys import key_rows
from annotation.services import work
from annotation.services.dealing import phase_extend, phase_open
from annotation.services.keys import key_choose, key_reopen
from annotation.services.persons import assessor_erase
from annotation.services.studies import study_open
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

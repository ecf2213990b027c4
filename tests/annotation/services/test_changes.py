"""Changing a study while it runs: texts as versions, pauses, deadlines, copies, slugs, waves and overlap."""

from __future__ import annotations

import io
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.checks import Checks
from annotation.designs import Design
from annotation.errors import Refused
from annotation.export import judgment_rows
from annotation.models import Assignment, AuditEntry, ControlItem, Document, Judgment, Subject, System
from annotation.overtaken import fingerprint
from annotation.selectors.exhibits import exhibit_shown
from annotation.selectors.files import study_as_file
from annotation.selectors.joining import join_link_of
from annotation.selectors.progress import study_progress
from annotation.selectors.runs import newest_data
from annotation.selectors.versions import compared
from annotation.selectors.work import assessor_of_link
from annotation.services import changes, waves
from annotation.services.assessors import assessor_link
from annotation.services.building import checks_set, task_remove
from annotation.services.dealing import phase_open
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.joining import join_link_set
from annotation.services.mail import assessor_email_set
from annotation.services.persons import assessor_erase
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import write_study
from annotation.study_files.schema import ControlRow
from tests.annotation.services.test_exclusions import judge, judged, opened
from tests.factories import assessor_client, experimenter, logged_in, member
from tests.keyed_studies import answer_all
from tests.studies import SEE, SYSTEMS, TIDES, make_study, study_file

pytestmark = pytest.mark.django_db


def more_documents(study, *ids: str, tasks=()):
    """The study's own file, with further documents, each with an output of every system, and perhaps further tasks."""
    known = study_as_file(study)
    given = study_file(documents=len(study.documents.all()) + len(ids)).materials
    new = [row for row in given.documents if row.id in ids]
    materials = replace(
        known.materials,
        documents=(*known.materials.documents, *new),
        references=(*known.materials.references, *(row for row in given.references if row.document in ids)),
        outputs=(*known.materials.outputs, *(row for row in given.outputs if row.document in ids)),
    )
    return replace(known, materials=materials, tasks=(*known.tasks, *tasks))


# --- texts --------------------------------------------------------------------------------------------------------


def test_an_assessor_sees_what_changed_before_going_on_and_exports_say_which_version_each_judgment_saw():
    study = opened(documents=2, assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    client = assessor_client(assessor)
    changes.study_texts_change(study=study, instructions="Judge *well*.\n\nAnd slowly.", consent="")
    page = client.get(reverse("work", args=[study.slug]))
    assert "The instructions have changed" in page.content.decode()
    assert "<p>And slowly.</p>" in page.content.decode().partition("<ins")[2].partition("</ins>")[0]
    assert client.get(reverse("finished", args=[study.slug])).status_code == 302
    client.post(reverse("start", args=[study.slug]), {"version": study.text_version})
    assert client.get(reverse("work", args=[study.slug])).status_code == 302
    assessor.refresh_from_db()
    judge(assessor)
    versions = pd.DataFrame(judgment_rows(study)).groupby("position")["text_version"].first()
    assert list(versions) == [1, 2, 2, 2]
    report = report_build(study, ReportOptions(metrics=("rouge-1-f",)), newest=newest_data(study))
    assert "2 values under version 1, 6 values under version 2" in str(report.data["notes"])


def test_a_page_that_showed_an_older_version_does_not_count_as_having_read_the_newest():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    client = assessor_client(assessor)
    for words in ("Second.", "Third."):
        changes.study_texts_change(study=study, instructions=words, consent="")
    client.post(reverse("start", args=[study.slug]), {"version": 2})
    assert "Third." in client.get(reverse("work", args=[study.slug])).content.decode()


def test_a_changed_consent_is_asked_for_again():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    changes.study_texts_change(
        study=study, instructions=study.instructions, consent="We keep it for ten years."
    )
    client = assessor_client(assessor)
    assert client.post(reverse("start", args=[study.slug]), {"version": 2}).status_code == 422
    assert (
        client.post(reverse("start", args=[study.slug]), {"version": 2, "consent": "on"}).status_code == 302
    )


def test_whoever_submits_while_the_texts_change_is_acknowledged_and_then_shown_them():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    client = assessor_client(assessor)
    judge(assessor, most=1)
    assignment = Assignment.objects.get(assessor=assessor, position=2)
    client.get(reverse("work", args=[study.slug]))
    changes.study_texts_change(study=study, instructions="New.", consent="")
    assert client.get(reverse("item", args=[study.slug, assignment.public_id])).status_code == 302
    answer = {"values": {"fluency": 3, "adequacy": 4}, "confirmed": True}
    saved = {"revision": 1, "answer": answer, "seconds": 1, "confirm": True}
    assert client.post(
        reverse("draft", args=[study.slug, assignment.public_id]), saved, "application/json"
    ).status_code == 200  # fmt: skip
    sent = {
        "client_key": "00000000-0000-4000-8000-bbbbbbbbbbbb",
        "revision": 1,
        "answer": answer,
        "seconds": 2,
    }
    response = client.post(
        reverse("judgment", args=[study.slug, assignment.public_id]), sent, "application/json"
    )
    assert response.json()["status"] == "saved"
    assert (response.json()["next"], response.json()["finished_url"]) == (
        None,
        reverse("work", args=[study.slug]),
    )
    assert Judgment.objects.get(assignment=assignment).text_version == 1


def test_texts_of_a_draft_change_without_a_new_version():
    study = make_study()
    assert changes.study_texts_change(study=study, instructions="Other.", consent="") is True
    assert (study.text_version, study.texts.count()) == (1, 0)
    assert changes.study_texts_change(study=study, instructions="Other.\r\n", consent="") is False


# --- pause, deadline, details -------------------------------------------------------------------------------------


def test_a_pause_hands_out_nothing_and_says_why():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    client = assessor_client(assessor)
    changes.study_pause(study=study, message="Back on Monday.")
    page = client.get(reverse("work", args=[study.slug]))
    assert "Back on Monday." in page.content.decode()
    changes.study_resume(study=study)
    assert client.get(reverse("work", args=[study.slug])).status_code == 302
    with pytest.raises(Refused, match="not paused"):
        changes.study_resume(study=study)


def test_after_the_deadline_nothing_is_handed_out():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    with pytest.raises(Refused, match="past"):
        changes.study_details_change(
            study=study, name=study.name, contact="", deadline_at=timezone.now() - timedelta(hours=1)
        )
    study.deadline_at = timezone.now() - timedelta(seconds=1)
    study.save()
    client = assessor_client(assessor)
    assert "The deadline has passed" in client.get(reverse("work", args=[study.slug])).content.decode()


def test_name_and_contact_change_and_the_history_says_so():
    study = opened()
    changes.study_details_change(study=study, name="A better name", contact="ada@example.org")
    entry = AuditEntry.objects.filter(chain=study.pk).last()
    assert (entry.action, entry.before["name"], entry.after["name"]) == (
        "study.change", "A small study", "A better name",
    )  # fmt: skip
    with pytest.raises(Refused, match="needs a name"):
        changes.study_details_change(study=study, name=" ", contact="")


# --- copies, archive, slug ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("people", [True, False])
def test_a_copy_is_a_draft_with_the_same_texts_and_no_judgments(people):
    study = judged()
    copy = changes.study_duplicate(
        study=study, owner=experimenter(), slug="again", name="Again", people=people
    )
    assert (copy.state, copy.assessors.count()) == ("draft", 2 if people else 0)
    assert study_as_file(copy).materials == study_as_file(study).materials
    assert not Judgment.objects.filter(assignment__assessor__study=copy).exists()


def test_nobody_who_was_erased_gets_work_in_a_copy():
    """Before: a third of the copy's work was dealt to “erased-1f3a90cc”, whom nobody can invite."""
    study = opened(assessors=3)
    assessor_erase(assessor=study.assessors.get(name="p1"), keep_judgments=True)
    copy = changes.study_duplicate(study=study, owner=None, slug="again", name="", people=True)
    assert list(copy.assessors.values_list("name", flat=True)) == ["p2", "p3"]


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_a_copy_of_a_study_that_was_open_has_the_check_items_that_are_asked_for_in_it(share):
    """Before: those of the study that it was copied from, whatever its page of check items said."""
    study = opened(TIDES, documents=10, assessors=2, checks=Checks(repeats=0.1))
    copy = changes.study_duplicate(study=study, owner=None, slug="again", name="", people=True)
    checks_set(study=copy, checks=Checks(repeats=share), seen=fingerprint(copy.checks))
    study_open(study=copy)
    repeats = Counter(
        Assignment.objects.filter(assessor__study=copy, subject__control="repeat").values_list(
            "assessor__name", flat=True
        )
    )
    assert repeats == ({"p1": 3, "p2": 3} if share else {})


def test_asking_for_other_check_items_replaces_those_that_a_study_file_brought():
    study = opened(TIDES, documents=10, assessors=2, checks=Checks(repeats=0.1))
    again = study_import(study_file=replace(study_as_file(study), slug="again"))
    made = ControlItem.objects.filter(task__study=again)
    checks_set(study=again, checks=Checks(repeats=0.1, message="Read again."), seen=fingerprint(again.checks))
    assert made.exists(), "nothing else was asked for"
    checks_set(study=again, checks=Checks(), seen=fingerprint(again.checks))
    assert not made.exists()


def test_an_archived_study_is_out_of_the_list_and_back():
    study = make_study()
    owner = member(study)
    changes.study_archive(study=study)
    client = logged_in(owner)
    assert study.name not in client.get(reverse("study_list")).content.decode()
    assert study.name in client.get(reverse("study_list") + "?archived").content.decode()
    changes.study_unarchive(study=study)
    assert study.name in client.get(reverse("study_list")).content.decode()


def test_after_a_new_slug_old_addresses_and_open_browsers_still_work():
    study = opened(assessors=1)
    owner, assessor = member(study), study.assessors.get()
    client = assessor_client(assessor)
    changes.study_rename(study=study, slug="renamed")
    assert logged_in(owner).get("/studies/small/people/").status_code == 200
    assert client.get("/work/small/").status_code == 200
    assert client.get("/work/renamed/").status_code == 200
    other = make_study(slug="other")
    with pytest.raises(Refused, match="cannot be used"):
        changes.study_rename(study=other, slug="renamed")
    with pytest.raises(Refused, match="small letters"):
        changes.study_rename(study=other, slug="Not A Slug")


def test_replacing_a_draft_keeps_links_and_members():
    study = make_study()
    viewer = member(study, "viewer")
    token = assessor_link(assessor=study.assessors.get(name="p1"))
    assessor_email_set(assessor=study.assessors.get(name="p2"), email="p2@example.org")
    join = join_link_set(study=study, rules={"cap": 3})
    new = study_import(study_file=study_file(assessors=3), replace=True)
    assert new.pk != study.pk
    assert join_link_of(join.code).study == new
    assert join_link_of(join.code).rules == join.rules
    assert new.assessors.get(name="p2").email == "p2@example.org"
    assert assessor_of_link(token).name == "p1"
    assert assessor_of_link(token).study == new
    assert new.memberships.get(user=viewer).role == "viewer"


# --- waves --------------------------------------------------------------------------------------------------------


def test_a_wave_of_documents_is_dealt_on_top_and_evenly():
    study = judged(documents=2, assessors=2, design=Design(assessors_per_item=1))
    wave = waves.study_extend(study=study, study_file=more_documents(study, "d3", "d4"))
    assert (wave.documents, wave.outputs, wave.subjects) == (2, 4, 4)
    for assessor in study.assessors.all():
        assert judge(assessor) == 2
    rows = pd.DataFrame(judgment_rows(study))
    assert set(rows["item"]) == {"d1", "d2", "d3", "d4"}
    assert set(Counter(rows["assessor"]).values()) == {8}
    assert study_progress(study).left == 0


def test_after_a_wave_all_texts_are_laid_out_alike():
    """With line breaks only if all have some: which texts came with the wave must not be seen at a glance."""
    study = opened(TIDES, documents=1, assessors=1)

    def has_lines():
        rows = Assignment.objects.filter(assessor__study=study).select_related("assessor__study")
        return ["\n" in exhibit_shown(row).output.text for row in rows]

    assert has_lines() == [True, True]
    file = more_documents(study, "d2")
    flowing = {"text": "One came. Two came.", "units": None}
    outputs = [
        row.model_copy(update=flowing) if row.document == "d2" else row for row in file.materials.outputs
    ]
    more = replace(file, materials=replace(file.materials, outputs=tuple(outputs)))
    waves.study_extend(study=study, study_file=more)
    assert has_lines() == [False] * 4


def test_a_task_is_added_and_everybody_gets_their_share():
    study = judged(TIDES, documents=2, assessors=2)
    task = study_file(SEE).tasks[0]
    wave = waves.study_extend(study=study, study_file=more_documents(study, tasks=(task,)))
    assert (wave.tasks, wave.subjects) == (1, 4)
    assert [judge(assessor) for assessor in study.assessors.all()] == [2, 2]
    assert set(pd.DataFrame(judgment_rows(study))["task"]) == {"quality", "coverage"}


def test_a_task_that_is_added_where_one_was_taken_out_has_a_place_of_its_own():
    """Before: that of another task, and so its seed."""
    study = make_study(SEE, TIDES)
    task_remove(study=study, task=study.tasks.get(name="coverage"))
    waves.study_extend(study=study, study_file=more_documents(study, tasks=study_file(SEE).tasks))
    assert list(study.tasks.values_list("name", "position")) == [("quality", 1), ("coverage", 2)]


def test_check_items_of_a_task_that_is_added_are_stored_once_beside_those_that_are_made():
    study = judged(TIDES, documents=3, assessors=2, checks=Checks(degraded=0.2))
    given = ControlRow(
        task="coverage", system=SYSTEMS[0], document="d4", type="degraded", text="Worse. Text."
    )
    file = more_documents(study, "d4", tasks=study_file(SEE).tasks)
    waves.study_extend(study=study, study_file=replace(file, controls=(*file.controls, given)))
    task = study.tasks.get(name="coverage")
    assert task.control_items.filter(made=False).count() == 1
    pieces = Subject.objects.filter(task=task).exclude(control="").values_list("control_item", flat=True)
    assert sorted(pieces) == sorted(task.control_items.values_list("pk", flat=True))
    assert task.control_items.filter(made=True).exists()
    assert [row.made for row in study_as_file(study).controls if row.task == "coverage"].count(False) == 1


def test_a_wave_into_a_pool_is_handed_out():
    study = opened(documents=2, assessors=1, design=Design(assessors_per_item=1, pool=True))
    assessor = study.assessors.get()
    assert judge(assessor) == 4
    waves.study_extend(study=study, study_file=more_documents(study, "d3"))
    assert judge(assessor) == 2


def test_a_wave_that_changes_what_people_judge_is_refused_and_nothing_is_written():
    study = judged()
    file = more_documents(study, "d3")
    changed = file.materials.outputs[0].model_copy(update={"units": ("Other.",)})
    broken = replace(file, materials=replace(file.materials, outputs=(changed, *file.materials.outputs[1:])))
    with pytest.raises(Refused, match="Output qx31/d1: not as in the study"):
        waves.study_extend(study=study, study_file=broken)
    with pytest.raises(Refused, match="nothing in the file"):
        waves.study_extend(study=study, study_file=study_as_file(study))
    assert (study.documents.count(), study.wave) == (2, 1)


def test_a_wave_is_refused_for_outputs_that_tables_would_name_alike_unless_the_study_has_had_them():
    study = opened(documents=3, assessors=1)
    for model, names in ((System, {"qx31": "a", "wv77": "a/b"}), (Document, {"d1": "b/c", "d2": "c"})):
        for old, new in names.items():
            model.objects.filter(study=study, key=old).update(key=new)
    known = study_as_file(study)
    (more,) = (row for row in more_documents(study, "d4").materials.documents if row.id == "d4")

    def wave(document, system):
        row = known.materials.outputs[0].model_copy(update={"system": system, "document": document})
        documents = (*known.materials.documents, more.model_copy(update={"id": document}))
        return replace(
            known,
            materials=replace(known.materials, documents=documents, outputs=(*known.materials.outputs, row)),
        )

    with pytest.raises(Refused, match="Tables would call two outputs “a/b/d3”"):
        waves.study_extend(study=study, study_file=wave("b/d3", "a"))
    assert waves.study_extend(study=study, study_file=wave("d4", "a")).outputs == 1


def test_a_wave_that_breaks_a_latin_square_or_sets_is_refused():
    square = opened(SEE, documents=2, assessors=2, design=Design(order="latin-square"))
    pairs = opened({"kind": "pairwise", "name": "better"}, slug="pairs", documents=2)
    for study in (square, pairs):
        known = study_as_file(study)
        output = known.materials.outputs[0].model_copy(update={"system": "nn99", "units": ("Quite new.",)})
        system = known.materials.systems[0].model_copy(update={"id": "nn99"})
        file = replace(
            known,
            materials=replace(
                known.materials,
                outputs=(*known.materials.outputs, output),
                systems=(*known.materials.systems, system),
            ),
        )
        with pytest.raises(Refused, match="Add new items instead"):
            waves.study_extend(study=study, study_file=file)
        assert study.systems.count() == 2


def test_a_wave_from_the_command_line(tmp_path):
    study = opened()
    write_study(more_documents(study, "d3"), tmp_path / "more")
    out = io.StringIO()
    call_command("extend_study", study.slug, str(tmp_path / "more"), stdout=out)
    assert (
        "wave 2: 1 documents, 0 systems, 2 outputs and 0 tasks are new; 2 pieces were dealt" in out.getvalue()
    )
    with pytest.raises(CommandError, match="nothing in the file"):
        call_command("extend_study", study.slug, str(tmp_path / "more"))


# --- overlap ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", [False, True])
def test_overlap_is_raised_and_the_rest_goes_to_others(pool):
    study = judged(documents=2, assessors=3, design=Design(assessors_per_item=1, pool=pool))
    assert waves.overlap_raise(study=study, to=2) == 4
    for assessor in study.assessors.all():
        judge(assessor)
    done = Judgment.objects.filter(assignment__assessor__study=study)
    assert set(Counter(done.values_list("assignment__subject", flat=True)).values()) == {2}
    assert study_progress(study).left == 0
    assert all(row.taken == row.wanted == 2 for row in Subject.objects.filter(task__study=study))


def test_overlap_is_not_lowered_nor_raised_beyond_the_people():
    study = opened(assessors=2, design=Design(assessors_per_item=2))
    with pytest.raises(Refused, match="only be raised"):
        waves.overlap_raise(study=study, to=1)
    with pytest.raises(Refused, match="of each: 3; people: 2"):
        waves.overlap_raise(study=study, to=3)


def test_more_judgments_of_what_is_judged_ask_nobody_for_another_key():
    """Before: a second key of everything was wanted, and somebody was given it to build, although the task says one."""
    units = {"kind": "units_present", "name": "units", "writing": True, "builders": "w", "judges": "r"}
    study = make_study(units, documents=1, assessors=4)
    study.assessors.filter(name__in=["p1", "p2"]).update(group="w")
    study.assessors.filter(name__in=["p3", "p4"]).update(group="r")
    study_open(study=study)
    written = {"written": [{"id": "1", "text": "Mara baked.", "sentence": 1}]}
    answer_all(study, lambda assignment, exhibit: written)
    phase_open(task=study.tasks.get())
    assert waves.overlap_raise(study=study, to=2) == 2
    answer_all(study, lambda assignment, exhibit: {"present": {u["id"]: 1 for u in exhibit.shown["units"]}})
    assert study_progress(study).left == 0
    assert Judgment.objects.filter(assignment__subject__phase="writing").count() == 1


def test_overlap_is_not_raised_where_the_design_does_not_say_how_many_judge():
    """Before: as many more were wanted, whom the protocol lets nobody be: the study was never done."""
    study = make_study(SEE, assessors=2, design=Design(order="model-author"))
    study.assessors.filter(name="p1").update(author="anna")
    study_open(study=study)
    with pytest.raises(Refused, match="whoever wrote a model"):
        waves.overlap_raise(study=study, to=2)
    crossed = make_study({"kind": "cross_comprehension", "name": "cross"}, documents=1, assessors=4, slug="c")
    study_open(study=crossed)
    study_simulate(study=crossed, seed=1)
    with pytest.raises(Refused, match="in its own settings"):
        waves.overlap_raise(study=crossed, to=2)
    assert study_progress(crossed).left == 0


def test_a_study_opened_after_its_overlap_was_raised_in_the_draft_deals_so_many():
    study = make_study(TIDES, assessors=2)
    waves.overlap_raise(study=study, to=2)
    study_open(study=study)
    assert set(Subject.objects.filter(task__study=study).values_list("wanted", flat=True)) == {2}


def test_whoever_was_left_out_and_is_included_again_gets_their_share_of_a_wave():
    study = opened(assessors=2, documents=2)
    person = study.assessors.first()
    exclusion_end(exclusion=exclusion_add(study=study, target=person, reason="A slip."))
    before = person.assignments.filter(counts=True).count()
    waves.study_extend(study=study, study_file=more_documents(study, "d3"))
    assert person.assignments.filter(counts=True).count() > before


def test_of_two_waves_with_the_same_texts_the_second_is_refused():
    study = opened()
    given = more_documents(study, "d3")
    late = waves._ready(study, given)
    waves.study_extend(study=type(study).objects.get(pk=study.pk), study_file=given)
    with pytest.raises(Refused, match="meantime"):
        waves._extend(study, late, seen=study.wave)


def test_texts_of_the_same_line_again_and_again_are_shown_as_new_and_quickly():
    """An assessor loads the page of changes as often as they like. Comparing these took the cube of their length."""
    old, new = ("\n\n".join(f"Yes.\n\n{who}{n}" for n in range(450)) for who in "ab")
    started = time.process_time()
    assert [paragraph.change for paragraph in compared(old, new)] == ["new"]
    assert time.process_time() - started < 2
    lined = "\n\n".join(f"---\n\n{n}" for n in range(40))
    assert [one.change for one in compared(lined, f"{lined}\n\nEnd.")] == ["same"] * 80 + ["new"]

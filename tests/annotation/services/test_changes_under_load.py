"""Everything about a running study changes while people submit: nothing acknowledged is lost, and the plan stays balanced."""

from __future__ import annotations

import time
import uuid
from collections import Counter

import pandas as pd
import pytest
from django.db import OperationalError

from annotation.designs import Design
from annotation.errors import Refused
from annotation.export import judgment_rows
from annotation.models import Assessor, Assignment, Judgment, Study
from annotation.selectors.progress import study_progress
from annotation.services import changes, waves, work
from annotation.services.assessors import assessor_start
from annotation.services.persons import assessor_pause, assessor_resume
from annotation.services.studies import study_open
from tests.annotation.services.test_changes import more_documents
from tests.studies import TIDES, make_study, plausible, study_file
from tests.together import at_once

FEW = {"kind": "rating", "name": "second", "preset": "duc2005"}
PATIENCE = 120  # seconds, on a machine where others work


@pytest.mark.django_db(transaction=True)
def test_nothing_acknowledged_is_lost_while_everything_about_the_study_changes():
    study = make_study(TIDES, documents=6, assessors=4, design=Design(assessors_per_item=1))
    study_open(study=study)
    changed, acknowledged, faults = [], [], []

    def works(pk: int) -> None:
        """Judges until everything was changed and nothing is left; every key is sent twice, as over a bad line."""
        assessor = Assessor.objects.select_related("study").get(pk=pk)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                was_last = bool(changed)
                assessor_start(assessor=assessor, consented=True)
                assignment = work.assignment_next(assessor=assessor)
                if assignment is None:
                    if was_last:
                        return
                    time.sleep(0.01)
                    continue
                answer, stages = plausible(assignment)
                for _ in range(stages):
                    work.draft_save(assignment=assignment, revision=1, answer=answer, advance=True)
                key = uuid.uuid4()
                for _ in range(2):
                    work.judgment_submit(
                        assignment=assignment, client_key=key, revision=1, answer=answer, seconds=1
                    )
                acknowledged.append(key)
            except (Refused, OperationalError):
                continue  # said in words, and tried again, as the page does
            except Exception as fault:
                faults.append(fault)
                return
        faults.append(TimeoutError(pk))

    def now() -> Study:
        return Study.objects.get(pk=study.pk)

    def changes_everything() -> None:
        try:
            changes.study_texts_change(study=now(), instructions="Slowly.", consent="Ten years.")
            waves.study_extend(study=now(), study_file=more_documents(now(), "d7", "d8"))
            changes.study_pause(study=now(), message="A moment.")
            changes.study_resume(study=now())
            person = study.assessors.select_related("study").first()
            assessor_pause(assessor=person, message="You too.")
            assessor_resume(assessor=person)
            changes.study_rename(study=now(), slug="another")
            waves.study_extend(
                study=now(), study_file=more_documents(now(), tasks=(study_file(FEW).tasks[0],))
            )
            waves.overlap_raise(study=now(), to=2, task=now().tasks.get(name="second"))
            changes.study_texts_change(study=now(), instructions="Slowly, and well.", consent="Ten years.")
        except Exception as fault:
            faults.append(fault)
        finally:
            changed.append(True)

    people = list(study.assessors.values_list("pk", flat=True))
    at_once(changes_everything, *(lambda pk=pk: works(pk) for pk in people))
    assert not faults, faults

    stored = Judgment.objects.filter(assignment__assessor__study=study)
    assert sorted(stored.values_list("client_key", flat=True)) == sorted(acknowledged)
    assert study_progress(now()).left == 0
    # 8 documents × 2 systems once, and the second task twice.
    tasks = Counter(stored.values_list("assignment__subject__task__name", flat=True))
    assert tasks == {"quality": 16, "second": 32}
    twice = Counter(stored.values_list("assignment__subject", "assignment__assessor"))
    assert set(twice.values()) == {1}
    dealt = Assignment.objects.filter(assessor__study=study, subject__task__name="quality")
    loads = Counter(dealt.values_list("assessor", flat=True))
    assert max(loads.values()) - min(loads.values()) <= 1, loads
    systems = Counter(dealt.values_list("assessor", "subject__output__system__key"))
    assert max(systems.values()) - min(systems.values()) <= 1, systems
    rows = pd.DataFrame(judgment_rows(now()))
    seen = rows.groupby(["assessor", "position"])["text_version"].first()
    assert set(seen) <= {1, 2, 3}
    assert len(seen) == len(acknowledged)
    versions = dict(stored.values_list("client_key", "text_version"))
    assert Counter(versions.values()) == Counter(seen)

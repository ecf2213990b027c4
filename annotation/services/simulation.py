"""Play a study with plausible judgments, through the same services that the pages use."""

from __future__ import annotations

import hashlib
import random
import re
import uuid
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation.export import place_of
from annotation.models import Assessor, Assignment, Study, Task
from annotation.selectors.exhibits import config_of, exhibit_of, kind_of
from annotation.selectors.plan import next_phase
from annotation.services import work
from annotation.services.dealing import phase_open
from annotation.services.studies import study_open
from annotation.tasks.base import Text


def study_simulate(*, study: Study, seed: int) -> int:
    """Open a draft and let every assessor do everything there is to do; returns the number of judgments made, without practice."""
    if study.state == Study.State.DRAFT:
        study_open(study=study)
    made = _round(study, seed)
    while [task for task in study.tasks.all() if _next_phase(task)]:
        made += _round(study, seed)
    return made


def _next_phase(task: Task) -> bool:
    """Open the task's next phase, if it has one."""
    if next_phase(task) is None:
        return False
    phase_open(task=task)
    return True


def _round(study: Study, seed: int) -> int:
    made = 0
    assessors = list(study.assessors.select_related("study"))
    # Assessors take turns, as they would: in a pool nobody gets everything. A study is over when nobody has work.
    while assessors:
        still = []
        for assessor in assessors:
            with transaction.atomic():
                assignment = work.assignment_next(assessor=assessor)
                if assignment is not None:
                    _play(assignment, assessor, seed)
                    made += assignment.counts
                    still.append(assessor)
        assessors = still
    return made


def _play(assignment: Assignment, assessor: Assessor, seed: int) -> None:
    subject = assignment.subject
    task = subject.task
    kind, config, exhibit = kind_of(task), config_of(task), exhibit_of(subject)
    # A generator per assignment: the answer depends on what is judged, by whom and the seed, not on the order.
    rng = random.Random(f"{seed}/{task.name}/{assessor.name}/{assignment.position}")
    answer = kind.simulate(config, exhibit, quality=_quality(assignment, seed), rng=rng)
    sent = answer.model_dump(mode="json")
    seconds = round(rng.lognormvariate(3, 0.5), 1)
    Assignment.objects.filter(pk=assignment.pk).update(
        shown_at=timezone.now() - timedelta(seconds=seconds + 1)
    )
    for _ in range(kind.stages(config, exhibit)):
        work.draft_save(assignment=assignment, revision=1, answer=sent, advance=True)
    work.judgment_record(
        assignment=assignment,
        client_key=uuid.UUID(int=rng.getrandbits(128)),
        revision=1,
        answer=sent,
        seconds=seconds,
    )


def _quality(assignment: Assignment, seed: int) -> float:
    """How good a text is to simulated assessors: the more words it shares with a reference, the better.

    Without both texts it is a number of the system's own, always the same for the same seed.
    """
    exhibit = exhibit_of(assignment.subject)
    wanted = _words(exhibit.reference)
    if wanted and exhibit.output:
        return 0.1 + 0.8 * len(wanted & _words(exhibit.output)) / len(wanted)
    place = place_of(assignment.subject, exhibit)
    digest = hashlib.sha256(f"{seed}/{place.system or place.item}".encode()).digest()
    return 0.15 + 0.7 * int.from_bytes(digest[:4], "big") / 2**32


def _words(text: Text) -> set[str]:
    return set(re.findall(r"\w{3,}", " ".join([text.text, *text.units]).casefold()))

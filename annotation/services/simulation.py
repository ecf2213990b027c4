"""Play a study with plausible judgments, through the same services that the pages use."""

from __future__ import annotations

import hashlib
import random
import re
import uuid
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.export import place_of
from annotation.models import Assessor, Assignment, Study, Subject, Task
from annotation.selectors.exhibits import (
    Facts,
    answer_moved,
    exhibit_placed,
    exhibit_shown,
    facts_of,
    outputs_of,
)
from annotation.selectors.halts import halt_of
from annotation.selectors.plan import next_phase
from annotation.services import work
from annotation.services.audit import audit_write
from annotation.services.dealing import phase_open
from annotation.services.studies import study_open
from annotation.sets import is_by_unit
from annotation.tasks.terms import Exhibit, Text


def study_simulate(*, study: Study, seed: int) -> int:
    """Open a draft and let every assessor do everything there is to do; returns the number of judgments made, without practice."""
    if study.state == Study.State.DRAFT:
        study_open(study=study)
    made = _round(study, seed)
    while [task for task in study.tasks.all() if _next_phase(task)]:
        made += _round(study, seed)
    audit_write(study=study, action="judgments.simulate", after={"judgments": made, "seed": seed})
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
    checked = bool(study.checks)  # made-up people can fail, too
    # Assessors take turns, as they would: in a pool nobody gets everything. A study is over when nobody has work.
    while assessors:
        still = []
        for assessor in assessors:
            if checked:
                assessor.refresh_from_db(fields=["paused_at", "stopped_at"])
                if halt_of(assessor):
                    continue
            with transaction.atomic():
                assignment = work.assignment_next(assessor=assessor)
                if assignment is not None:
                    _play(assignment, assessor, seed)
                    made += assignment.counts
                    still.append(assessor)
        assessors = still
    return made


def _play(assignment: Assignment, assessor: Assessor, seed: int) -> None:
    facts, exhibit = facts_of(assignment), exhibit_shown(assignment)
    kind, config = facts.kind, facts.config
    # A generator per assignment: the answer depends on what is judged, by whom and the seed, not on the order.
    rng = random.Random(f"{seed}/{facts.task_name}/{assessor.name}/{assignment.position}")
    answer = _answer(assignment, facts, exhibit, seed, rng)
    sent = answer.model_dump(mode="json")
    seconds = round(rng.lognormvariate(3, 0.5), 1)
    Assignment.objects.filter(pk=assignment.pk).update(
        shown_at=timezone.now() - timedelta(seconds=seconds + 1)
    )
    draft = getattr(assignment, "draft", None)
    revision = draft.revision if draft else 1  # of practice that was not passed, the next
    if draft:  # a made-up answer begins with the first stage, however far somebody had come
        draft.delete()
    for _ in range(kind.stages(config, exhibit)):
        work.draft_save(assignment=assignment, revision=revision, answer=sent, advance=True)
    work.judgment_record(
        assignment=assignment,
        client_key=uuid.UUID(int=rng.getrandbits(128)),
        revision=revision,
        answer=sent,
        seconds=seconds,
    )


def _answer(assignment: Assignment, facts: Facts, exhibit: Exhibit, seed: int, rng: random.Random) -> Any:
    """Texts that stand at another place in each unit are judged in the order of the set, and the answer is moved."""
    stood = assignment.places
    simulated = list(range(len(facts.exhibit.outputs))) if is_by_unit(stood) else stood
    shown = exhibit_placed(facts.exhibit, simulated) if is_by_unit(stood) else exhibit
    qualities = _qualities(assignment, facts, shown, seed)
    answer = facts.kind.simulate(facts.config, shown, facts.record, qualities=qualities, rng=rng)
    return answer_moved(facts, answer, simulated, stood) if is_by_unit(stood) else answer


def _qualities(assignment: Assignment, facts: Facts, exhibit: Exhibit, seed: int) -> list[float]:
    """How good the texts are to simulated assessors, place by place; one number if there is none.

    The more words a text shares with a reference, the better. Without both texts it is a number of the system's own, always
    the same for the same seed.
    """
    wanted = _words(exhibit.reference)
    if wanted and exhibit.outputs:
        return [0.1 + 0.8 * len(wanted & _words(output)) / len(wanted) for output in exhibit.outputs]
    return [_fixed(name, seed) for name in _names(assignment, facts)]


def _names(assignment: Assignment, facts: Facts) -> list[str]:
    """Whose texts stand at the places; what nobody wrote goes by its item."""
    subject = Subject.objects.select_related("output__system").get(pk=assignment.subject_id)
    texts = [same[0].system.key for same in outputs_of(subject)]
    if is_by_unit(assignment.places):
        return texts
    if assignment.places:
        return [texts[index] for index in assignment.places]
    place = place_of(facts, texts[0] if texts else "")
    return [place.system or place.item]


def _fixed(name: str, seed: int) -> float:
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    return 0.15 + 0.7 * int.from_bytes(digest[:4], "big") / 2**32


def _words(text: Text) -> set[str]:
    return set(re.findall(r"\w{3,}", " ".join([text.text, *text.units]).casefold()))

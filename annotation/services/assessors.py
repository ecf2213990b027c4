"""Assessors: their personal links, and how they enter a study."""

from __future__ import annotations

import hashlib
import itertools
import secrets

from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Refused
from annotation.models import Assessor, Assignment, Flag, Study
from annotation.services import dealing
from annotation.study_files.schema import AssessorRow

CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # nothing that is easily misread


def token_hash(token: str) -> str:
    """What is stored of a link's token: a token has 256 random bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def assessor_create(*, study: Study, name: str, group: str = "", author: str = "") -> Assessor:
    """Add an assessor; in an open study with what newcomers get."""
    # One at a time: two newcomers must not get the same pseudonym, nor the place of the same person.
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True), fields=["state"])
    name, group, author = name.strip(), group.strip(), author.strip()
    if not name:
        raise Refused("An assessor needs a name.")
    try:
        AssessorRow(name=name, group=group, author=author)
    except ValidationError as problem:
        raise Refused(f"“{name[:40]}” cannot be used: {problem.errors()[0]['msg']}.") from problem
    if study.assessors.filter(name=name).exists():
        raise Refused(f"There is an assessor “{name}” already.")
    assessor = Assessor.objects.create(
        study=study,
        name=name,
        pseudonym=_pseudonym(study),
        group=group,
        author=author,
        completion_code="".join(secrets.choice(CODE_ALPHABET) for _ in range(10)),
    )
    if study.state == Study.State.OPEN:
        dealing.assignments_welcome(assessor=assessor)
    return assessor


def _pseudonym(study: Study) -> str:
    """The next of A01, A02 …; that of somebody who was removed may come again, since nobody knows it yet."""
    taken = set(study.assessors.values_list("pseudonym", flat=True))
    return next(name for number in itertools.count(1) if (name := f"A{number:02d}") not in taken)


@transaction.atomic
def assessor_remove(*, assessor: Assessor) -> None:
    """Take somebody out of a draft. Later the link can be revoked, but what was dealt or judged stays."""
    if assessor.study.state != Study.State.DRAFT or assessor.assignments.exists():
        raise Refused(f"{assessor.name} has work in this study already. Revoke the link instead.")
    assessor.delete()


def assessor_link(*, assessor: Assessor) -> str:
    """Make a new personal link and return its token; an earlier link stops working."""
    token = secrets.token_urlsafe(32)
    assessor.token_hash = token_hash(token)
    assessor.token_made_at = timezone.now()
    assessor.save(update_fields=["token_hash", "token_made_at"])
    return token


@transaction.atomic
def assessor_revoke(*, assessor: Assessor) -> None:
    """The link stops working at once, also in browsers where it was opened, and what is undone is handed on."""
    assessor.token_hash = None
    assessor.save(update_fields=["token_hash"])
    leased = assessor.assignments.filter(state=Assignment.State.OPEN, lease_ends_at__isnull=False)
    leased.update(lease_ends_at=timezone.now())


def assessor_start(*, assessor: Assessor, consented: bool) -> None:
    """The assessor has read the instructions and, if the study asks, consented."""
    if assessor.study.consent and not consented:
        raise Refused("Please tick the box if you agree; without it you cannot take part.")
    if assessor.started_at is None:
        assessor.started_at = timezone.now()
        assessor.save(update_fields=["started_at"])


def flag_raise(*, assessor: Assessor, comment: str, assignment: Assignment | None = None) -> Flag:
    """Tell the experimenter about a broken item, or anything else."""
    comment = comment.strip()
    if not comment:
        raise Refused("Write a few words first.")
    return Flag.objects.create(assessor=assessor, assignment=assignment, comment=comment[:5000])


def flag_settle(*, flag: Flag) -> None:
    flag.settled_at = timezone.now()
    flag.save(update_fields=["settled_at"])

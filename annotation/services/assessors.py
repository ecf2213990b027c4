"""Assessors: their personal links, and how they enter a study."""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Closed, Refused
from annotation.models import Assessor, Assignment, AuditEntry, Flag, Study
from annotation.selectors.plan import welcome_read_ahead
from annotation.selectors.versions import text_changes
from annotation.services import dealing
from annotation.services.audit import audit_write
from annotation.services.exclusions import assignments_wait, newcomers_settle
from annotation.services.links import links_make, person_wait
from annotation.study_files.schema import AssessorRow
from annotation.words import gettext, phrase

PSEUDONYM = re.compile(r"A\d{2,15}")
MOST_FLAGS = 100  # on one item, or without one
SENT_AGAIN = timedelta(minutes=5)  # the same words in this time were sent again, as their answer was lost
CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # nothing that is easily misread


def assessor_create(*, study: Study, name: str, group: str = "", author: str = "") -> Assessor:
    """Add an assessor; in an open study with what newcomers get."""
    return assessors_add(study=study, names=[name], group=group, author=author)[0]


def assessors_add(*, study: Study, names: Sequence[str], group: str = "", author: str = "") -> list[Assessor]:
    """Add assessors of one group: all of them or none."""
    rows = [_row(name.strip(), group.strip(), author.strip()) for name in names]
    welcome_read_ahead(study)
    return assessors_create(study=study, rows=rows)


def _row(name: str, group: str, author: str) -> AssessorRow:
    if not name:
        raise Refused(phrase("An assessor needs a name."))
    try:
        return AssessorRow(name=name, group=group, author=author)
    except ValidationError as problem:
        raise Refused(
            phrase("“{name}” cannot be used: {errors}.", name=name[:40], errors=problem.errors()[0]["msg"])
        ) from problem


@transaction.atomic
def assessors_create(*, study: Study, rows: Sequence[AssessorRow]) -> list[Assessor]:
    """Add assessors whose names differ from each other."""
    # One at a time: two newcomers must not get the same pseudonym, nor the place of the same person.
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True), fields=["state"])
    known = list(study.assessors.order_by("pk"))
    _refuse_clashes(study, rows, known)
    new = [
        Assessor(
            study=study,
            **row.model_dump(),
            completion_code="".join(secrets.choice(CODE_ALPHABET) for _ in range(10)),
        )
        for row in rows
    ]
    _pseudonyms_give(study, [*known, *new])
    for assessor in new:
        assessor.save()
    if study.state == Study.State.OPEN:
        dealing.assignments_welcome(assessors=new)
        newcomers_settle(assessors=new)
    if new:
        audit_write(study=study, action="assessor.add", **_people(new))
    return new


def _people(assessors: Sequence[Assessor]) -> dict[str, Any]:
    """Under their pseudonyms: whoever is erased must not stay in the trail by name."""
    if len(assessors) == 1:
        return {"target": f"assessor {assessors[0].pseudonym}"}
    listed = [assessor.pseudonym for assessor in assessors]
    return {"target": f"{len(listed)} assessors", "after": {"assessors": listed}}


def _refuse_clashes(study: Study, rows: Sequence[AssessorRow], known: Sequence[Assessor]) -> None:
    """Once pseudonyms are known, nobody new may have a name or an author id that is one."""
    names = {other.name for other in known}
    given = {other.pseudonym for other in known} if study.state != Study.State.DRAFT else set()
    for row in rows:
        if row.name in names:
            raise Refused(phrase("There is an assessor “{name}” already.", name=row.name))
        for pseudonym in given & {row.name, row.author}:
            raise Refused(
                phrase(
                    "“{pseudonym}” is what exports call another assessor. Choose another name or author id.",
                    pseudonym=pseudonym,
                )
            )


def names_in_texts(study: Study) -> set[str]:
    """Who wrote texts of the study, people and systems: nobody gets one of these as a pseudonym."""
    texts = (study.outputs, study.references, study.questions)
    authors = {author for rows in texts for (author,) in rows.order_by().values_list("author").distinct()}
    return authors.union(study.systems.values_list("key", flat=True))


def _pseudonyms_give(study: Study, people: Sequence[Assessor]) -> None:
    """Pseudonyms follow the order of the people, so that the study file gives the same ones again.

    In a draft nobody knows them yet and they may still move; later those that are given stay, also with whoever is erased:
    the history and files that were exported before mean that person.
    """
    authors = names_in_texts(study)
    moving = people
    if study.state != Study.State.DRAFT:
        moving = [row for row in people if not row.pseudonym]
        authors.update(
            word for row in people for word in (row.name, row.author, row.pseudonym) if row.pseudonym
        )
        authors.update(_erased(study))
    names = pseudonyms([(row.name, row.author) for row in moving], authors)
    movable = [(row, name) for row, name in zip(moving, names, strict=True) if row.pseudonym != name]
    stored = [row.pk for row, _ in movable if row.pk]
    # All that move step aside first: two people must not have the same one even for a moment.
    Assessor.objects.filter(pk__in=stored).update(pseudonym=Concat(Value("-"), Cast("pk", CharField())))
    for row, name in movable:
        row.pseudonym = name
        if row.pk:
            row.save(update_fields=["pseudonym"])


def _erased(study: Study) -> Iterable[str]:
    rows = AuditEntry.objects.filter(chain=study.pk, action="assessor.erase").values_list("target", flat=True)
    return (target.removeprefix("assessor ") for target in rows)


def pseudonyms(people: Sequence[tuple[str, str]], others: Collection[str]) -> list[str]:
    """A01, A02 … for people (name, author), none of which means somebody else.

    Exports have pseudonyms where authors and systems stand too (``others`` has those of texts). Whoever is named like a
    pseudonym gets that one, as in a table of judgments that was made elsewhere.
    """
    authors = {author for _, author in people} | set(others)
    taken = authors | {name for name, _ in people}
    free = (name for number in itertools.count(1) if (name := f"A{number:02d}") not in taken)
    return [name if PSEUDONYM.fullmatch(name) and name not in authors else next(free) for name, _ in people]


@transaction.atomic
def assessor_remove(*, assessor: Assessor) -> None:
    """Take somebody out of a draft. Later the link can be revoked, but what was dealt or judged stays."""
    person_wait(assessor)
    if assessor.study.state != Study.State.DRAFT or assessor.assignments.exists():
        raise Refused(
            phrase("{name} has work in this study already. Revoke the link instead.", name=assessor.name)
        )
    told = _people([assessor])
    assessor.delete()
    _pseudonyms_give(assessor.study, list(assessor.study.assessors.order_by("pk")))
    audit_write(study=assessor.study, action="assessor.remove", **told)


def assessor_link(*, assessor: Assessor) -> str:
    """Make a new personal link and return its token; an earlier link stops working."""
    return assessor_links(assessors=[assessor])[0][1]


@transaction.atomic
def assessor_links(*, assessors: Iterable[Assessor]) -> list[tuple[Assessor, str]]:
    """A new personal link for each, as its token: all of them or none."""
    people = list(assessors)
    if not people:
        return []
    tokens = links_make(people)
    audit_write(study=people[0].study, action="assessor.link", **_people(people))
    return list(zip(people, tokens, strict=True))


@transaction.atomic
def assessor_revoke(*, assessor: Assessor) -> None:
    """The link stops working at once, also in browsers where it was opened, and what is undone is handed on."""
    Study.objects.select_for_update(no_key=True).get(pk=assessor.study_id)
    # Before the person: a submit has locked one of them, and then wants the person, too.
    assignments_wait(assessor)
    person_wait(assessor)
    assessor.token_hash = None
    assessor.save(update_fields=["token_hash"])
    leased = assessor.assignments.filter(state=Assignment.State.OPEN, lease_ends_at__isnull=False)
    leased.update(lease_ends_at=timezone.now())
    audit_write(study=assessor.study, action="assessor.revoke", **_people([assessor]))


@transaction.atomic
def assessor_start(*, assessor: Assessor, consented: bool, version: int | None = None) -> None:
    """The assessor has read the instructions and, if the study asks, consented.

    ``version`` is the one that was on the page; a newer one may have come meanwhile, and is shown next.
    """
    study = assessor.study
    read = min(version or study.text_version, study.text_version)
    first = assessor.started_at is None
    asks = (study.consent and not assessor.consented_at) if first else text_changes(assessor).asks_consent
    if asks and not consented:
        raise Refused(gettext("Please tick the box if you agree; without it you cannot take part."))
    if first or assessor.text_version < read:
        assessor.started_at = assessor.started_at or timezone.now()
        assessor.text_version = read
        assessor.save(update_fields=["started_at", "text_version"])
        told = {"texts": read, **({"consent": True} if asks else {})}
        audit_write(study=study, action="assessor.start", **_people([assessor]), after=told)


def notice_read(*, assessor: Assessor) -> None:
    """It was shown; once is enough. The object keeps it for the page."""
    Assessor.objects.filter(pk=assessor.pk).update(notice="")


def flag_raise(*, assessor: Assessor, comment: str, assignment: Assignment | None = None) -> Flag:
    """Tell the experimenter about a broken item, or anything else, or answer what they have answered."""
    comment = comment.strip()
    if not comment:
        raise Refused(gettext("Write a few words first."))
    try:
        with transaction.atomic():
            still = Assessor.objects.filter(pk=assessor.pk, pseudonym=assessor.pseudonym)
            if not still.select_for_update(
                no_key=True
            ).exists():  # erased a moment ago: nothing of them may come after
                raise Closed(gettext("This study has been taken away."))
            said = Flag.objects.filter(assessor=assessor, assignment=assignment)
            recent = said.filter(made_at__gt=timezone.now() - SENT_AGAIN, settled_at=None)
            if again := recent.filter(comment=comment[:5000]).first():
                return again
            if said.count() >= MOST_FLAGS:
                raise Refused(gettext("Enough has been said here. Reach the experimenter in another way."))
            flag = Flag.objects.create(assessor=assessor, assignment=assignment, comment=comment[:5000])
            where = f"/{assignment.position}" if assignment else ""
            audit_write(
                study=assessor.study,
                action="flag.raise",
                target=f"thread {assessor.pseudonym}{where}",
                after={"characters": len(flag.comment)},
            )
            return flag
    except IntegrityError:
        raise Closed(gettext("This study has been taken away.")) from None

"""Changing a study that exists: its name, texts, deadline; pausing, archiving, renaming and copying it.

What would break results is refused: the design, the seed, the language and texts under judgment stay as they are. More
of them is a wave (``services/waves.py``).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from pydantic import TypeAdapter, ValidationError

from annotation.actors import actor
from annotation.errors import Refused
from annotation.models import Assessor, SlugAlias, Study, StudyText
from annotation.overtaken import refuse_overtaken
from annotation.selectors.files import study_as_file
from annotation.services.audit import audit_write
from annotation.services.persons import ERASED
from annotation.services.studies import SLUG_UNUSABLE, study_import
from annotation.study_files.schema import Line, Slug
from annotation.words import phrase

LONGEST_TEXT = 200_000  # of instructions or consent
LAST_YEAR = 9000  # a moment at the end of year 9999 is in no year elsewhere


def _lock(study: Study) -> None:
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))


@transaction.atomic
def study_change(*, study: Study, given: dict[str, Any]) -> None:
    """Some of its details and texts at once: all of it or nothing. What is not given stays as it is at this moment, whoever has just
    changed it.
    """
    _lock(study)

    def now(*fields: str) -> dict[str, Any]:
        return {field: given.get(field, getattr(study, field)) for field in fields}

    study_details_change(study=study, **now("name", "contact", "deadline_at"))
    study_texts_change(study=study, **now("instructions", "consent"))


# --- name, contact, deadline --------------------------------------------------------------------------------------


@transaction.atomic
def study_details_change(
    *, study: Study, name: str, contact: str, deadline_at: datetime | None = None, seen: str | None = None
) -> None:
    """Name and contact are words; after the deadline nothing more is handed out. ``seen``: the fingerprint of ``details_of`` before."""
    _lock(study)
    refuse_overtaken(details_of(study), seen)
    new = {"name": _line(name, "name"), "contact": _line(contact, "contact"), "deadline_at": deadline_at}
    if not new["name"]:
        raise Refused(phrase("A study needs a name."))
    if deadline_at and deadline_at.year > LAST_YEAR:
        raise Refused(phrase("The deadline is too far away: no calendar has it."))
    if deadline_at and deadline_at != study.deadline_at and deadline_at <= timezone.now():
        raise Refused(phrase("The deadline is past. Give one to come, or close the study."))
    before = {field: getattr(study, field) for field, value in new.items() if getattr(study, field) != value}
    if not before:
        return
    for field in before:
        setattr(study, field, new[field])
    study.save(update_fields=list(before))
    audit_write(
        study=study, action="study.change", before=before, after={field: new[field] for field in before}
    )


def details_of(study: Study) -> list[str]:
    return [study.name, study.contact, study.deadline_at.isoformat() if study.deadline_at else ""]


def _line(value: str, field: str) -> str:
    value = value.strip()
    try:
        TypeAdapter(Line).validate_python(value)
    except ValidationError as problem:
        raise Refused(
            phrase(
                "The {field} {removeprefix}.",
                field=field,
                removeprefix=problem.errors()[0]["msg"].removeprefix("Value error, "),
            )
        ) from None
    if len(value) > 200:
        raise Refused(phrase("The {field} may have 200 characters.", field=field))
    return value


# --- instructions and consent -------------------------------------------------------------------------------------


@transaction.atomic
def study_texts_change(*, study: Study, instructions: str, consent: str, seen: str | None = None) -> bool:
    """A new version, which assessors see before they go on; in a draft the same version. False: nothing has changed.

    ``seen``: the fingerprint of ``texts_of`` before.
    """
    _lock(study)
    refuse_overtaken(texts_of(study), seen)
    new = [
        text.replace("\r\n", "\n").strip() + "\n" if text.strip() else "" for text in (instructions, consent)
    ]
    if any(len(text) > LONGEST_TEXT for text in new):
        raise Refused(phrase("A text may have {longest_text} characters.", longest_text=f"{LONGEST_TEXT:,}"))
    old = texts_of(study)
    # Space at the ends is no change: nobody is shown, or asked for, the same words again.
    new = [was if was.strip() == text.strip() else text for was, text in zip(old, new, strict=True)]
    if new == old:
        return False
    before = study.text_version
    if study.state != Study.State.DRAFT:
        _version_keep(study)
        study.text_version += 1
    study.instructions, study.consent = new
    study.save(update_fields=["instructions", "consent", "text_version"])
    if study.state != Study.State.DRAFT:
        _version_keep(study)
        # Whoever has not begun reads the newest version first, and nothing else.
        waiting = Assessor.objects.filter(study=study, started_at=None)
        waiting.update(text_version=study.text_version)
        if new[1] != old[1]:
            waiting.update(consented_at=None)  # when they joined they agreed to another one
    changed = {"instructions": new[0] != old[0], "consent": new[1] != old[1]}
    audit_write(
        study=study,
        action="study.texts",
        before={"version": before},
        after={"version": study.text_version} | changed,
    )
    return True


def texts_of(study: Study) -> list[str]:
    return [study.instructions, study.consent]


def _version_keep(study: Study) -> None:
    """The present version has a row of its own."""
    StudyText.objects.get_or_create(
        study=study,
        number=study.text_version,
        defaults={
            "instructions": study.instructions,
            "consent": study.consent,
            "made_at": (study.opened_at or study.created_at) if study.text_version == 1 else timezone.now(),
            "made_by": actor(),
        },
    )


# --- pausing, archiving -------------------------------------------------------------------------------------------


@transaction.atomic
def study_pause(*, study: Study, message: str) -> None:
    """Nothing more is handed out, and assessors read the message; what they have on the screen can be sent."""
    _lock(study)
    if study.state != Study.State.OPEN:
        raise Refused(phrase("Only an open study can be paused."))
    message = " ".join(message.split())
    if len(message) > 500:
        raise Refused(phrase("The message may have 500 characters."))
    study.paused_at = study.paused_at or timezone.now()
    study.pause_message = message
    study.save(update_fields=["paused_at", "pause_message"])
    audit_write(study=study, action="study.pause", after={"message": message})


@transaction.atomic
def study_resume(*, study: Study) -> None:
    _lock(study)
    if study.paused_at is None:
        raise Refused(phrase("The study is not paused."))
    study.paused_at, study.pause_message = None, ""
    study.save(update_fields=["paused_at", "pause_message"])
    audit_write(study=study, action="study.resume")


@transaction.atomic
def study_archive(*, study: Study) -> None:
    """Out of the way in the list; nothing else changes."""
    _lock(study)
    if study.state == Study.State.OPEN:
        raise Refused(phrase("The study is open: people can work in it. Close it first."))
    if study.archived_at is None:
        study.archived_at = timezone.now()
        study.save(update_fields=["archived_at"])
        audit_write(study=study, action="study.archive")


@transaction.atomic
def study_unarchive(*, study: Study) -> None:
    _lock(study)
    if study.archived_at is not None:
        study.archived_at = None
        study.save(update_fields=["archived_at"])
        audit_write(study=study, action="study.unarchive")


# --- slug, copies -------------------------------------------------------------------------------------------------


@transaction.atomic
def study_rename(*, study: Study, slug: str) -> None:
    """Another slug; addresses with the old one lead on."""
    _lock(study)
    old, slug = study.slug, _slug(slug)
    if slug == old:
        return
    taken = Study.objects.filter(slug=slug).exists()
    if taken or SlugAlias.objects.filter(slug=slug).exclude(study=study).exists():
        raise Refused(SLUG_UNUSABLE.format(slug))
    try:
        with transaction.atomic():
            SlugAlias.objects.filter(slug=slug).delete()
            SlugAlias.objects.create(slug=old, study=study)
            study.slug = slug
            study.save(update_fields=["slug"])
    except IntegrityError:  # somebody else has just taken it
        study.slug = old
        raise Refused(SLUG_UNUSABLE.format(slug)) from None
    audit_write(study=study, action="study.rename", before={"slug": old}, after={"slug": slug})


def _slug(slug: str) -> str:
    try:
        return TypeAdapter(Slug).validate_python(slug.strip())
    except ValidationError:
        raise Refused(
            phrase("A slug has small letters, digits, - and _, and begins with a letter or digit.")
        ) from None


def study_duplicate(*, study: Study, owner: User | None, slug: str, name: str, people: bool) -> Study:
    """A draft with the same texts, tasks and design, and the same people if wanted; no judgments, no links.

    Whoever was erased is nobody, and gets no work. Check items that were made of what people had in their hands are made anew.
    """
    copied = study_as_file(study)
    erased = set(study.assessors.filter(pseudonym__startswith=f"{ERASED}-").values_list("name", flat=True))
    somebody = tuple(row for row in copied.assessors if row.name not in erased)
    copy = replace(
        copied,
        slug=_slug(slug),
        name=_line(name, "name") or copied.name,
        controls=tuple(row for row in copied.controls if not row.made),
        assessors=somebody if people else (),
    )
    return study_import(study_file=copy, owner=owner)

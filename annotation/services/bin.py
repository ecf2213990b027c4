"""The bin: a study that was deleted can be brought back for a while, judgments, links and all; then it is gone for good."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import Assignment, Study
from annotation.services.audit import audit_write
from annotation.services.removal import study_remove
from annotation.services.runs import files_discard
from annotation.words import phrase


@transaction.atomic
def study_bin(*, study: Study, by: str) -> None:
    """Into the bin: hidden everywhere, closed to assessors, its slug free again."""
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
    if study.deleted_at is not None:
        raise Refused(phrase("The study is in the bin already."))
    # Whoever is submitting at this moment has the assignment locked: wait for them, so that nothing acknowledged is missed.
    # What somebody has given up is not waited for: who gets it again has what they submit locked, too.
    rows = Assignment.objects.select_for_update(no_key=True, of=("self",)).filter(assessor__study=study)
    list(rows.exclude(state=Assignment.State.ABANDONED).order_by("pk").values_list("pk"))
    study.deleted_at, study.deleted_by, study.deleted_slug = timezone.now(), by[:200], study.slug
    audit_write(study=study, action="study.delete", before={"name": study.name})
    study.slug = f"-deleted-{study.pk}"  # which nobody can choose: a slug begins with a letter or digit
    study.aliases.all().delete()
    study.save(update_fields=["deleted_at", "deleted_by", "deleted_slug", "slug"])


@transaction.atomic
def study_restore(*, study: Study) -> None:
    """Out of the bin, as it was; under another slug if its own is taken."""
    study.refresh_from_db(from_queryset=Study.objects.select_for_update())
    if study.deleted_at is None:
        raise Refused(phrase("The study is not in the bin."))
    slug = study.deleted_slug
    if Study.objects.filter(slug=slug).exists():
        slug = f"{slug[:60]}-restored-{study.pk}"
    study.slug = slug
    study.deleted_at, study.deleted_by, study.deleted_slug = None, "", ""
    study.save(update_fields=["deleted_at", "deleted_by", "deleted_slug", "slug"])
    audit_write(study=study, action="study.restore", after={"slug": slug})


def bin_empty() -> int:
    """Studies that have been in the bin long enough go for good, with their reports; returns how many."""
    over = timezone.now() - timedelta(days=settings.BIN_DAYS)
    gone = list(Study.objects.filter(deleted_at__lt=over))
    purged = 0
    for study in gone:
        with suppress(
            Refused, Study.DoesNotExist
        ):  # somebody has just brought it back, or emptied the bin, too
            study_purge(study=study)
            purged += 1
    return purged


def study_purge(*, study: Study) -> None:
    """For good. Only the line in the audit trail stays."""
    runs = list(study.runs.all())
    with transaction.atomic():
        study.refresh_from_db(from_queryset=Study.objects.select_for_update())
        if study.deleted_at is None:
            raise Refused(phrase("Only a study in the bin can be deleted for good."))
        audit_write(
            study=study, action="study.purge", before={"name": study.name, "slug": study.deleted_slug}
        )
        study_remove(study=study)
    for run in runs:
        files_discard(run=run)

"""What commands share."""

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from annotation.actors import actor_set
from annotation.management.health import database_refuse_other_version
from annotation.models import Study

COMMAND_LINE = "command line"


def database_or_error(*, any_version: bool = False) -> None:
    """Whoever has another data folder in mind should be told where this command looks. From here on the command acts."""
    actor_set(COMMAND_LINE)
    try:
        tables = connection.introspection.table_names()
    except DatabaseError as problem:
        reason = str(problem).strip().splitlines()[0]
        raise CommandError(
            f"The database cannot be used: {reason}. Is it the one that you mean?"
        ) from problem
    if Study._meta.db_table not in tables:
        raise CommandError(
            f"There is no database in {settings.DATA_DIR} yet. If your data are elsewhere, set TOUCHSTONE_DATA (and "
            f"PORT) as for “{settings.RUN_COMMAND}”; else begin with “{settings.RUN_COMMAND}”, or with "
            f"“{settings.MANAGE_COMMAND} migrate”."
        )
    if not any_version:
        database_refuse_other_version()


def study_or_error(slug: str) -> Study:
    database_or_error()
    study = Study.objects.filter(slug=slug, deleted_at=None).first()
    if study is None:
        known = ", ".join(Study.objects.filter(deleted_at=None).values_list("slug", flat=True)[:20]) or "none"
        raise CommandError(f"There is no study “{slug}”. There are: {known}.")
    return study

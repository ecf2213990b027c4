"""What commands share."""

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from annotation.models import Study


def database_or_error() -> None:
    """Whoever has another data folder in mind should be told where this command looks."""
    if Study._meta.db_table not in connection.introspection.table_names():
        raise CommandError(
            f"There is no database in {settings.DATA_DIR} yet. If your data are elsewhere, set TOUCHSTONE_DATA (and "
            f"PORT) as for “{settings.RUN_COMMAND}”; else begin with “{settings.RUN_COMMAND}”, or with "
            f"“{settings.MANAGE_COMMAND} migrate”."
        )


def study_or_error(slug: str) -> Study:
    database_or_error()
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none"
        raise CommandError(f"There is no study “{slug}”. There are: {known}.")
    return study

"""Judgments become visible in the order of their numbers.

Whoever reads on after the last judgment that they have seen (pages of the API, reports that ask what is new) relies on
it. A number is given when a row is written, and a transaction that began earlier may be committed later; so those who
write judgments of one study take turns from there on. On SQLite they do anyway.
"""

from __future__ import annotations

from django.db import connection

from annotation.models import Study

LOCK = 1_147_236  # tells these locks from others in the same database


def judgments_in_turn(study: Study) -> None:
    """Wait until nobody else has judgments of this study that are written and not yet committed."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK, study.pk])

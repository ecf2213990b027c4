"""The audit trail, read: by study, action and person, and checked link by link."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import AuditEntry, Study
from annotation.models.audit import FIRST

CHUNK = 2000
SERVER = 0  # the chain of what belongs to no study
AUDIT_COLUMNS = ["number", "at", "actor", "action", "target", "before", "after", "study", "previous", "hash"]


def audit_rows(study: Study, *, action: str = "", actor: str = "", search: str = "") -> QuerySet[AuditEntry]:
    """The trail of a study, newest first. ``action`` is a whole one or its first part (``assessor``)."""
    return _filtered(study.pk, action, actor, search)


def server_rows(*, action: str = "", actor: str = "", search: str = "") -> QuerySet[AuditEntry]:
    """The trail of what belongs to no study: accounts, tokens, backups."""
    return _filtered(SERVER, action, actor, search)


def _filtered(chain: int, action: str, actor: str, search: str) -> QuerySet[AuditEntry]:
    rows = AuditEntry.objects.filter(chain=chain).order_by("-number")
    if action:
        rows = rows.filter(action__startswith=action)
    if actor:
        rows = rows.filter(actor=actor)
    if search:
        rows = rows.filter(target__icontains=search)
    return rows


def audit_actions(study: Study) -> list[str]:
    rows = AuditEntry.objects.filter(chain=study.pk).order_by("action")
    return list(rows.values_list("action", flat=True).distinct())


def audit_actors(study: Study) -> list[str]:
    rows = AuditEntry.objects.filter(chain=study.pk).order_by("actor")
    return list(rows.values_list("actor", flat=True).distinct())


def server_values(field: str) -> list[str]:
    """What the filters of the server's trail offer: every ``action`` or ``actor`` in it."""
    rows = AuditEntry.objects.filter(chain=SERVER).order_by(field)
    return list(rows.values_list(field, flat=True).distinct())


def audit_lines(study: Study | None) -> Iterator[dict[str, Any]]:
    """The trail as rows of a file, from the first; None: that of the server."""
    chain = study.pk if study else SERVER
    for row in AuditEntry.objects.filter(chain=chain).order_by("number").iterator(CHUNK):
        changed = {
            name: "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
            for name, value in (("before", row.before), ("after", row.after))
        }
        yield {name: getattr(row, name) for name in AUDIT_COLUMNS} | changed


@dataclass(frozen=True)
class Verified:
    """The result of a check. ``broken``: the first row that is not as it was written, and why; ``heads``: the last
    hash of each chain, which kept elsewhere shows whether the end of a trail was cut off."""

    rows: int
    broken: AuditEntry | None
    why: str
    heads: dict[int, str]


def audit_verified(expect: Sequence[tuple[str, str]] = ()) -> Verified:
    """Follow the chains from their first row. ``expect``: hashes that each chain must still hold, kept elsewhere."""
    rows = AuditEntry.objects.order_by("chain", "number")
    heads: dict[int, str] = {}
    chain, number, previous, count = None, 0, FIRST, 0
    for row in rows.iterator(CHUNK):
        if row.chain != chain:
            chain, number, previous = row.chain, 0, FIRST
        count += 1
        if why := _broken(row, number + 1, previous):
            return Verified(count, row, why, heads)
        number, previous = row.number, row.hash
        heads[row.chain] = row.hash
    for name, digest in expect:
        known = name.isdecimal() and AuditEntry.objects.filter(chain=int(name), hash=digest).exists()
        if not known:
            return Verified(count, None, f"chain {name} no longer holds {digest}", heads)
    return Verified(count, None, "", heads)


def _broken(row: AuditEntry, number: int, previous: str) -> str:
    if row.number != number:
        return f"row {number} is missing before it"
    if row.previous != previous:
        return "it does not follow the row before it"
    if row.hash != row.digest():
        return "it was changed after it was written"
    return ""

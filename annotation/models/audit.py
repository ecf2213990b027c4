"""The audit trail: who did what when. Rows are added, never changed, and each holds the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import models

from annotation.errors import Refused

FIRST = "0" * 64  # what stands where no row is before


class AuditEntry(models.Model):
    """One change. A chain of hashes per study, and one (``chain`` 0) for what belongs to no study.

    ``chain`` is the study's number and no foreign key: the trail outlives the study.
    """

    chain = models.BigIntegerField(default=0)
    number = models.PositiveIntegerField()  # within the chain, from 1 without a gap
    study = models.CharField(max_length=80, blank=True)  # its slug at the time
    at = models.DateTimeField()
    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=60)  # such as "assessor.exclude"
    target = models.CharField(max_length=300, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["chain", "number"]
        constraints = [models.UniqueConstraint(fields=["chain", "number"], name="audit_rows_are_numbered")]
        indexes = [models.Index(fields=["chain", "action"], name="audit_by_action")]

    def __str__(self) -> str:
        return f"{self.chain}/{self.number} {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Refused("The audit trail is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise Refused("The audit trail is never deleted.")

    def digest(self) -> str:
        """The hash that this row must have: of all that it says, and of the row before."""
        said: dict[str, Any] = {
            "chain": self.chain,
            "number": self.number,
            "study": self.study,
            "at": self.at.isoformat(timespec="microseconds"),
            "actor": self.actor,
            "action": self.action,
            "target": self.target,
            "before": self.before,
            "after": self.after,
            "previous": self.previous,
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

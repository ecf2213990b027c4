"""What an administrator does to the server itself."""

from __future__ import annotations

from django.db import transaction

from annotation.backups.schedule import backup_ask, backup_state
from annotation.errors import Refused
from annotation.services.audit import audit_write
from annotation.words import phrase


@transaction.atomic
def backup_request(*, by: str) -> None:
    """A backup as soon as the keeper comes to it: it may take minutes, and nobody waits for it."""
    state = backup_state()
    if state.running or state.asked:
        raise Refused(phrase("A backup is being made already."))
    backup_ask()
    audit_write(study=None, action="backup.request", target=f"experimenter {by}")

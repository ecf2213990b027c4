"""``audit_verify``: follow the audit trail; exit code 1 and the first broken row if it was changed."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.shared import database_or_error
from annotation.selectors.audit import audit_verified


class Command(BaseCommand):
    help = (
        "Check that no row of the audit trail was changed, taken out or put in. Keep the last hashes that it prints "
        "elsewhere: with --expect they show whether the end of a trail was cut off."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--expect", action="append", default=[], metavar="CHAIN:HASH", help="a hash printed before"
        )

    def handle(self, *, expect: list[str], **options: object) -> None:
        database_or_error()
        found = audit_verified(expect=[line.partition(":")[::2] for line in expect])
        if found.broken or found.why:
            self.stdout.write(f"BROKEN {found.broken or ''}: {found.why}")
            sys.exit(1)
        self.stdout.write(f"{found.rows} rows, all as they were written")
        for chain, digest in found.heads.items():
            self.stdout.write(f"{chain}:{digest}")

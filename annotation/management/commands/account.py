"""``account``: what an administrator does on the page of accounts, for when none can log in."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from annotation.actors import acting
from annotation.errors import Refused
from annotation.management.shared import database_or_error
from annotation.services.accounts import (
    account_active_set,
    account_administrator_set,
    account_unlock,
    reset_make,
)
from annotation.services.two_step import two_step_off


class Command(BaseCommand):
    help = "Look after an experimenter's account: a link to another password, unlock, two-step login off."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--link", action="store_true", help="print a link to choose another password")
        parser.add_argument("--unlock", action="store_true", help="forget wrong passwords")
        parser.add_argument("--two-step-off", action="store_true", help="let the password alone suffice")
        parser.add_argument("--administrator", action="store_true", help="let them look after accounts")
        parser.add_argument("--on", action="store_true", help="switch the account on")

    def handle(self, *, name: str, **options: bool) -> None:
        database_or_error()
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account “{name}”.")
        if not any(options[act] for act in ("link", "unlock", "two_step_off", "administrator", "on")):
            raise CommandError("Say what to do: --link, --unlock, --two-step-off, --administrator or --on.")
        with acting("command account"):
            try:
                if options["on"]:
                    account_active_set(user=user, active=True)
                if options["unlock"]:
                    account_unlock(user=user)
                if options["two_step_off"]:
                    two_step_off(user=user)
                if options["administrator"]:
                    account_administrator_set(user=user, administrator=True)
            except Refused as refused:
                raise CommandError(str(refused)) from None
            if options["link"]:
                path = reverse("account_reset", args=[reset_make(user=user)])
                self.stdout.write(f"{settings.PUBLIC_URL}{path}")

"""The second step of a login: set up, asked for, switched off."""

from __future__ import annotations

import base64
import secrets
import time

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation import totp
from annotation.errors import Refused
from annotation.models import TwoStep
from annotation.models.tokens import token_hash
from annotation.services.audit import audit_write
from annotation.words import phrase

RECOVERY_CODES = 10
RECOVERY_BYTES = 10  # 80 bits: a plain hash of it is not guessed back
RECOVERY_LENGTH = 16  # letters and digits


@transaction.atomic
def two_step_begin(*, user: User, anew: bool = False) -> str:
    """The secret to be typed into an app; until it is confirmed another one for each look at the page (``anew``).

    Whoever sat at an open browser before must not know the one that its owner will use.
    """
    row, is_new = TwoStep.objects.select_for_update().get_or_create(
        user=user, defaults={"secret": totp.secret_make()}
    )
    if row.confirmed_at:
        raise Refused(phrase("Two-step login is on. Switch it off first to set it up anew."))
    if anew and not is_new:
        row.secret = totp.secret_make()
        row.save(update_fields=["secret"])
    return row.secret


@transaction.atomic
def two_step_confirm(*, user: User, code: str) -> list[str]:
    """The app shows the right code: from now on a login asks for one. Returns the recovery codes, to be shown once."""
    row = TwoStep.objects.select_for_update().filter(user=user, confirmed_at=None).first()
    if row is None:
        raise Refused(phrase("There is nothing to confirm. Begin again."))
    counter = totp.counter_of(row.secret, plain(code), seconds=time.time())
    if counter is None:
        raise Refused(
            phrase(
                "This is not the code. Look whether the key was typed right and the clock of the device is."
            )
        )
    row.confirmed_at, row.last_counter = timezone.now(), counter
    codes = _new_codes(row)
    row.save()
    audit_write(study=None, action="account.two_step_on", target=f"experimenter {user.username}")
    return codes


@transaction.atomic
def two_step_check(*, user: User, code: str) -> str | None:
    """What the code was: ``app``, ``recovery``, or None if it is wrong. Each code is good once."""
    row = TwoStep.objects.select_for_update().filter(user=user, confirmed_at__isnull=False).first()
    if row is None:
        return None
    counter = totp.counter_of(row.secret, plain(code), seconds=time.time(), after=row.last_counter)
    if counter is not None:
        row.last_counter = counter
        row.save(update_fields=["last_counter"])
        return "app"
    hashed = token_hash(plain(code))
    if hashed not in row.recovery:
        return None
    row.recovery = [other for other in row.recovery if other != hashed]
    row.save(update_fields=["recovery"])
    audit_write(
        study=None,
        action="account.recovery_code",
        target=f"experimenter {user.username}",
        after={"left": len(row.recovery)},
    )
    return "recovery"


@transaction.atomic
def recovery_codes_renew(*, user: User) -> list[str]:
    """New recovery codes; those from before are good no more."""
    row = TwoStep.objects.select_for_update().filter(user=user, confirmed_at__isnull=False).first()
    if row is None:
        raise Refused(phrase("Two-step login is off."))
    codes = _new_codes(row)
    row.save(update_fields=["recovery"])
    audit_write(study=None, action="account.recovery_codes", target=f"experimenter {user.username}")
    return codes


@transaction.atomic
def two_step_off(*, user: User) -> None:
    """A login asks for the password alone."""
    removed, _ = TwoStep.objects.filter(user=user).delete()
    if not removed:
        raise Refused(phrase("Two-step login is off already."))
    audit_write(study=None, action="account.two_step_off", target=f"experimenter {user.username}")


def plain(code: str) -> str:
    """As it was made, however somebody has typed it: ``123 456``, ``ABCD-efgh``."""
    return "".join(character for character in code if character.isalnum()).upper()


def is_recovery_code(code: str) -> bool:
    """Whether this can be none of the six digits."""
    return len(plain(code)) == RECOVERY_LENGTH


def _new_codes(row: TwoStep) -> list[str]:
    codes = [base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode() for _ in range(RECOVERY_CODES)]
    row.recovery = [token_hash(code) for code in codes]
    return ["-".join(code[start : start + 4] for start in range(0, len(code), 4)) for code in codes]

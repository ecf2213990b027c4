"""Passwords that were printed, and are good for one login."""

from __future__ import annotations

import secrets

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.models import FirstPassword
from annotation.services.accounts import reset_links_end
from annotation.services.audit import audit_write


@transaction.atomic
def first_password_make(*, username: str) -> tuple[User, str]:
    """The first experimenter, who looks after the accounts, and a password to print: it is stored only hashed."""
    password = secrets.token_urlsafe(12)
    user = User.objects.create_user(username, password=password, is_superuser=True)
    FirstPassword.objects.create(user=user)
    audit_write(study=None, action="account.create", target=f"experimenter {username}")
    return user, password


@transaction.atomic
def first_password_use(*, user: User) -> bool:
    """The user has logged in; whether it was with a printed password, which is good no more from now on."""
    row = FirstPassword.objects.select_for_update().filter(user=user).first()
    if row is None:
        return False
    if row.used_at:
        # Used up before, and not replaced by its owner: somebody has set another on the server.
        row.delete()
        return False
    row.used_at = timezone.now()
    row.save(update_fields=["used_at"])
    user.set_unusable_password()
    user.save(update_fields=["password"])
    audit_write(study=None, action="account.first_login", target=f"experimenter {user.username}")
    return True


@transaction.atomic
def password_changed(*, user: User) -> None:
    """The form has set another password; links to another one end, and the trail says so."""
    reset_links_end(user=user)
    audit_write(study=None, action="account.password", target=f"experimenter {user.username}")

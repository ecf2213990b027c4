"""Experimenters' accounts: invited and let in by a link, reset by a link, unlocked, switched off.

A link goes by mail or by hand. It is good once, for some days, and only its hash is stored.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.actors import actor
from annotation.errors import Refused
from annotation.models import AccountLink, Membership, Study
from annotation.models.tokens import token_hash
from annotation.services.attempts import attempts_forget
from annotation.services.audit import audit_write
from annotation.services.studies import invitations_end, membership_set
from annotation.words import phrase

log = logging.getLogger(__name__)

INVITATION_DAYS = 14
RESET_HOURS = 24
INVITED = """Hello,

you are invited to Touchstone{study}, where people judge texts and experimenters see what comes of it. Choose a name and a password here:

{link}

The link is yours alone, works once, and until {until:%-d %B %Y}.
"""
FORGOTTEN = """Hello {name},

somebody, we hope you, asked for another password for your account at Touchstone. Choose it here:

{link}

The link works once, and until {until:%-d %B %Y, %H:%M} UTC. If it was not you, do nothing: your password stays as it is.
"""


@transaction.atomic
def invitation_make(
    *, email: str = "", study: Study | None = None, role: str = ""
) -> tuple[AccountLink, str]:
    """A link by which somebody new makes an account, with this role in the study if one is named."""
    email = _email(email)
    if study and role not in Membership.Role.values:
        raise Refused(phrase("Choose a role."))
    link, token = _link(timedelta(days=INVITATION_DAYS), email=email, study=study, role=role if study else "")
    audit_write(study=study, action="account.invite", after={"role": role} if study else None)
    return link, token


@transaction.atomic
def invitation_withdraw(*, link: AccountLink) -> None:
    """The link is good no more."""
    study = link.study
    link.delete()
    audit_write(study=study, action="account.invite_withdraw")


@transaction.atomic
def invitation_accept(*, token: str, username: str, password: str) -> User:
    """Make the account that a link offers. The link is used up."""
    link = _good(token, invites=True)
    username = username.strip()
    user = User(username=username, email=link.email)
    try:
        user.full_clean(exclude=["password"])
        if User.objects.filter(username__iexact=user.username).exists():  # nobody could tell the two apart
            raise Refused(phrase("Somebody has this username already. Choose another."))
        validate_password(password, user)
        user.set_password(password)
        with transaction.atomic():
            user.save()
    except ValidationError as problem:
        raise Refused(" ".join(problem.messages)) from None
    except IntegrityError:
        raise Refused(phrase("Somebody has this username already. Choose another.")) from None
    _use(link)
    _join(link, user)
    audit_write(study=None, action="account.make", target=f"experimenter {user.username}")
    return user


@transaction.atomic
def invitation_join(*, token: str, user: User) -> Study:
    """Somebody who has an account takes up an invitation into a study."""
    link = _good(token, invites=True)
    if link.study is None:
        raise Refused(phrase("You have an account already. The link is for somebody who has none."))
    if link.study.memberships.filter(user=user).exists():
        raise Refused(phrase("You are in this study already."))
    _use(link)
    _join(link, user)
    return link.study


@transaction.atomic
def reset_make(*, user: User, email: str = "") -> str:
    """A link by which this person chooses another password; those from before are good no more."""
    reset_links_end(user=user)
    _, token = _link(timedelta(hours=RESET_HOURS), user=user, email=email)
    audit_write(study=None, action="account.reset_link", target=f"experimenter {user.username}")
    return token


def reset_links_end(*, user: User) -> None:
    """Links to another password are good no more: there is a newer one, or the password or the mail address is another."""
    AccountLink.objects.filter(user=user, used_at=None).delete()


@transaction.atomic
def reset_use(*, token: str, password: str) -> User:
    """The password is another one, and every session of the account is over. The link is used up."""
    link = _good(token, invites=False)
    user = link.user
    assert user is not None  # what the link was looked for by
    try:
        validate_password(password, user)
    except ValidationError as problem:
        raise Refused(" ".join(problem.messages)) from None
    user.set_password(password)
    user.save(update_fields=["password"])
    _use(link)
    # Not the codes that were guessed: whoever reads somebody's mail could go on guessing with every link.
    attempts_forget(name=user.username, second_step=False)
    audit_write(study=None, action="account.password", target=f"experimenter {user.username}")
    return user


@transaction.atomic
def account_email_set(*, user: User, email: str) -> None:
    user.email = _email(email)
    user.save(update_fields=["email"])
    reset_links_end(user=user)
    audit_write(study=None, action="account.email", target=f"experimenter {user.username}")


@transaction.atomic
def account_unlock(*, user: User) -> None:
    """Wrong passwords are forgotten: the next login need not wait."""
    attempts_forget(name=user.username, second_step=True)
    audit_write(study=None, action="account.unlock", target=f"experimenter {user.username}")


@transaction.atomic
def account_active_set(*, user: User, active: bool) -> None:
    """Switched off, an account opens nothing: no login, no session, no token. Its studies stay as they are."""
    administrators = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    if not active and not administrators.exclude(pk=user.pk).exists():
        raise Refused(phrase("Somebody must be left who looks after the accounts."))
    user.is_active = active
    user.save(update_fields=["is_active"])
    if not active:
        invitations_end(by=user, among=AccountLink.objects.all())
    action = "account.on" if active else "account.off"
    audit_write(study=None, action=action, target=f"experimenter {user.username}")


@transaction.atomic
def account_administrator_set(*, user: User, administrator: bool) -> None:
    """Whether somebody looks after the accounts of this server; that opens no study."""
    administrators = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
    if not administrator and not administrators.exclude(pk=user.pk).exists():
        raise Refused(phrase("Somebody must be left who looks after the accounts."))
    user.is_superuser = administrator
    user.save(update_fields=["is_superuser"])
    if not administrator:
        invitations_end(by=user, among=AccountLink.objects.filter(study=None))
    audit_write(
        study=None,
        action="account.administrator",
        target=f"experimenter {user.username}",
        after={"administrator": administrator},
    )


@transaction.atomic
def administrator_ensure() -> None:
    """Accounts of before there were administrators: whoever came first looks after them."""
    if User.objects.filter(is_superuser=True, is_active=True).exists():
        return
    if first := User.objects.filter(is_active=True).order_by("pk").first():
        account_administrator_set(user=first, administrator=True)


def invitation_mail(*, link: AccountLink, address: str) -> bool:
    """Whether the mail could be handed over."""
    study = f" and to the study “{link.study.name}”" if link.study else ""
    body = INVITED.format(study=study, link=address, until=link.expires_at)
    return _send("You are invited to Touchstone", body, link.email)


def forgotten_mail(*, who: str, address: Callable[[str], str]) -> None:
    """A link to every account of this name or mail address that has an address. Whether there is one is not told."""
    who = who.strip()
    if not who:
        return
    accounts = User.objects.filter(is_active=True).exclude(email="")
    for user in {*accounts.filter(username=who), *accounts.filter(email__iexact=who)[:5]}:
        token = reset_make(user=user, email=user.email)
        until = timezone.now() + timedelta(hours=RESET_HOURS)
        body = FORGOTTEN.format(name=user.username, link=address(token), until=until)
        _send("Another password for Touchstone", body, user.email)


def _send(subject: str, body: str, to: str) -> bool:
    try:
        EmailMessage(subject, body, settings.DEFAULT_FROM_EMAIL, [to]).send()
    except Exception as problem:
        # Not as it is: what a mail server refuses it repeats, address and all.
        log.error("A mail could not be sent: %s.", type(problem).__name__)
        return False
    return True


def _email(email: str) -> str:
    email = email.strip()
    if email:
        try:
            validate_email(email)
            AccountLink._meta.get_field("email").run_validators(email)
        except ValidationError:
            raise Refused(phrase("“{email}” is no mail address.", email=email[:80])) from None
    return email


def _link(lasts: timedelta, **fields: object) -> tuple[AccountLink, str]:
    token = secrets.token_urlsafe(32)
    expires_at = timezone.now() + lasts
    link = AccountLink.objects.create(
        token_hash=token_hash(token), made_by=actor(), expires_at=expires_at, **fields
    )
    return link, token


def _good(token: str, *, invites: bool) -> AccountLink:
    link = (
        AccountLink.objects.select_for_update(of=("self",))
        .select_related("study", "user")
        .filter(token_hash=token_hash(token), user__isnull=invites, used_at=None)
        .filter(expires_at__gt=timezone.now())
        .first()
    )
    if link is None or (link.user and not link.user.is_active) or (link.study and link.study.deleted_at):
        raise Refused(phrase("This link is not good any more. Ask for another."))
    return link


def _use(link: AccountLink) -> None:
    link.used_at = timezone.now()
    link.save(update_fields=["used_at"])


def _join(link: AccountLink, user: User) -> None:
    if link.study:
        membership_set(study=link.study, user=user, role=link.role)

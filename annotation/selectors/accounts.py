"""Experimenters' accounts: who there is, which links are good, and who has a second step."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.models import AccountLink, Study, TwoStep
from annotation.models.tokens import token_hash


def account_rows() -> QuerySet[User]:
    """Every account, with how many studies it is in and whether its login has two steps."""
    in_use = Q(memberships__study__deleted_at=None)
    two_step = TwoStep.objects.filter(user=OuterRef("pk"), confirmed_at__isnull=False)
    return User.objects.annotate(
        studies=Count("memberships", filter=in_use), has_two_step=Exists(two_step)
    ).order_by("username")


def account_find(pk: int) -> User | None:
    return account_rows().filter(pk=pk).first()


def invitations(study: Study | None = None) -> QuerySet[AccountLink]:
    """Those that can still be taken up: of one study, or all."""
    links = AccountLink.objects.filter(user=None, used_at=None, expires_at__gt=timezone.now())
    links = links.filter(Q(study=None) | Q(study__deleted_at=None)).select_related("study")
    return links.filter(study=study) if study else links


def invitation_find(pk: int, study: Study | None = None) -> AccountLink | None:
    return invitations(study).filter(pk=pk).first()


def link_find(token: str, *, invites: bool) -> AccountLink | None:
    """The link of this token, if it is good."""
    links = AccountLink.objects.select_related("study", "user").filter(token_hash=token_hash(token))
    links = links.filter(user__isnull=invites, used_at=None, expires_at__gt=timezone.now())
    return links.filter(
        Q(user=None) | Q(user__is_active=True), Q(study=None) | Q(study__deleted_at=None)
    ).first()


def two_step_of(user: User) -> TwoStep | None:
    """The second step of somebody's login, if it is on."""
    return TwoStep.objects.filter(user=user, confirmed_at__isnull=False).first()


def user_named(username: str) -> User | None:
    return User.objects.filter(username=username.strip(), is_active=True).first()


def user_active(pk: int) -> User | None:
    return User.objects.filter(pk=pk, is_active=True).first()

"""What the addresses of accounts take and give."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from annotation.api.schemas import Answer, Page
from annotation.strict import Strict

Role = Literal["owner", "editor", "viewer"]


class NewMember(Strict):
    username: str = Field(min_length=1, max_length=150)
    role: Role


class NewInvitation(Strict):
    """With a mail address it is sent there; without one, the answer's ``url`` is to be passed on."""

    email: str = Field(default="", max_length=254)


class NewMemberInvitation(NewInvitation):
    role: Role


class MemberDetail(Answer):
    """An experimenter of a study."""

    id: int
    username: str
    role: Role


class MemberPage(Page[MemberDetail]):
    """The experimenters of a study: owners, editors, viewers."""


class InvitationDetail(Answer):
    """An invitation that nobody has taken up yet."""

    id: int
    email: str
    role: Literal["owner", "editor", "viewer", ""]
    made_by: str
    made_at: datetime
    expires_at: datetime


class InvitationPage(Page[InvitationDetail]):
    """Invitations that nobody has taken up yet."""


class InvitationMade(Answer):
    """``url`` is shown this once; ``sent``: whether it also went by mail."""

    id: int
    url: str
    sent: bool


class AccountDetail(Answer):
    """An account of this server; ``studies``: in how many it is; ``two_step``: whether its login has two steps."""

    id: int
    username: str
    email: str
    active: bool
    administrator: bool
    two_step: bool
    studies: int
    last_login: datetime | None


class AccountPage(Page[AccountDetail]):
    """The accounts of this server, by name."""

"""The experimenters of a study, and the accounts of this server.

What decides how somebody comes in (a password, the second step, a link to another password) is on the pages alone: a token
that somebody has got hold of must not become the account.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.account_schemas import (
    AccountDetail,
    AccountPage,
    InvitationDetail,
    InvitationMade,
    InvitationPage,
    MemberDetail,
    MemberPage,
    NewInvitation,
    NewMember,
    NewMemberInvitation,
)
from annotation.api.base import AdministratorView, StudyView, parsed, query
from annotation.api.documented import PAGED, READS, WRITES, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.paging import paged
from annotation.api.schemas import PageQuery
from annotation.found import found_or_404
from annotation.models import AccountLink, Membership
from annotation.selectors import accounts as selectors
from annotation.selectors.people import member_find, members
from annotation.services import accounts as services
from annotation.services.studies import membership_remove, membership_set


class Members(StudyView):
    changed_by = Membership.Role.OWNER

    @operation(
        "people",
        "members_list",
        "The experimenters of a study",
        *READS,
        422,
        answer=MemberPage,
        parameters=PAGED,
    )
    def get(self, request: Request, slug: str) -> Response:
        return paged(request, members(self.study), query(PageQuery, request), MemberPage, _member)

    @operation(
        "people",
        "member_set",
        "Give an experimenter a role",
        *WRITES,
        409,
        422,
        answer=MemberDetail,
        takes=NewMember,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Of a study that keeps at least one owner."""
        new = parsed(NewMember, request.data)
        user = selectors.user_named(new.username)
        if user is None:
            words = "There is no experimenter with this username."
            raise Invalid("Nothing was changed.", [Detail(field="username", message=words)])
        membership = membership_set(study=self.study, user=user, role=new.role)
        return Response(_member(membership).model_dump())


class OneMember(StudyView):
    changed_by = Membership.Role.OWNER

    @operation("people", "member_remove", "Take a study from an experimenter", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        member = found_or_404(member_find(self.study, pk), "There is no such member.")
        membership_remove(study=self.study, user=member.user)
        return Response(status=204)


class Invitations(StudyView):
    read_by = changed_by = Membership.Role.OWNER  # mail addresses of people who are not here yet

    @operation(
        "people",
        "invitations_list",
        "Invitations that nobody has taken up",
        403,
        *READS,
        422,
        answer=InvitationPage,
        parameters=PAGED,
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = selectors.invitations(self.study)
        return paged(
            request, rows, query(PageQuery, request), InvitationPage, InvitationDetail.model_validate
        )

    @operation(
        "people",
        "member_invite",
        "Invite an experimenter",
        *WRITES,
        409,
        422,
        answer=InvitationMade,
        status=201,
        takes=NewMemberInvitation,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Whoever opens the link makes an account, or takes part with the one that they have."""
        new = parsed(NewMemberInvitation, request.data)
        link, token = services.invitation_make(email=new.email, study=self.study, role=new.role)
        return _made(request, link, token)


class OneInvitation(StudyView):
    changed_by = Membership.Role.OWNER

    @operation("people", "invitation_withdraw", "Withdraw an invitation", *WRITES, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        link = found_or_404(selectors.invitation_find(pk, self.study), "There is no such invitation.")
        services.invitation_withdraw(link=link)
        return Response(status=204)


class AccountView(AdministratorView):
    def account(self, pk: int) -> User:
        return found_or_404(selectors.account_find(pk), "There is no such account.")


class Accounts(AccountView):
    @operation(
        "people",
        "accounts_list",
        "The accounts of this server",
        403,
        404,
        422,
        answer=AccountPage,
        parameters=PAGED,
    )
    def get(self, request: Request) -> Response:
        return paged(request, selectors.account_rows(), query(PageQuery, request), AccountPage, _account)

    @operation(
        "people",
        "account_invite",
        "Invite somebody to this server",
        403,
        409,
        422,
        answer=InvitationMade,
        status=201,
        takes=NewInvitation,
    )
    def post(self, request: Request) -> Response:
        """Whoever opens the link makes an account, which is in no study yet."""
        link, token = services.invitation_make(email=parsed(NewInvitation, request.data).email)
        return _made(request, link, token)


class AccountUnlock(AccountView):
    @operation("people", "account_unlock", "Forget wrong passwords of an account", 403, 404, status=204)
    def post(self, request: Request, pk: int) -> Response:
        """The next login need not wait."""
        services.account_unlock(user=self.account(pk))
        return Response(status=204)


class AccountActive(AccountView):
    @operation("people", "account_on", "Switch an account on", 403, 404, status=204)
    def post(self, request: Request, pk: int) -> Response:
        services.account_active_set(user=self.account(pk), active=True)
        return Response(status=204)

    @operation("people", "account_off", "Switch an account off", 403, 404, 409, status=204)
    def delete(self, request: Request, pk: int) -> Response:
        """It opens nothing any more: no login, no session, no token. Its studies stay as they are."""
        services.account_active_set(user=self.account(pk), active=False)
        return Response(status=204)


def _made(request: Request, link: AccountLink, token: str) -> Response:
    url = request.build_absolute_uri(reverse("invitation", args=[token]))
    sent = bool(link.email) and services.invitation_mail(link=link, address=url)
    return Response(InvitationMade(id=link.pk, url=url, sent=sent).model_dump(), status=201)


def _member(row: Membership) -> MemberDetail:
    return MemberDetail.model_validate({"id": row.pk, "username": row.user.username, "role": row.role})


def _account(row: User) -> AccountDetail:
    return AccountDetail(
        id=row.pk,
        username=row.username,
        email=row.email,
        active=row.is_active,
        administrator=row.is_superuser,
        two_step=row.has_two_step,  # type: ignore[attr-defined]
        studies=row.studies,  # type: ignore[attr-defined]
        last_login=row.last_login,
    )

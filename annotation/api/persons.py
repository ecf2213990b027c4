"""One person of a study: pause, cap, mail address, handing on, erasing; the join link; mail; and the bin of studies."""

from __future__ import annotations

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.addresses import link_address
from annotation.api.base import ApiView, StudyView, parsed, query, writes_required
from annotation.api.change_schemas import (
    BinnedPage,
    BinnedStudy,
    EraseQuery,
    Gift,
    JoinDetail,
    MailedDetail,
    NewCap,
    NewEmail,
    NewJoin,
    NewMail,
    NewPause,
)
from annotation.api.documented import PAGED, READS, WRITES, asked, operation
from annotation.api.paging import paged
from annotation.api.schemas import PageQuery
from annotation.found import found_or_404
from annotation.models import Assessor, JoinLink, Membership
from annotation.selectors import people as selectors
from annotation.selectors import studies as study_selectors
from annotation.selectors.joining import join_link_find, rules_of
from annotation.services import joining
from annotation.services import persons as services
from annotation.services.bin import study_restore
from annotation.services.mail import assessor_email_set, links_mail, mail_template


class PersonView(StudyView):
    def person(self, pk: int) -> Assessor:
        return found_or_404(selectors.assessor_find(self.study, pk), "There is no such assessor.")


class OneAssessor(PersonView):
    changed_by = Membership.Role.OWNER

    @operation(
        "assessors",
        "assessor_erase",
        "Erase a person for good",
        *WRITES,
        422,
        status=204,
        parameters=[
            asked(
                "judgments",
                str,
                "keep: they stay, without any trace of who made them; erase: they go.",
                default="erase",
            )
        ],
    )
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """As when consent is withdrawn; there is no way back. Report and export say that something was erased."""
        choice = query(EraseQuery, request).judgments
        services.assessor_erase(assessor=self.person(pk), keep_judgments=choice == "keep")
        return Response(status=204)


class AssessorPause(PersonView):
    @operation("assessors", "assessor_pause", "Pause a person", *WRITES, 409, 422, status=204, takes=NewPause)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Nothing more is handed out to them, and they read the message."""
        services.assessor_pause(assessor=self.person(pk), message=parsed(NewPause, request.data).message)
        return Response(status=204)

    @operation("assessors", "assessor_resume", "Let a person go on", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        services.assessor_resume(assessor=self.person(pk))
        return Response(status=204)


class AssessorCap(PersonView):
    @operation("assessors", "assessor_cap", "Cap a load", *WRITES, 422, status=204, takes=NewCap)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """So many judgments at most; what was dealt stays theirs. Null: no cap."""
        services.assessor_cap(assessor=self.person(pk), judgments=parsed(NewCap, request.data).judgments)
        return Response(status=204)


class AssessorEmail(PersonView):
    @operation(
        "assessors", "assessor_email", "Set a mail address", *WRITES, 409, 422, status=204, takes=NewEmail
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        assessor_email_set(assessor=self.person(pk), email=parsed(NewEmail, request.data).email)
        return Response(status=204)


class WorkGive(PersonView):
    @operation(
        "assessors",
        "assignment_give",
        "Give a piece of work to somebody else",
        *WRITES,
        409,
        422,
        status=204,
        takes=Gift,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Of one assessor, by the position in their line; to another, or with null to nobody: then it is wanted no more."""
        giver = self.person(pk)
        gift = parsed(Gift, request.data)
        row = found_or_404(selectors.assignment_at(giver, gift.position), "There is no such piece of work.")
        services.assignment_give(assignment=row, to=None if gift.to is None else self.person(gift.to))
        return Response(status=204)


class JoinLinks(StudyView):
    read_by = Membership.Role.EDITOR  # whoever has the address can judge

    @operation("assessors", "join_link", "The join link of a study", 403, *READS, answer=JoinDetail)
    def get(self, request: Request, slug: str) -> Response:
        """Not with a token that may only read: whoever has the address can judge."""
        writes_required(request)
        return _join(request, found_or_404(join_link_find(self.study), "There is no join link."))

    @operation(
        "assessors",
        "join_link_set",
        "Make or change the join link",
        *WRITES,
        409,
        422,
        answer=JoinDetail,
        takes=NewJoin,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Its address stays once it is made."""
        new = parsed(NewJoin, request.data)
        link = joining.join_link_set(study=self.study, rules=new.rules.model_dump(), is_open=new.is_open)
        return _join(request, link)

    @operation("assessors", "join_link_renew", "Make a new address", *WRITES, status=204)
    def delete(self, request: Request, slug: str) -> Response:
        """The old one leads nowhere from now on; whoever has joined keeps their place."""
        joining.join_link_renew(link=found_or_404(join_link_find(self.study), "There is no join link."))
        return Response(status=204)


def _join(request: Request, link: JoinLink) -> Response:
    url = request.build_absolute_uri(reverse("take_part", args=[link.code]))
    answer = JoinDetail(url=url, is_open=link.is_open, rules=rules_of(link))
    return Response(answer.model_dump(mode="json"))


class Mail(StudyView):
    @operation(
        "assessors",
        "links_mail",
        "Send personal links by mail",
        *WRITES,
        409,
        422,
        answer=MailedDetail,
        takes=NewMail,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Every mail brings a new link, and the one before stops working."""
        new = parsed(NewMail, request.data)
        subject, body = mail_template(self.study)
        done = links_mail(
            study=self.study,
            assessors=selectors.assessors_to_mail(self.study, new.who, new.days),
            subject=new.subject or subject,
            body=new.body or body,
            address=lambda token: link_address(request, token),
        )
        return Response(MailedDetail.model_validate(done).model_dump())


class Bin(ApiView):
    @operation(
        "studies",
        "bin",
        "Your studies in the bin, newest first",
        404,
        422,
        answer=BinnedPage,
        parameters=PAGED,
    )
    def get(self, request: Request) -> Response:
        """They can be brought back for 30 days, judgments, links and all."""
        rows = study_selectors.binned(self.user)
        return paged(request, rows, query(PageQuery, request), BinnedPage, BinnedStudy.model_validate)


class BinRestore(ApiView):
    @operation("studies", "bin_restore", "Bring a study back", 403, 404, 409, answer=BinnedStudy)
    def post(self, request: Request, pk: int) -> Response:
        """As it was; under another slug if its own is taken."""
        study = found_or_404(study_selectors.binned_find(self.user, pk), "There is no such study in the bin.")
        study_restore(study=study)
        return Response(BinnedStudy.model_validate(study).model_dump(mode="json"))

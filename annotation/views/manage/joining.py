"""The join link of a study: made, shown, changed; and personal links by mail."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotation.addresses import link_address
from annotation.errors import Overtaken, Refused
from annotation.forms import JoinForm, MailForm
from annotation.found import found_or_404
from annotation.models import JoinLink, Membership, Study
from annotation.selectors import people
from annotation.selectors.joining import join_link_find, joined_by_group, rules_of
from annotation.selectors.plan import has_pool
from annotation.services import joining as services
from annotation.services.mail import links_mail, mail_template
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, seen_again, study_page
from annotation.views.manage.links import is_only_here
from annotation.views.manage.persons import confirm
from annotation.words import phrase

EDITOR = Membership.Role.EDITOR


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
def study_join(request: MemberRequest, study: Study) -> HttpResponse:
    link = join_link_find(study)
    if request.method == "GET":
        return _page(
            request, study, link, JoinForm.of(rules_of(link), link.is_open) if link else JoinForm.of()
        )
    form = JoinForm(request.POST)
    if form.is_valid():
        try:
            services.join_link_set(
                study=study,
                rules=form.rules(),
                is_open=form.cleaned_data["is_open"],
                seen=request.POST.get("seen"),
            )
            messages.success(request, phrase("Saved. The address stays the same."))
            return redirect("study_join", slug=study.slug)
        except Overtaken as overtaken:
            messages.error(request, str(overtaken))
            return redirect("study_join", slug=study.slug)
        except Refused as refused:
            form.add_error(None, str(refused))
    return _page(request, study, link, form)


def _page(request: MemberRequest, study: Study, link: JoinLink | None, form: JoinForm) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "link": link,
        "seen": seen_again(request, services.link_says(link)),
        "pooled": has_pool(study),
        "only_here": is_only_here(request),
    }
    if link:
        context["address"] = request.build_absolute_uri(reverse("take_part", args=[link.code]))
        context["parameters"] = rules_of(link).parameters
        context["joined"] = sorted(joined_by_group(study).items())
    return study_page(
        request,
        study,
        "people",
        context,
        template="annotation/manage/join.html",
        status=422 if form.errors else 200,
    )


@member_required(EDITOR)
@require_POST
def join_renew(request: MemberRequest, study: Study) -> HttpResponse:
    link = found_or_404(join_link_find(study), phrase("There is no join link."))
    follows = [
        phrase("The old address leads nowhere from now on."),
        phrase("Whoever has joined keeps their place, and finds it by the new one."),
    ]
    asks = confirm(
        request,
        study,
        title=phrase("Make a new join link?"),
        follows=follows,
        act=phrase("Make a new one"),
        back="study_join",
    )
    if asks:
        return asks
    services.join_link_renew(link=link)
    messages.success(request, phrase("There is a new address. The old one leads nowhere."))
    return redirect("study_join", slug=study.slug)


@member_required(EDITOR)
@require_http_methods(["GET", "POST"])
def study_mail(request: MemberRequest, study: Study) -> HttpResponse:
    """Personal links by mail: to those who have none, to those who are slow, or to everybody."""
    subject, body = mail_template(study)
    form = MailForm(
        request.POST if request.method == "POST" else None, initial={"subject": subject, "body": body}
    )
    if form.is_valid():
        chosen = people.assessors_to_mail(study, form.cleaned_data["who"], form.cleaned_data["days"])
        try:
            done = links_mail(
                study=study,
                assessors=chosen,
                subject=form.cleaned_data["subject"],
                body=form.cleaned_data["body"],
                address=partial(link_address, request),
            )
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, phrase("Sent to {n}.", n=len(done.sent)))
            if done.failed:
                messages.error(
                    request,
                    phrase(
                        "Could not be sent to {failed}; see the server’s log.", failed=", ".join(done.failed)
                    ),
                )
            return redirect("study_people", slug=study.slug)
    context = {
        "form": form,
        "counts": people.mail_counts(study),
        "only_here": is_only_here(request),
    }
    template = "annotation/manage/mail.html"
    return study_page(
        request, study, "people", context, template=template, status=422 if form.errors else 200
    )

"""What can be done with one person: pause, cap, mail address, hand a piece on, erase."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from annotation.errors import Refused
from annotation.forms import CapForm, EmailForm, EraseForm, PauseForm
from annotation.found import found_or_404
from annotation.models import Assessor, Membership, Study
from annotation.selectors import people as selectors
from annotation.services import persons as services
from annotation.services.mail import assessor_email_set
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, refusals_told, study_page
from annotation.words import phrase

OWNER, EDITOR = Membership.Role.OWNER, Membership.Role.EDITOR
NOBODY = "nobody"


def _assessor(study: Study, pk: int) -> Assessor:
    return found_or_404(selectors.assessor_find(study, pk), phrase("There is no such assessor."))


def _receiver(study: Study, sent: str) -> Assessor:
    if not sent.isascii() or not sent.isdecimal() or len(sent) > 18:
        raise Refused(phrase("Choose somebody, or nobody."))
    return _assessor(study, int(sent))


def _back(study: Study, pk: int) -> HttpResponse:
    return redirect("assessor", slug=study.slug, pk=pk)


@member_required(EDITOR)
@require_POST
def assessor_pause(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = _assessor(study, pk)
    form = PauseForm(request.POST)
    with refusals_told(request):
        if "resume" in request.POST:
            services.assessor_resume(assessor=found)
            messages.success(request, phrase("{name} can go on.", name=found.name))
        elif form.is_valid():
            services.assessor_pause(assessor=found, message=form.cleaned_data["message"])
            messages.success(request, phrase("{name} is paused, and reads your message.", name=found.name))
        else:
            messages.error(request, phrase("The message is too long."))
    return _back(study, pk)


@member_required(EDITOR)
@require_POST
def assessor_cap(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    keep = partial(services.assessor_cap, assessor=_assessor(study, pk))
    _keep(
        request,
        CapForm(request.POST),
        keep,
        refusal=phrase("Give a number of judgments, or nothing for no cap."),
    )
    return _back(study, pk)


@member_required(EDITOR)
@require_POST
def assessor_email(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    keep = partial(assessor_email_set, assessor=_assessor(study, pk))
    _keep(request, EmailForm(request.POST), keep, refusal=phrase("This is no mail address."))
    return _back(study, pk)


def _keep(request: MemberRequest, form: Form, keep: Callable[..., object], *, refusal: str) -> None:
    """Store what was typed under the names of the form's fields; the next page says whether."""
    if form.is_valid():
        keep(**form.cleaned_data)
        messages.success(request, phrase("Saved."))
    else:
        messages.error(request, refusal)


@member_required(EDITOR)
@require_POST
def assignment_give(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """Asks first: to whom, and what follows."""
    row = found_or_404(selectors.assignment_find(study, pk), phrase("There is no such piece of work."))
    if "to" not in request.POST:
        receivers = [other for other in selectors.assessors_of(study) if other.pk != row.assessor_id]
        context = {"row": row, "receivers": receivers}
        return study_page(request, study, "people", context, template="annotation/manage/give.html")
    with refusals_told(request):
        to = None if request.POST["to"] == NOBODY else _receiver(study, request.POST["to"])
        services.assignment_give(assignment=row, to=to)
        words = (
            phrase("{name} gets it, last in line, and is told.", name=to.name)
            if to
            else phrase("Nobody judges it: it is wanted no more.")
        )
        messages.success(request, words)
    return _back(study, row.assessor_id)


@member_required(OWNER)
@require_POST
def assessor_erase(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """There is no way back, so the name is asked for."""
    found = _assessor(study, pk)
    form = EraseForm(request.POST, assessor=found)
    if not form.is_valid():
        context = {"assessor": found, "form": form}
        template = "annotation/manage/erase.html"
        return study_page(request, study, "people", context, template=template, status=422)
    services.assessor_erase(assessor=found, keep_judgments=form.cleaned_data["judgments"] == "keep")
    messages.success(request, phrase("Erased for good."))
    return redirect("study_people", slug=study.slug)


def confirm(
    request: MemberRequest,
    study: Study,
    *,
    title: str,
    follows: list[str],
    act: str,
    back: str = "study_people",
) -> HttpResponse | None:
    """None if whoever asks has said that they are sure; else the page that asks."""
    if "sure" in request.POST:
        return None
    context = {"study": study, "title": title, "follows": follows, "act": act, "back": back}
    return render(request, "annotation/manage/confirm.html", context)

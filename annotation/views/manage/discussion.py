"""What assessors have flagged or asked, and what the experimenter answers."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.errors import Refused
from annotation.forms import ReplyForm
from annotation.found import found_or_404
from annotation.models import Flag, Membership, Study
from annotation.selectors.discussion import thread_keys, threads_at
from annotation.selectors.people import flag_find
from annotation.services import discussion as services
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, page_of, study_page
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER


@member_required(VIEWER)
@require_safe
def study_flags(request: MemberRequest, study: Study) -> HttpResponse:
    """Threads that wait for an answer first; those that do not have an address of their own."""
    return _page(request, study)


def _page(
    request: MemberRequest, study: Study, *, flag: Flag | None = None, form: ReplyForm | None = None
) -> HttpResponse:
    settled = "settled" in request.GET
    page = page_of(request, thread_keys(study, settled=settled))
    threads = threads_at(study, page.object_list)
    context = {
        "page": page,
        "threads": [
            (thread, form if flag and thread.flag.pk == flag.pk else ReplyForm()) for thread in threads
        ],
        "settled": settled,
    }
    return study_page(request, study, "flags", context, status=422 if form else 200)


def _flag(study: Study, pk: int) -> Flag:
    return found_or_404(flag_find(study, pk), phrase("There is no such flag."))


@member_required(EDITOR)
@require_POST
def flag_settle(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    services.thread_settle(flag=_flag(study, pk))
    messages.success(request, phrase("Settled."))
    return redirect("study_flags", slug=study.slug)


@member_required(EDITOR)
@require_POST
def flag_answer(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    """An answer that names a system comes back with the question whether that is meant."""
    flag = _flag(study, pk)
    form = ReplyForm(request.POST)
    if form.is_valid():
        try:
            services.reply_send(
                flag=flag, comment=form.cleaned_data["comment"], names_are_fine=form.cleaned_data["names"]
            )
        except services.NamesASystem as refused:
            form.asks_about_names = True
            form.add_error("comment", str(refused))
        except Refused as refused:
            form.add_error("comment", str(refused))
        else:
            messages.success(request, phrase("Sent to {name}.", name=flag.assessor.name))
            return redirect("study_flags", slug=study.slug)
    return _page(request, study, flag=flag, form=form)

"""An assessor's messages: what they wrote to the experimenter, the answers, and writing back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.errors import Refused
from annotation.found import found_or_404
from annotation.models import Assessor
from annotation.selectors.discussion import threads_of
from annotation.selectors.work import assignment_find
from annotation.services.assessors import flag_raise
from annotation.services.discussion import replies_read
from annotation.views.guards import assessor_required
from annotation.words import gettext


@require_http_methods(["GET", "POST"])
@never_cache
@assessor_required
def messages(request: HttpRequest, assessor: Assessor) -> HttpResponse:
    """All threads, also when the study is closed; looking at them is reading them. A POST writes back."""
    problem = ""
    if request.method == "POST":
        public_id = request.POST.get("item", "")
        about = assignment_find(assessor=assessor, public_id=public_id) if public_id else None
        if public_id:
            found_or_404(about, gettext("There is no such item."))
        try:
            flag_raise(assessor=assessor, assignment=about, comment=request.POST.get("comment", ""))
        except Refused as refused:
            problem = str(refused)
        else:
            return redirect("messages", slug=assessor.study.slug)
    threads = threads_of(assessor)
    replies_read(assessor=assessor)
    context = {"study": assessor.study, "assessor": assessor, "threads": threads, "problem": problem}
    return render(request, "annotation/assess/messages.html", context, status=422 if problem else 200)


@require_POST
@assessor_required
def messages_read(request: HttpRequest, assessor: Assessor, public_id: str) -> JsonResponse:
    """The answers about an item were opened on its page."""
    found = assignment_find(assessor=assessor, public_id=public_id)
    replies_read(assessor=assessor, assignment=found_or_404(found, gettext("There is no such item.")))
    return JsonResponse({"status": "read"})

"""What is left out of results: the list, leaving out, including again."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.errors import Refused
from annotation.forms import ExclusionForm
from annotation.found import found_or_404
from annotation.models import Membership, Study
from annotation.selectors import exclusions as selectors
from annotation.services import exclusions as services
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, refusals_told, study_page
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER


@member_required(VIEWER)
@require_safe
def study_exclusions(request: MemberRequest, study: Study) -> HttpResponse:
    """The address may say what is meant (``?what=assessor&name=Ada``), so that other pages can lead here."""
    meant = {name: request.GET[name] for name in ("what", "name", "reason") if name in request.GET}
    return _page(request, study, ExclusionForm(initial=meant), is_asked="what" in meant)


def _page(
    request: MemberRequest, study: Study, form: ExclusionForm, *, is_asked: bool = False
) -> HttpResponse:
    context = {
        "left_out": selectors.left_out(study),
        "ended": [
            (row, selectors.target_words(row, names=True)) for row in selectors.exclusions_ended(study)
        ],
        "form": form,
        "is_asked": is_asked or bool(form.errors),
    }
    return study_page(
        request,
        study,
        "results",
        context,
        template="annotation/manage/exclusions.html",
        status=422 if form.errors else 200,
    )


@member_required(EDITOR)
@require_POST
def exclusion_add(request: MemberRequest, study: Study) -> HttpResponse:
    form = ExclusionForm(request.POST)
    if form.is_valid():
        asked = form.cleaned_data
        target = selectors.target_named(study, asked["what"], asked["name"])
        if target is None:
            form.add_error(
                "name",
                phrase(
                    "There is no {what} “{name}” in this study.",
                    what=asked["what"],
                    name=asked["name"],
                ),
            )
        else:
            try:
                services.exclusion_add(study=study, target=target, reason=asked["reason"])
            except Refused as refused:
                form.add_error(None, str(refused))
            else:
                messages.success(request, phrase("Left out. Scores and new reports no longer count it."))
                return redirect("study_exclusions", slug=study.slug)
    return _page(request, study, form)


@member_required(EDITOR)
@require_POST
def exclusion_end(request: MemberRequest, study: Study, pk: int) -> HttpResponse:
    found = found_or_404(selectors.exclusion_find(study, pk), phrase("There is no such exclusion."))
    with refusals_told(request):
        services.exclusion_end(exclusion=found)
        messages.success(request, phrase("Included again. Scores and new reports count it."))
    return redirect("study_exclusions", slug=study.slug)

"""Changing a study that exists, also while it runs: one page of forms, each with an address of its own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.errors import Overtaken, Refused
from annotation.forms import (
    DetailsForm,
    DuplicateForm,
    OverlapForm,
    PauseForm,
    RenameForm,
    TextsForm,
    WaveForm,
)
from annotation.models import Membership, Study
from annotation.overtaken import fingerprint
from annotation.selectors.plan import design_of
from annotation.selectors.tasks import task_find, tasks_of
from annotation.selectors.versions import text_versions
from annotation.services import changes as services
from annotation.services import waves
from annotation.study_files import StudyFileProblems
from annotation.views.guards import member_required
from annotation.views.manage.frame import MemberRequest, seen_again, study_page
from annotation.words import phrase

EDITOR, VIEWER = Membership.Role.EDITOR, Membership.Role.VIEWER


@member_required(EDITOR)
@require_safe
def study_change(request: MemberRequest, study: Study) -> HttpResponse:
    return _page(request, study)


def _page(request: MemberRequest, study: Study, **sent: Any) -> HttpResponse:
    """The page with all its forms; ``sent`` are those that came back with an error, or what else there is to say."""
    tasks = tasks_of(study)
    details = {"name": study.name, "contact": study.contact, "deadline_at": _local(study.deadline_at)}
    copy = {"name": f"{study.name} (copy)"[:200], "slug": f"{study.slug[:70]}-copy", "people": True}
    overlap = max((design_of(study, task).assessors_per_item for task in tasks), default=1)
    context = {
        "details_form": DetailsForm(initial=details),
        "details_seen": fingerprint(services.details_of(study)),
        "texts_form": TextsForm(initial={"instructions": study.instructions, "consent": study.consent}),
        "texts_seen": fingerprint(services.texts_of(study)),
        "pause_form": PauseForm(initial={"message": study.pause_message}),
        "overlap_form": _overlap_form(study, initial={"to": overlap + 1}),
        "wave_form": WaveForm(),
        "duplicate_form": DuplicateForm(initial=copy),
        "rename_form": RenameForm(initial={"slug": study.slug}),
        "versions": text_versions(study),
        "overlaps": [(task, design_of(study, task).assessors_per_item) for task in tasks],
        "problems": (),
        **sent,
    }
    return study_page(
        request,
        study,
        "settings",
        context,
        template="annotation/manage/change.html",
        status=422 if sent else 200,
    )


def _local(moment: Any) -> Any:
    return timezone.localtime(moment) if moment else None


def _overlap_form(study: Study, *args: Any, **kwargs: Any) -> OverlapForm:
    return OverlapForm(*args, tasks=[task.name for task in tasks_of(study)], **kwargs)


def _back(request: MemberRequest, study: Study, words: str) -> HttpResponse:
    messages.success(request, words)
    return redirect("study_change", slug=study.slug)


def _refused(form: forms.Form, refused: Refused) -> forms.Form:
    form.add_error(None, str(refused))
    return form


@member_required(EDITOR)
@require_POST
def study_details(request: MemberRequest, study: Study) -> HttpResponse:
    form = DetailsForm(request.POST)
    if form.is_valid():
        try:
            services.study_details_change(study=study, seen=request.POST.get("seen"), **form.cleaned_data)
            return _back(request, study, phrase("Saved."))
        except Overtaken as overtaken:
            messages.error(request, str(overtaken))
            return redirect("study_change", slug=study.slug)
        except Refused as refused:
            _refused(form, refused)
    return _page(
        request, study, details_form=form, details_seen=seen_again(request, services.details_of(study))
    )


@member_required(EDITOR)
@require_POST
def study_texts(request: MemberRequest, study: Study) -> HttpResponse:
    form = TextsForm(request.POST)
    if form.is_valid():
        try:
            seen = request.POST.get("seen")
            changed = services.study_texts_change(study=study, seen=seen, **form.cleaned_data)
        except Overtaken:
            # A text may have taken long to write: it stays in the form, and what somebody else has written stands beside it.
            words = phrase(
                "Somebody else has changed this in the meantime, and yours is not saved. What stands now is below; saving again "
                "puts yours in its place."
            )
            _refused(form, Refused(words))
            return _page(request, study, texts_form=form, texts_now=services.texts_of(study))
        except Refused as refused:
            _refused(form, refused)
        else:
            words = phrase(
                "Version {text_version} holds from now on; assessors see what changed before they go on.",
                text_version=study.text_version,
            )
            draft = study.state == Study.State.DRAFT
            return _back(
                request,
                study,
                phrase("Nothing has changed.") if not changed else phrase("Saved.") if draft else words,
            )
    return _page(request, study, texts_form=form, texts_seen=seen_again(request, services.texts_of(study)))


@member_required(EDITOR)
@require_POST
def study_pause(request: MemberRequest, study: Study) -> HttpResponse:
    """Pause, or go on."""
    form = PauseForm(request.POST)
    try:
        if "resume" in request.POST:
            services.study_resume(study=study)
            return _back(request, study, phrase("The study goes on."))
        if form.is_valid():
            services.study_pause(study=study, message=form.cleaned_data["message"])
            return _back(request, study, phrase("The study is paused: assessors read your message."))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_change", slug=study.slug)
    return _page(request, study, pause_form=form)


@member_required(EDITOR)
@require_POST
def study_overlap(request: MemberRequest, study: Study) -> HttpResponse:
    form = _overlap_form(study, request.POST)
    if form.is_valid():
        name = form.cleaned_data["task"]
        try:
            task = task_find(study, name) if name else None
            more = waves.overlap_raise(study=study, to=form.cleaned_data["to"], task=task)
            return _back(
                request, study, phrase("Raised: {more} more judgments are wanted.", more=f"{more:,}")
            )
        except Refused as refused:
            _refused(form, refused)
    return _page(request, study, overlap_form=form)


@member_required(EDITOR)
@require_POST
def study_wave(request: MemberRequest, study: Study) -> HttpResponse:
    form = WaveForm(request.POST, request.FILES)
    if form.is_valid():
        if form.cleaned_data["file"].size > settings.STUDY_UPLOAD_MAX_BYTES:
            form.add_error(
                "file", phrase("The file is too large. On the server: manage.py extend_study SLUG PATH.")
            )
            return _page(request, study, wave_form=form)
        try:
            wave = waves.study_extend_upload(study=study, source=form.cleaned_data["file"])
        except StudyFileProblems as found:
            form.add_error("file", phrase("Nothing was added: the file has problems."))
            return _page(request, study, wave_form=form, problems=found.problems)
        except Refused as refused:
            _refused(form, refused)
        else:
            return _back(
                request,
                study,
                phrase(
                    "Added. Documents: {documents}; systems: {systems}; outputs: {outputs}; tasks: {tasks}; "
                    "pieces dealt: {subjects}.",
                    documents=wave.documents,
                    systems=wave.systems,
                    outputs=wave.outputs,
                    tasks=wave.tasks,
                    subjects=wave.subjects,
                ),
            )
    return _page(request, study, wave_form=form)


@member_required(VIEWER)
@require_POST
def study_duplicate(request: MemberRequest, study: Study) -> HttpResponse:
    """Whoever may read a study may have a copy of it, which is theirs."""
    form = DuplicateForm(request.POST)
    if form.is_valid():
        try:
            copy = services.study_duplicate(study=study, owner=request.user, **form.cleaned_data)
        except Refused as refused:
            _refused(form, refused)
        else:
            messages.success(
                request,
                phrase("“{name}” is a draft of your own, without judgments and links.", name=copy.name),
            )
            return redirect("study", slug=copy.slug)
    return _page(request, study, duplicate_form=form)


@member_required(EDITOR)
@require_POST
def study_archive(request: MemberRequest, study: Study) -> HttpResponse:
    """Archive, or take out of the archive."""
    try:
        if "back" in request.POST:
            services.study_unarchive(study=study)
            return _back(request, study, phrase("The study is in the list again."))
        services.study_archive(study=study)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("study_change", slug=study.slug)
    return _back(request, study, phrase("Archived: it is under “Archived” in the list of studies."))


@member_required(EDITOR)
@require_POST
def study_rename(request: MemberRequest, study: Study) -> HttpResponse:
    form = RenameForm(request.POST)
    if form.is_valid():
        try:
            services.study_rename(study=study, slug=form.cleaned_data["slug"])
            return _back(
                request, study, phrase("The slug is “{slug}” now. Old addresses lead here.", slug=study.slug)
            )
        except Refused as refused:
            _refused(form, refused)
    return _page(request, study, rename_form=form)

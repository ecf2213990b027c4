"""Threads between assessors and the experimenter."""

from __future__ import annotations

from functools import partial

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.adjudication_schemas import NewReply, ThreadDetail, ThreadPage, ThreadQuery, ThreadWord
from annotation.api.base import StudyView, parsed, query
from annotation.api.documented import PAGED, READS, WRITES, asked, operation
from annotation.api.paging import paged
from annotation.found import found_or_404
from annotation.models import Flag
from annotation.selectors.discussion import Thread, thread_keys, threads_at
from annotation.selectors.people import flag_find
from annotation.services import discussion as services


class Threads(StudyView):
    @operation(
        "assessors",
        "threads_list",
        "What assessors flagged or asked, with the answers",
        *READS,
        422,
        answer=ThreadPage,
        parameters=[*PAGED, asked("settled", bool, "Those that wait for no answer.", default=False)],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Threads that wait for an answer, or those that do not, the newest first."""
        choices = query(ThreadQuery, request)
        keys = thread_keys(self.study, settled=choices.settled)
        return paged(request, keys, choices, ThreadPage, _detail, read=partial(threads_at, self.study))


class ThreadAnswer(StudyView):
    @operation(
        "assessors",
        "thread_answer",
        "Answer a thread",
        *WRITES,
        409,
        422,
        answer=ThreadDetail,
        takes=NewReply,
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """The assessor reads it on their pages. An answer that names a system is refused, unless ``names`` says that the word means
        something else. The thread waits for nothing until the assessor writes back."""
        flag = _found(self, pk)
        sent = parsed(NewReply, request.data)
        services.reply_send(flag=flag, comment=sent.comment, names_are_fine=sent.names)
        (thread,) = threads_at(self.study, [{"assessor": flag.assessor_id, "assignment": flag.assignment_id}])
        return Response(_detail(thread).model_dump(mode="json"))


class ThreadSettle(StudyView):
    @operation("assessors", "thread_settle", "Settle a thread", *WRITES, status=204)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Without an answer: it waits for none."""
        services.thread_settle(flag=_found(self, pk))
        return Response(status=204)


def _found(view: StudyView, pk: int) -> Flag:
    return found_or_404(flag_find(view.study, pk), "There is no such thread.")


def _detail(thread: Thread) -> ThreadDetail:
    flag = thread.flag
    subject = flag.assignment.subject if flag.assignment else None
    about = (subject.output or subject) if subject else None
    item = (about.document or about.topic) if about else None
    return ThreadDetail(
        id=flag.pk,
        assessor=flag.assessor.pseudonym,
        position=flag.assignment.position if flag.assignment else None,
        task=subject.task.name if subject else None,
        item=item.key if item else None,
        waits=thread.waits,
        words=[ThreadWord(text=word.text, at=word.at, by=word.by or None) for word in thread.words],
    )

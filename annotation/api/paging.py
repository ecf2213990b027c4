"""Lists, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.core.paginator import EmptyPage, Paginator
from django.db.models import QuerySet
from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from annotation.api.schemas import Page, PageQuery


def paged(
    request: Request,
    rows: QuerySet[Any],
    query: PageQuery,
    model: type[Page],
    given: Callable[[Any], Any],
    *,
    read: Callable[[Iterable[Any]], Iterable[Any]] = iter,
) -> Response:
    """The page that the query asks for; ``given`` turns a row into what is shown of it, after ``read`` has completed all of them."""
    pages = Paginator(rows, query.page_size)
    try:
        page = pages.page(query.page)
    except EmptyPage:
        raise Http404(f"There is no page {query.page}; the last one is {pages.num_pages}.") from None
    found = model(
        count=pages.count,
        next=_address(request, page.next_page_number()) if page.has_next() else None,
        previous=_address(request, page.previous_page_number()) if page.has_previous() else None,
        results=[given(row) for row in read(page.object_list)],
    )
    return Response(found.model_dump(mode="json"))


def _address(request: Request, page: int) -> str:
    return replace_query_param(request.build_absolute_uri(), "page", page)

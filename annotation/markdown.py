"""Instructions are Markdown, written by an experimenter: rendered without raw HTML, then sanitised."""

from __future__ import annotations

import functools
import re

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_parser = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    *(
        "a",
        "blockquote",
        "br",
        "code",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "ul",
    ),
    *("table", "tbody", "td", "th", "thead", "tr"),
}


# Nobody marks up so much. Parsing what is nested takes the square of its length: 19,000 brackets cost seconds.
MARKS_MAX = 3000
_MARKS = re.compile(r"[\[\]*_`<>!~|]")
_plain = MarkdownIt("zero")  # paragraphs, and nothing else


@functools.lru_cache(maxsize=64)
def render(text: str) -> SafeString:
    """Markdown as HTML that is safe on any page."""
    parser = _parser if sum(1 for _ in _MARKS.finditer(text)) <= MARKS_MAX else _plain
    html = nh3.clean(
        parser.render(text), tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
    # Safe: nh3 has just removed every tag, attribute and address that is not on the lists above.
    return mark_safe(html)  # noqa: S308

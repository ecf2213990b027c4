"""Instructions are Markdown, written by an experimenter: rendered without raw HTML, then sanitised."""

from __future__ import annotations

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


def render(text: str) -> SafeString:
    """Markdown as HTML that is safe on any page."""
    html = nh3.clean(
        _parser.render(text), tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
    # Safe: nh3 has just removed every tag, attribute and address that is not on the lists above.
    return mark_safe(html)  # noqa: S308

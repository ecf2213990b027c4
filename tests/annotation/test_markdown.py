"""Instructions that would keep a server busy."""

import time

import pytest

from annotation import markdown


@pytest.mark.parametrize("mark", ["[", "![[", "*a ", "_a*b ", "`a``b", "<a", "[a](b "])
def test_a_text_of_nothing_but_marks_is_shown_as_it_is_and_quickly(mark):
    text = mark * 40_000
    started = time.process_time()
    html = markdown.render(text)
    # Read as Markdown, 40,000 brackets take 5 s of a processor, and twice as many four times as long.
    assert time.process_time() - started < 2
    assert html.startswith("<p>")


def test_ordinary_marks_are_read_as_markdown():
    assert "<strong>well</strong>" in markdown.render("Judge **well**, see [here](https://example.org/).")

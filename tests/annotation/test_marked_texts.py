"""Everyone's spans over one text, on the page of systems."""

import pytest
from django.template.loader import render_to_string

MARKED = {
    "texts": [
        {
            "system": "<i>poor</i>",
            "item": "d1",
            "spans": 2,
            "units": [
                {
                    "unit": 1,
                    "people": 4,
                    "pieces": [
                        {"text": "A <b>", "people": ["p1", "p2", "p3", "p4"]},
                        {"text": "oat", "people": ["p1"]},
                        {"text": " sailed.", "people": []},
                    ],
                    "spans": [
                        {"words": "A <b>oat", "severity": "major", "category": "Accuracy", "people": ["p1"]},
                        {
                            "words": "A <b>",
                            "severity": "minor",
                            "category": "Style",
                            "people": ["p2", "p3", "p4"],
                        },
                    ],
                }
            ],
        }
    ]
}


@pytest.fixture
def html():
    return render_to_string("annotation/report/_marked.html", {"marked": MARKED, "marked_figures": []})


def test_a_place_is_the_heavier_the_more_people_marked_it(html):
    assert (
        '<mark class="by-3" title="p1, p2, p3, p4">A &lt;b&gt;</mark><sub aria-hidden="true">4</sub>' in html
    )
    assert '<mark class="by-1" title="p1">oat</mark>' in html


def test_every_span_stands_in_a_list_in_words_and_nothing_is_markup(html):
    assert "minor, Style, by p2, p3, p4 (3 of 4)" in html
    assert "&lt;i&gt;poor&lt;/i&gt;" in html
    assert "<b>" not in html
    assert "<i>" not in html

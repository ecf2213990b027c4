"""Marked errors in a report: how many of which kind, where they stand, and everyone's spans laid over each other."""

import json
from html.parser import HTMLParser

import pandas as pd
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from metrics.drawing.scene import SIZE, Words
from metrics.report import Options, build_report, records, render_figure
from metrics.report.drawn import figure_scene
from metrics.report.figure_data import figure_frame
from metrics.report.html import page
from metrics.report.marked import BINS, pieces
from metrics.report.printed.systems import systems_table, winners_table
from tests.metrics.human.rows import table
from tests.metrics.report.studies import marked_study


@pytest.fixture(scope="module")
def section(of_marks):
    (found,) = of_marks.data["marked"]
    return found


def spec_of(report, kind):
    return next(spec for spec in report.data["figures"] if spec["kind"] == kind)


def test_errors_are_counted_by_branch_and_severity_for_each_unit_judged(of_marks, section):
    frame = figure_frame(of_marks.data, spec_of(of_marks, "errors"))
    rows = {
        (row.system, row.category, row.severity): (row.errors, row.units, row.rate)
        for row in frame.itertuples()
    }
    # Two people, three documents of two units: twelve judgments of a unit for each system.
    assert rows["poor", "Accuracy", "major"] == (6, 12, 0.5)
    assert rows["poor", "Style", "minor"] == (3, 12, 0.25)
    assert rows["good", "Style", "minor"] == (3, 12, 0.25)
    assert section["severities"] == ["major", "minor"]


def test_the_drawing_says_each_bar_and_tells_categories_apart_by_lightness(of_marks):
    spec = spec_of(of_marks, "errors")
    scene = figure_scene(of_marks.data, spec, 340)
    hints = [part.hint for part in scene.parts if hasattr(part, "hint")]
    assert "poor, major, Accuracy: 6 errors, 0.50 for each unit" in hints
    assert spec["systems"] == ["good", "fair", "poor"]
    colours = {area.fill for part in scene.parts if hasattr(part, "hint") for area in part.parts}
    assert len(colours) == len(spec["categories"]) == 2
    assert all(colour.startswith("ramp-") for colour in colours)


@pytest.mark.parametrize("width", [340, 640])
def test_bold_names_of_systems_are_not_cut_off(of_marks, width):
    """As wide as matplotlib says of DejaVu Sans Bold, the widest face that pages and files use."""
    spec = spec_of(of_marks, "errors")
    longer = {system: f"newstest.{system}.4538" for system in spec["systems"]}
    spec = {**spec, "systems": list(longer.values())}
    scene = figure_scene(of_marks.data, spec, width)
    bold = FontProperties(family="DejaVu Sans", weight="bold")
    names = [part for part in scene.parts if isinstance(part, Words) and part.is_bold]
    assert len(names) == 3
    for name in names:
        assert TextPath((0, 0), name.text, size=SIZE, prop=bold).get_extents().width <= name.x


def test_the_heat_of_a_document_is_the_share_of_people_at_each_place(of_marks, section):
    spec = spec_of(of_marks, "heat")
    frame = figure_frame(of_marks.data, spec)
    poor = frame[frame["system"] == "poor"]
    assert len(poor) == BINS
    # Both mark the first four of 40 characters, one the last ten of the second unit.
    assert poor["share"].iloc[0] == 1
    assert poor["share"].iloc[-1] == 0.5
    assert poor["share"].mean() == pytest.approx((4 * 2 + 10) / 2 / 40, abs=1e-6)
    assert render_figure(of_marks.data, spec, forms=("svg",))["svg"].startswith(b"<")


def test_a_text_is_cut_where_spans_begin_and_end():
    spans = pd.DataFrame([("p1", 0, 4), ("p2", 2, 6)], columns=["assessor", "start", "end"])
    assert [(piece["text"], piece["people"]) for piece in pieces("abcdefgh", spans)] == [
        ("ab", ["p1"]), ("cd", ["p1", "p2"]), ("ef", ["p2"]), ("gh", []),
    ]  # fmt: skip


class Laid(HTMLParser):
    """The words and the marks of the first text."""

    def __init__(self):
        super().__init__()
        self.text, self.marks, self.inside, self.tags = "", [], None, set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        known = dict(attributes)
        self.inside = "laid" if known.get("class") == "laid" else tag if self.inside else None
        if tag == "mark":
            self.marks.append((known["class"], known["title"]))

    def handle_endtag(self, tag):
        self.inside = None if tag == "p" else "laid" if self.inside else None

    def handle_data(self, data):
        if self.inside in ("laid", "mark"):
            self.text += data


def test_the_page_lays_everyones_spans_over_each_other_escaped_and_in_words(of_marks):
    html = page(of_marks.data)
    part = html[html.index('<section id="marked">') : html.index('<section id="left-out">')]
    laid = Laid()
    laid.feed(part)
    assert "<b>oat</b>" in laid.text
    assert "b" not in laid.tags
    assert ("by-2", "p1, p2") in laid.marks
    assert ("by-1", "p1") in laid.marks
    # A screen reader gets every span as a line of a list.
    assert "major, Accuracy/Mistranslation, by p1, p2 (2 of 2)" in part
    assert '<sub aria-hidden="true">2</sub>' in part


def test_metrics_are_set_against_these_scores_item_by_item(of_marks):
    ids = [section["id"] for section in of_marks.data["human"]]
    assert ids[0] == "spans/mqm"
    rows = of_marks.data["meta"][0]["correlations"]["rows"]
    columns = of_marks.data["meta"][0]["correlations"]["columns"]
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    of_items = [row for row in found if row["level"] == "global" and row["method"] == "pearson"]
    # The metric is the number of points taken off, so that it follows mqm, negated, wholly.
    assert [row["statistic"] for row in of_items] == [pytest.approx(1)]
    agreed = {(row[1], row[2]): row[3] for row in of_marks.data["agreement"]["rows"]}
    assert 0 < agreed["spans", "span-f1"] < 1
    assert ("spans", "alpha-u") in agreed


def test_without_texts_the_section_says_why_nothing_is_laid_over_each_other():
    judgments, attributes, _, scores = marked_study()
    report = build_report(
        judgments, attributes=attributes, scores=scores, options=Options(metrics=[], n_resamples=20)
    )
    (section,) = report.data["marked"]
    assert section["texts"] == [] == section["documents"]
    assert {
        "section": "marked",
        "human": None,
        "why": "spans: there are no texts to lay the spans over",
    } in report.data["missing"]
    json.dumps(report.data, allow_nan=False)


def test_a_study_without_marks_has_no_such_section(of_adequacy):
    assert of_adequacy.data["marked"] == []
    assert "Marked texts" not in page(of_adequacy.data)


def test_what_is_negated_is_said_to_be_and_what_is_pooled_stands_beside_the_mean():
    """Five units of weight 0 and one item of a single unit: the mean over items is not that over units."""
    weights = {"A": {"long": [0, 0, 0, 0, 1], "short": [6]}, "B": {"long": [2, 2, 2, 2, 2], "short": [3]}}
    rows = [
        {"assessor": "p", "system": system, "item": item, **said}
        for system, items in weights.items()
        for item, units in items.items()
        for unit, weight in enumerate(units, start=1)
        for said in (
            {"unit": f"{unit}", "criterion": "errors", "value": 1},
            {"unit": f"{unit}/0:3", "criterion": "Style", "value": weight, "label": "minor"},
        )
    ]
    report = build_report(
        table(rows, kind="error_spans", task="spans"), options=Options(human=("mqm",), n_resamples=100)
    )
    (section,) = report.data["human"]
    found = {row["system"]: (row["mean"], row["pooled"]) for row in records(section["systems"])}
    assert found == {"A": (pytest.approx(-3.1), pytest.approx(-7 / 6)), "B": (-2.5, pytest.approx(-13 / 6))}
    assert section["negated"]
    assert "B has the highest mean by mqm (negated), −2.50" in section["headline"]
    shown = systems_table(section, report.data["options"])
    assert "Pooled" in [head.title for head in shown.heads]
    assert "values are shown negated" in shown.note
    assert "Order, intervals and tests go by means over items" in shown.note
    assert "Lower is better by spans/mqm" in winners_table(report.data).note

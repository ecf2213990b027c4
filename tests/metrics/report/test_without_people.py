"""KING beside correlations in a report, and metrics that need a parser where there is none."""

from xml.etree import ElementTree

import pytest

from metrics.report import figure_named, frame_of, render_figure
from metrics.report.figure_data import figure_frame
from metrics.report.html import page
from metrics.report.names import king_basis
from tests.metrics.report.studies import THREE, report_of


def test_king_stands_beside_the_correlation_where_items_have_three_references():
    report = report_of(THREE, ["rouge-1-f", "ngram-1-1"])
    king = frame_of(report.data["meta"][0]["king"])
    assert king["metric"].tolist() == ["ngram-1-1"], "of the default set, what was computed"
    assert king["king"].tolist() == [1.0]
    assert any(found.name.startswith("king-") for found in report.tables)


def test_the_reader_is_told_what_king_is_a_share_of(of_three_references):
    told = "over 6 references of 2 items with 3 references or more"
    data = of_three_references.data
    assert data["meta"][0]["king_basis"] == {"references": 6, "items": 2, "of": 2, "fewest": 3}
    assert f"metrics of the default set, {told}." in " ".join(data["methods"])
    assert page(data).count(told) == 3, "methods, figure and table"
    # Of many items only some are taken, because every text is compared with every reference: SummEval's ten of a hundred.
    some = king_basis({"references": 110, "items": 10, "of": 100, "fewest": 3})
    assert some == "over 110 references of 10 of 100 items with 3 references or more"


def test_with_two_references_there_is_no_king():
    data = report_of(THREE[:2], ["ngram-1-1"]).data
    assert data["meta"][0]["king"] is None
    assert "KING" not in " ".join(data["methods"])


def test_metrics_without_a_parser_are_left_out_and_the_report_says_what_to_install(monkeypatch):
    monkeypatch.setattr("metrics.automatic.syntax.parsers.spacy_parser", lambda: None)
    report = report_of(THREE[:1], ["rouge-1-f", "bewte"])
    assert any("pip install 'touchstone[syntax]'" in note["note"] for note in report.data["notes"])
    assert any("bewte" in entry["why"] for entry in report.data["left_out"])


def words_of(report, name):
    svg = render_figure(report.data, figure_named(report.data, name), forms=("svg",))["svg"]
    return [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_figure_has_king_and_correlation_of_each_metric(of_three_references):
    (spec,) = [spec for spec in of_three_references.data["figures"] if spec["kind"] == "king"]
    king = frame_of(of_three_references.data["meta"][0]["king"])
    assert figure_frame(of_three_references.data, spec).equals(king[["metric", "king", "pearson"]])
    words = words_of(of_three_references, spec["name"])
    assert {"KING", "Pearson’s r", *king["metric"]} <= set(words)


def test_three_outputs_are_explained_from_the_highest_score_to_the_lowest(of_three_references):
    explained = of_three_references.data["explained"]
    assert [one["which"] for one in explained] == ["highest", "middle", "lowest"]
    scores = [one["score"] for one in explained]
    assert scores == sorted(scores, reverse=True)
    for one in explained:
        assert one["recall"] == pytest.approx(len(one["matched"]) / one["reference_elements"])
        assert len(one["matched"]) + len(one["missed"]) == one["reference_elements"]
        assert len(one["matched"]) + len(one["extra"]) == one["output_elements"]


def test_the_picture_of_an_explanation_says_what_matched_what_by_what():
    """Worded differently first, with what joined them; then what is identical, and what is only in one of the texts."""
    report = report_of(
        ["The kitten drank the milk of <Anna>."], ["bewte"], outputs=["The cat drank Anna's milk quickly."]
    )
    spec = next(spec for spec in report.data["figures"] if spec["kind"] == "elements")
    table = figure_frame(report.data, spec)
    assert table["found"].tolist() == sorted(table["found"], key=["matched", "missed", "extra"].index)
    by = table.loc[table["found"] == "matched", "by"].tolist()
    assert by == sorted(by, key=lambda step: step == "identity")
    said = words_of(report, spec["name"])
    assert {"drank + milk", "kitten", "quickly"} <= {
        word for words in said for word in (words, *words.split(" + "))
    }
    html = page(report.data)
    assert "Why an output has its BEwT-E score" in html
    assert "<Anna>" not in html


def test_without_bewte_nothing_is_explained(of_adequacy):
    assert of_adequacy.data["explained"] == []

"""Figures: drawn from the report alone, with the numbers behind them, the same each time."""

import io
from xml.etree import ElementTree

import pandas as pd
import pytest

from metrics.drawing.scene import Group, Words
from metrics.errors import BadInput
from metrics.report import (
    figure_named,
    frame_of,
    page_figure,
    records,
    render_figure,
    scatter_spec,
    williams_spec,
)
from metrics.report.drawn import figure_scene
from metrics.report.figure_data import figure_frame
from metrics.report.figures import shown_metrics
from metrics.report.plots import PLOTS
from tests.metrics.report.studies import SYSTEMS

SVG = "{http://www.w3.org/2000/svg}"
KINDS = sorted(set(PLOTS) - {"duels"})
"""All but those of comparisons, which a report of their own has (test_comparisons.py)."""


def spec_of(report, kind):
    return next(spec for spec in report.data["figures"] if spec["kind"] == kind)


def words(svg: bytes) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture
def report_with(of_adequacy, of_three_references, of_marks):
    """The made report that has figures of a kind."""
    others = {
        "king": of_three_references,
        "elements": of_three_references,
        "errors": of_marks,
        "heat": of_marks,
    }
    return lambda kind: others.get(kind, of_adequacy)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_numbers_behind_it(report_with, kind):
    report = report_with(kind)
    made = render_figure(report.data, spec_of(report, kind), forms=("csv",))
    assert list(made) == ["csv"]
    assert len(pd.read_csv(io.BytesIO(made["csv"]))) > 1


def test_text_stays_text_and_names_every_system(of_adequacy):
    for kind in ("systems", "scatter"):
        made = render_figure(of_adequacy.data, spec_of(of_adequacy, kind), forms=("svg",))
        assert set(SYSTEMS) <= set(words(made["svg"]))


def test_a_scatter_plot_of_any_metric_can_be_drawn_later(of_adequacy):
    spec = scatter_spec(of_adequacy.data, "marks/adequacy", "aev-0-3-porter-stop")
    frame = figure_frame(of_adequacy.data, spec)
    human = {row["system"]: row["mean"] for row in records(of_adequacy.data["human"][0]["systems"])}
    assert frame.set_index("system")["human"].to_dict() == human
    assert "lower is better" in scatter_spec(of_adequacy.data, "marks/adequacy", "wer")["axis"]
    with pytest.raises(BadInput, match="expected a metric"):
        scatter_spec(of_adequacy.data, "marks/adequacy", "beauty")
    with pytest.raises(BadInput, match="expected a human score"):
        scatter_spec(of_adequacy.data, "beauty", "wer")


def test_the_heat_map_shows_the_tests_of_the_matrix(of_adequacy):
    """The table of all pairs holds the same p-values, to four digits."""
    matrix = next(each for each in of_adequacy.tables if each.name.startswith("williams")).frame.set_index(
        "metric"
    )
    frame = figure_frame(of_adequacy.data, spec_of(of_adequacy, "williams"))
    for row in frame.dropna(subset="pvalue").itertuples():
        assert row.pvalue == pytest.approx(matrix.loc[row.row, row.column], rel=1e-3, abs=1e-4)
    assert frame["pvalue"].isna().sum() == frame["row"].nunique()


def test_figures_show_the_best_of_each_family_and_then_the_best():
    rows = [("a1", "a", 0.9), ("a2", "a", 0.8), ("a3", "a", 0.7), ("b1", "b", 0.2), ("c1", "c", None)]
    summary = [dict(zip(("metric", "family", "pearson"), row, strict=True)) for row in rows]
    assert shown_metrics(summary, 3) == ["a1", "a2", "b1"]
    assert shown_metrics(summary, 1) == ["a1"]


def test_a_crowd_is_cut_to_those_who_judged_most(of_adequacy):
    table = frame_of(of_adequacy.data["assessors"]["distributions"])
    one = table[(table["criterion"] == "adequacy") & (table["assessor"] == "a1")]
    many = pd.concat([one.assign(assessor=f"p{k:03d}", n=k) for k in range(60)])
    crowd = {"columns": list(many.columns), "rows": many.to_numpy().tolist()}
    data = of_adequacy.data | {"assessors": of_adequacy.data["assessors"] | {"distributions": crowd}}
    names = set(figure_frame(data, spec_of(of_adequacy, "assessors"))["assessor"])
    assert len(names) == 40
    assert "p059" in names
    assert "p000" not in names


def test_an_undefined_cell_of_the_grid_can_be_seen(of_adequacy):
    """Nothing is drawn under it: its dash is ink, not white."""
    meta = [dict(section) for section in of_adequacy.data["meta"]]
    statistic = [list(row) for row in meta[0]["aev"]["statistic"]]
    statistic[0][0] = None
    meta[0]["aev"] = meta[0]["aev"] | {"statistic": statistic}
    scene = figure_scene(of_adequacy.data | {"meta": meta}, spec_of(of_adequacy, "aev"))
    cells = [part.parts[1] for part in scene.parts if isinstance(part, Group)]
    (dash,) = [cell for cell in cells if isinstance(cell, Words) and cell.text == "–"]
    assert dash.colour == "ink"


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_is_drawn_for_every_place_from_one_description(report_with, kind):
    """On a page and in files there are the same words, however much room there is."""
    report = report_with(kind)
    spec = spec_of(report, kind)
    files = render_figure(report.data, spec)
    assert list(files) == ["svg", "pdf", "png", "csv"]
    assert files == render_figure(report.data, spec)
    drawings = page_figure(report.data, spec).drawings
    assert list(drawings) == ["narrow", "wide"]
    hints = [ElementTree.fromstring(svg).findall(".//g/title") for svg in drawings.values()]
    assert [each.text for each in hints[0]] == [each.text for each in hints[1]]
    assert all(svg.startswith(f'<svg class="{name}"') for name, svg in drawings.items())


def test_a_matrix_says_its_cells_in_the_numbers_of_the_report(of_adequacy):
    board = page_figure(of_adequacy.data, williams_spec(of_adequacy.data, "marks/adequacy")).board
    williams = of_adequacy.data["meta"][0]["williams"]
    assert [own.split(" (r = ")[0] for own in board["own"]] == williams["metrics"]
    assert len(board["cells"][0]) == len(williams["metrics"]) - 1
    assert set(board["places"]) == {"narrow", "wide"}
    assert all(
        cell.startswith(("= .", "< .001", "= 1.000", "undefined")) for row in board["cells"] for cell in row
    )


def test_forty_thousand_cells_are_a_handful_of_pieces(of_adequacy):
    names = [f"m{place:03d}" for place in range(200)]
    williams = {
        "metrics": names,
        "correlation": [1 - place / 200 for place in range(200)],
        "pvalue": [
            [(7 * row + 3 * column) % 100 / 1000 for column in range(199 - row)] for row in range(200)
        ],
        "alpha": 0.05,
        "signature": "s1",
    }
    meta = [dict(of_adequacy.data["meta"][0]) | {"williams": williams}, *of_adequacy.data["meta"][1:]]
    drawn = page_figure(
        of_adequacy.data | {"meta": meta}, williams_spec(of_adequacy.data | {"meta": meta}, "marks/adequacy")
    )
    (svg,) = drawn.drawings.values()
    assert svg.count("<path") < 10


def test_figures_are_found_by_their_names(of_adequacy):
    data = of_adequacy.data
    for spec in data["figures"]:
        assert figure_named(data, spec["name"]) == spec
    scatter = scatter_spec(data, "marks/adequacy", "aev-0-3-porter-stop")
    assert figure_named(data, scatter["name"]) == scatter
    assert figure_named(data, "williams-all-marks--adequacy") == williams_spec(data, "marks/adequacy")
    curves = figure_named(data, "prediction-marks--adequacy", curves=["chrf", "nobody", "chrf"])
    assert curves["metrics"] == ["chrf"]
    for wrong in ("", "scatter-marks--adequacy--nobody", "williams-all-x", "../report"):
        with pytest.raises(BadInput, match="expected a figure"):
            figure_named(data, wrong)

"""Figures: drawn from the report alone, with the numbers behind them, the same each time."""

import io
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from metrics.errors import BadInput
from metrics.report import frame_of, records, render_figure, scatter_spec
from metrics.report.figures import figure_frame, shown_metrics
from metrics.report.plots import PLOTS, short
from metrics.report.style import BLUE, INK, LINE, PAPER, inline
from tests.metrics.report.studies import SYSTEMS

SVG = "{http://www.w3.org/2000/svg}"


def spec_of(report, kind):
    return next(spec for spec in report.data["figures"] if spec["kind"] == kind)


def words(svg: bytes) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", sorted(PLOTS))
def test_every_kind_has_numbers_behind_it(of_adequacy, kind):
    made = render_figure(of_adequacy.data, spec_of(of_adequacy, kind), forms=("csv",))
    assert list(made) == ["csv"]
    assert len(pd.read_csv(io.BytesIO(made["csv"]))) > 2


def test_text_stays_text_and_names_every_system(of_adequacy):
    for kind in ("systems", "scatter"):
        made = render_figure(of_adequacy.data, spec_of(of_adequacy, kind), forms=("svg",))
        assert set(SYSTEMS) <= set(words(made["svg"]))


def test_no_name_of_a_scatter_plot_lies_on_a_point(of_adequacy):
    spec = spec_of(of_adequacy, "scatter")
    figure = PLOTS["scatter"](figure_frame(of_adequacy.data, spec), spec)
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    points = axes.transData.transform(axes.lines[0].get_xydata())
    for label in axes.texts:
        box = Text.get_window_extent(label)
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in points)


def scatter_of(points):
    """The scatter plot of {name: (metric, human)}."""
    frame = pd.DataFrame(
        [
            {"system": name, "metric": x, "human": y, "low": None, "high": None}
            for name, (x, y) in points.items()
        ]
    )
    figure = PLOTS["scatter"](frame, {"axis": "m", "human": "t/c"})
    figure.draw_without_rendering()
    return figure.axes[0]


@pytest.mark.parametrize("number", [12, 60])
def test_names_in_a_crowd_cover_neither_points_nor_each_other(number):
    """Most systems in one corner, as good systems are; every name of a dozen finds room, of sixty only some do."""
    rng = np.random.default_rng(number)
    crowd = 5 - rng.exponential(0.15, size=(number - 2, 2))
    places = [*crowd, (1.0, 1.0), (2.0, 1.5)]
    axes = scatter_of({f"system {k}": place for k, place in enumerate(places)})
    boxes = [
        Text.get_window_extent(label) for label in axes.texts
    ]  # that of an annotation has its line in it
    assert len(boxes) == number if number == 12 else 2 < len(boxes) < number
    points = axes.transData.transform(axes.lines[0].get_xydata())
    for place, box in enumerate(boxes):
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for x, y in points)
        assert not any(box.overlaps(other) for other in boxes[:place])
        assert axes.bbox.y0 <= box.y0
        assert box.x1 <= axes.figure.bbox.x1 + 1


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
    spec = spec_of(of_adequacy, "aev")
    frame = figure_frame(of_adequacy.data, spec)
    frame.loc[0, "r2"] = None
    (dash,) = [cell for cell in PLOTS["aev"](frame, spec).axes[0].texts if cell.get_text() == "–"]
    assert dash.get_color() == INK


def test_names_that_look_like_code_are_left_as_they_are():
    name = f'{INK} id="x" url(#a)'
    svg = f'<svg width="1" id="a"><text id="b" fill="{INK}">{name}</text></svg>'.encode()
    root = ElementTree.fromstring(inline(svg, name="g1", title="t"))
    assert root[0].text == name
    assert (root[0].attrib["id"], root[0].attrib["fill"]) == ("g1-b", "currentColor")


def test_inside_a_page_a_figure_takes_its_colours_and_ids(of_adequacy):
    svg = render_figure(of_adequacy.data, spec_of(of_adequacy, "systems"), forms=("svg",))["svg"]
    text = inline(svg, name="g7", title='say "<this>"')
    assert not any(colour in text for colour in (PAPER, INK, LINE, BLUE))
    assert "currentColor" in text
    root = ElementTree.fromstring(text)
    assert root.attrib["aria-label"] == 'say "<this>"'
    ids = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    assert all(name.startswith("g7-") for name in ids)
    assert len(ids) == len(set(ids))


def test_a_long_name_loses_its_middle():
    """Names that differ only at their end can still be told apart."""
    assert short("a" * 30 + "x" * 10) == "a" * 21 + "…" + "x" * 10
    assert short("short") == "short"

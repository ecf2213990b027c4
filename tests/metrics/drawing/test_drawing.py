"""Drawings: room for words, round numbers, names that cover nothing, and the same scene as SVG, PNG and PDF."""

from xml.etree import ElementTree

import matplotlib.font_manager
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.ft2font import FT2Font

from metrics.drawing.axes import SERIES, loose_scale, mark, round_numbers, round_scale
from metrics.drawing.labels import overlap, placed_names, size_for
from metrics.drawing.paper import printed
from metrics.drawing.scene import Area, Dot, Group, Line, Scene, Words, box, fitted, room_for, width_of
from metrics.drawing.svg import PAPER, file_svg, page_svg

SVG = "{http://www.w3.org/2000/svg}"
WITHIN = (0.0, 0.0, 440.0, 320.0)
numbers = st.floats(-1e6, 1e6).filter(lambda value: abs(value) > 1e-6)


def scene_of(*parts) -> Scene:
    return Scene(100, 50, "a drawing", list(parts))


# --- words --------------------------------------------------------------------------------------------------------


def test_widths_are_those_of_the_face_of_png_and_pdf():
    """Expected: the advances in the font file itself, as FreeType reads them."""
    font = FT2Font(matplotlib.font_manager.findfont("DejaVu Sans"))
    font.set_size(1000, 72)
    for sign in [chr(code) for code in range(32, 127)] + list("éÜ–−…α"):
        advance = font.load_char(ord(sign)).linearHoriAdvance / 65536
        assert width_of(sign, 1000) == pytest.approx(advance, abs=1), sign


def test_a_name_that_does_not_fit_loses_its_middle():
    """Names that differ only at their end can still be told apart."""
    short = fitted("a" * 30 + "x" * 10, 150)
    assert short.startswith("aaa")
    assert "…" in short
    assert short.endswith("xxx")
    assert fitted("short", 150) == "short"
    assert fitted("two\nlines", 150) == "two lines"


@given(st.text(max_size=60), st.floats(20, 300))
def test_what_is_fitted_fits(name, room):
    assert width_of(fitted(name, room)) <= max(room, width_of(f"{' '.join(name.split())[:1]}…"))


@given(st.lists(st.text(max_size=40), min_size=1))
def test_the_longest_name_fits_into_the_room_that_was_made_for_it(names):
    room = room_for(names, 1e9)
    assert [fitted(name, room) for name in names] == [" ".join(name.split()) for name in names]


# --- axes ---------------------------------------------------------------------------------------------------------


@given(numbers, numbers)
def test_round_numbers_hold_all_values_and_are_few(one, other):
    low, high = sorted((one, other))
    ticks = round_numbers(low, high, 5)
    room = 1e-6 * max(high - low, abs(low))
    assert ticks[0] <= low + room
    assert ticks[-1] >= high - room
    assert 2 <= len(ticks) <= 9
    assert ticks == sorted(set(ticks))


def test_round_numbers_are_round():
    assert round_numbers(0, 1, 5) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert round_numbers(0.12, 0.94, 4) == [0, 0.25, 0.5, 0.75, 1]
    assert round_numbers(3, 3, 6) == [2.7, 2.8, 2.9, 3.0, 3.1, 3.2, 3.3]


@given(st.lists(numbers, min_size=1, max_size=5))
def test_a_scale_keeps_all_values_between_its_ends(values):
    for scale in (round_scale(values, 10, 200), loose_scale(values, 10, 200)):
        assert all(10 - 1e-6 <= scale(value) <= 200 + 1e-6 for value in values)


# --- names in a plane ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [12, 60])
def test_names_in_a_crowd_cover_neither_points_nor_each_other(number):
    """Most systems in one corner, as good systems are; every name of a dozen finds room, of sixty only some do."""
    rng = np.random.default_rng(number)
    crowd = 5 - rng.exponential(0.15, size=(number - 2, 2))
    places = np.array([*crowd, (1.0, 1.0), (2.0, 1.5)])
    points = [(30 + 75 * x, 310 - 58 * y) for x, y in places.tolist()]
    names = [f"system {place}" for place in range(number)]
    labels = placed_names(points, names, WITHIN)
    size = size_for(number)
    boxes = [
        (
            label.place[0],
            label.place[1] - 0.9 * size,
            label.place[0] + width_of(name, size),
            label.place[1] + 0.3 * size,
        )
        for label, name in zip(labels, names, strict=True)
        if label.place is not None
    ]
    assert len(boxes) == number if number == 12 else 2 < len(boxes) < number
    for place, one in enumerate(boxes):
        assert not any(one[0] < x < one[2] and one[1] < y < one[3] for x, y in points)
        assert not any(overlap(one, other) for other in boxes[:place])
        assert WITHIN[0] <= one[0]
        assert one[2] <= WITHIN[2]


# --- SVG ----------------------------------------------------------------------------------------------------------

hostile = st.text(alphabet="ab<>&\"' \x00\x0b\ud800\ufffe</script>", max_size=20)


@given(hostile, hostile)
def test_no_name_can_write_into_a_drawing(name, hint):
    scene = Scene(100, 50, hint, [Group([Words(1, 2, name)], hint, is_point=True)])
    for text in (page_svg(scene), file_svg(scene, title=name).decode()):
        root = ElementTree.fromstring(text)
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {"svg", "g", "title", "text", "rect"}


def test_a_file_has_fixed_colours_on_white_and_text_as_text():
    text = file_svg(
        scene_of(Words(1, 2, "qx31"), Dot(1, 1, 2), Words(3, 4, "unseen", is_covered=True)), title="t"
    ).decode()
    assert "var(" not in text
    assert f'fill="{PAPER["paper"]}"' in text
    assert ">qx31</text>" in text
    assert "unseen" not in text
    assert ElementTree.fromstring(text).find(f"{SVG}title").text == "t"


def test_on_a_page_colours_are_those_of_the_page_and_points_can_be_reached():
    text = page_svg(
        scene_of(Group([Dot(1, 1, 2, "series-2")], "s: 1", is_point=True), Line([(0, 0), (1, 1)], "line"))
    )
    assert not any(colour in text for colour in PAPER.values())
    assert 'fill="var(--draw-series-2)"' in text
    assert 'tabindex="0" role="img" aria-label="s: 1"' in text
    assert "style" not in text
    assert 'role="group"' in text
    assert 'role="img" aria-label="a drawing"' in page_svg(scene_of(Dot(1, 1, 2)))


def test_cells_side_by_side_are_one_element():
    text = page_svg(scene_of(Area([box(x, 0, 5, 5) for x in range(0, 50, 10)], "ramp-2")))
    assert text.count("<path") == 1
    assert text.count("zM") == 4


def test_marks_of_series_differ_in_shape_and_not_only_in_colour():
    shapes = {
        page_svg(scene_of(mark(series, 10, 10))).replace(f"series-{series}", "") for series in range(SERIES)
    }
    assert len(shapes) == SERIES


# --- paper --------------------------------------------------------------------------------------------------------

EVERYTHING = scene_of(
    Line([(0, 0), (10, 10), (20, 0)], "accent", 2, (4, 2)),
    Area([box(5, 5, 20, 10)], "ramp-3", "ink"),
    Dot(30, 30, 5, "series-1"),
    Group([Words(40, 20, "ink", has_halo=True), Words(60, 40, "upwards", is_turned=True)], "two words"),
)


@pytest.mark.parametrize(("form", "begin"), [("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-")])
def test_the_same_scene_is_the_same_file(form, begin):
    one, other = (printed(EVERYTHING, form, title="t") for _ in range(2))
    assert one == other
    assert one.startswith(begin)


def test_a_pdf_has_no_date_and_embeds_fonts_as_true_type():
    """Publishers refuse fonts of type 3."""
    content = printed(EVERYTHING, "pdf", title="t")
    assert b"CreationDate" not in content
    assert b"/Type3" not in content
    assert b"/FontFile2" in content

"""Plain text, one output a line."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.base import ITEMS_FILE
from metrics.formats.plain_text import read_outputs, read_references, write_outputs, write_references
from tests.metrics.formats.texts import write

LINES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r\ufeff"), max_size=20)


def test_a_file_is_a_system_and_a_line_an_item(tmp_path):
    paths = [
        write(tmp_path / "alpha.txt", "Ships wait.\n\nRain.\n"),
        write(tmp_path / "beta.v2", "a\r\nb\r\nc"),
    ]
    assert read_outputs(paths).to_numpy().tolist() == [
        ["alpha", "1", "Ships wait."],
        ["alpha", "2", ""],
        ["alpha", "3", "Rain."],
        ["beta.v2", "1", "a"],
        ["beta.v2", "2", "b"],
        ["beta.v2", "3", "c"],
    ]


def test_references_have_the_name_of_their_file(tmp_path):
    paths = [write(tmp_path / "anna.txt", "x\ny\n"), write(tmp_path / "boris.txt", "z\nw\n")]
    assert read_references(paths).to_numpy().tolist() == [
        ["1", "anna", "x"],
        ["2", "anna", "y"],
        ["1", "boris", "z"],
        ["2", "boris", "w"],
    ]


@given(
    names=st.lists(
        st.text("abcXYZ.-_ é", min_size=1, max_size=6), min_size=1, max_size=3, unique_by=str.lower
    ),
    ids=st.sampled_from([["1", "2", "3"], ["storm", "harvest", "1"]]),
    data=st.data(),
)
@settings(max_examples=30, deadline=None)
def test_texts_come_back_as_they_were(names, ids, data, tmp_path_factory):
    names = [f"s{name}" for name in names]
    rows = [(name, item, data.draw(LINES)) for name in names for item in ids]
    outputs = pd.DataFrame(rows, columns=["system", "item", "text"], dtype="str")
    folder = tmp_path_factory.mktemp("text")
    paths = [write(folder / name, text) for name, text in write_outputs(outputs).items()]
    ids_file = next((path for path in paths if path.name == ITEMS_FILE), None)
    back = read_outputs([path for path in paths if path != ids_file], items=ids_file)
    pd.testing.assert_frame_equal(back, outputs)
    assert (ids_file is None) == (ids == ["1", "2", "3"])
    references = outputs.rename(columns={"system": "reference"})
    assert write_references(references) == write_outputs(outputs)


def test_a_text_of_several_lines_becomes_one():
    outputs = pd.DataFrame([["s", "1", "Ships wait.\r\nRain."]], columns=["system", "item", "text"])
    assert write_outputs(outputs) == {"s.txt": "Ships wait. Rain.\n"}


def test_references_that_differ_from_item_to_item_are_numbered():
    rows = [["1", "anna", "x"], ["1", "boris", "y"], ["2", "carla", "z"], ["2", "anna", "w"]]
    files = write_references(pd.DataFrame(rows, columns=["item", "reference", "text"]))
    assert files == {"reference-1.txt": "x\nz\n", "reference-2.txt": "y\nw\n"}


def test_files_of_different_length_are_refused(tmp_path):
    paths = [write(tmp_path / "a.txt", "x\ny\n"), write(tmp_path / "b.txt", "z\n")]
    with pytest.raises(BadInput, match=r"b\.txt: expected 2 lines, as many as items, found 1"):
        read_outputs(paths)


def test_bad_files_are_named(tmp_path):
    with pytest.raises(BadInput, match="expected one file per system"):
        read_outputs([write(tmp_path / "a.txt", "x\n"), write(tmp_path / "b" / "a.txt", "x\n")])
    with pytest.raises(BadInput, match=r"none\.txt: no such file"):
        read_outputs([tmp_path / "none.txt"])
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(BadInput, match=r"latin\.txt: expected UTF-8 text"):
        read_outputs([tmp_path / "latin.txt"])
    ids = write(tmp_path / "ids", "storm\nstorm\n")
    with pytest.raises(BadInput, match="row 2: expected the id of an item, once, found it again"):
        read_outputs([tmp_path / "a.txt"], items=ids)


def test_every_system_needs_a_text_for_every_item(tmp_path):
    rows = [["s", "1", "x"], ["t", "2", "y"]]
    outputs = pd.DataFrame(rows, columns=["system", "item", "text"])
    with pytest.raises(BadInput, match="expected a text of s for every item, found none for 2"):
        write_outputs(outputs)
    with pytest.raises(BadInput, match="expected every item of the table, found no 2"):
        write_outputs(outputs, items=write(tmp_path / "ids", "1\n"))

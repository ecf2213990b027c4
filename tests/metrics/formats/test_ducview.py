"""DUCView's files: what DUCView 1.5 itself printed for three peers, and the same files back again.

``tests/data/tasks2/pyramid`` has a pyramid and peers of our own in DUCView's format; ``ducview-1.5.printed.txt`` is what the program printed.
"""

import re
import warnings

import pandas as pd
import pytest

from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.formats.study import Study
from metrics.human import human_score
from metrics.human.pyramid import contributors, pair_f1
from tests.conftest import ROOT

FOLDER = ROOT / "tests" / "data" / "tasks2" / "pyramid"
PEERS = sorted(FOLDER.glob("*.pan"))
FILES = [FOLDER / "harbour.pyr", *PEERS]
DUCVIEW = FORMATS["ducview"]


@pytest.fixture(scope="module")
def judgments():
    return DUCVIEW.reads["judgments"](FILES)


def printed(name):
    """What DUCView printed, by peer."""
    text = (FOLDER / "ducview-1.5.printed.txt").read_text()
    peers = re.split(r"-+\n(harbour\.\w+\.pan)\n-+\n", text)[1:]
    found = {
        peer.split(".")[1]: re.search(rf"{name}: +(\S+)", rest)
        for peer, rest in zip(*[iter(peers)] * 2, strict=True)
    }
    return {system: float(match.group(1)) for system, match in found.items()}


@pytest.mark.parametrize(
    ("score", "name"),
    [
        ("pyramid", "Quality score"),
        ("pyramid-coverage", "Coverage score"),
        ("pyramid-comprehensive", "Comprehensive score"),
    ],
)
def test_scores_are_those_that_ducview_printed(judgments, score, name):
    ours = human_score(judgments, score).scores.set_index("system")["score"]
    assert len(ours) == len(PEERS) == 3
    for system, value in printed(name).items():
        assert ours[system] == pytest.approx(value, abs=5e-5)


def test_the_modified_score_rounds_the_average_or_cuts_it_as_ducview_does(judgments):
    """15 contributors of four models: 3.75, so 4 SCUs (best 11), or 3 in integer division (best 9)."""
    rounded = human_score(judgments, "pyramid-modified").scores.set_index("system")["score"]
    cut = human_score(judgments, "pyramid-modified", average="floor").scores.set_index("system")["score"]
    assert rounded["beta"] == pytest.approx(3 / 11)
    assert cut["beta"] == pytest.approx(3 / 9)
    with pytest.raises(
        BadInput, match="expected round or floor as average of pyramid-modified, found 'median'"
    ):
        human_score(judgments, "pyramid-modified", average="median")


def test_offsets_count_within_a_model(judgments):
    built = contributors(judgments)
    clara = built[(built["scu"] == "1") & (built["reference"] == "harbour-clara")].iloc[0]
    assert (clara["span"], clara["words"]) == ("10:20+33:51", "wind gusts...closed Dorn's port")


def in_order(text):
    """The units of a peer in the order of their numbers; DUCView has them in another, which means nothing."""
    head, *units = re.split(r"(?m)^(?= <peerscu)", text)
    last = units.pop() if units else ""
    return head, sorted(units), last


def test_files_come_back_but_for_the_order_of_units(judgments):
    references, outputs = DUCVIEW.reads["references"](FILES), DUCVIEW.reads["outputs"](PEERS)
    files = DUCVIEW.writes["study"](Study(pd.DataFrame(), references, outputs, judgments))
    assert set(files) == {path.name for path in FILES}
    assert files["harbour.pyr"] == FILES[0].read_text()
    for path in PEERS:
        assert in_order(files[path.name]) == in_order(path.read_text())


def test_a_comment_on_a_unit_comes_back(tmp_path):
    path = tmp_path / "harbour.pyr"
    path.write_text(
        FILES[0].read_text().replace('<scu uid="2" label="', '<scu uid="2" comment="see “3” &amp; 4" label="')
    )
    judgments = DUCVIEW.reads["judgments"]([path])
    (comment,) = judgments[judgments["criterion"] == "comment"].itertuples()
    assert (comment.unit, comment.label) == ("2", "see “3” & 4")
    references = DUCVIEW.reads["references"]([path])
    files = DUCVIEW.writes["study"](
        Study(pd.DataFrame(), references, pd.DataFrame(columns=["system", "item", "text"]), judgments)
    )
    path.write_text(files["harbour.pyr"])
    pd.testing.assert_frame_equal(DUCVIEW.reads["judgments"]([path]), judgments)


def test_offsets_beyond_the_basic_plane_count_utf16(judgments, tmp_path):
    """A ferry on an emoji: DUCView, in Java, counts it twice."""
    references, outputs = DUCVIEW.reads["references"](FILES), DUCVIEW.reads["outputs"](PEERS)
    references["text"] = references["text"].str.replace("A storm", "\U0001f30a storm")
    built = judgments[judgments["system"] == ""]
    moved = built.assign(unit=built["unit"].str.replace("/harbour-anna/0:23", "/harbour-anna/2:23"))
    files = DUCVIEW.writes["study"](Study(pd.DataFrame(), references, outputs, moved))
    assert 'label="storm closed the port" start="44"' in files["harbour.pyr"], "one more than in code points"
    path = tmp_path / "harbour.pyr"
    path.write_text(files["harbour.pyr"])
    again = contributors(DUCVIEW.reads["judgments"]([path]))
    assert again["span"].tolist() == contributors(moved)["span"].tolist()


def test_the_last_of_several_documents_counts(tmp_path, judgments):
    """DUCView 1.5 appends when it saves."""
    text = (FOLDER / "harbour.pyr").read_text()
    path = tmp_path / "harbour.pyr"
    path.write_text(text.replace('label="Two sailors were hurt"', 'label="old"') + text)
    assert (
        DUCVIEW.reads["judgments"]([path])["label"].tolist()
        == judgments.loc[judgments["system"] == "", "label"].tolist()
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<?xml", "1\t4\tThe port", "PyrEval's .pyr is another format"),
        ('start="41"', 'start="4100"', "expected offsets within the text in unit 1"),
        ('start="41" end="64"', 'start="41" end="200"', "each contributor of unit 1 within one model"),
        ('uid="2"', 'uid="1"', "a uid of its own"),
        (" <!ELEMENT part EMPTY>", ' <!ENTITY a "b">', "no entities of its own"),
        ("</pyramid>", "", "expected XML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, old, new, message):
    text = (FOLDER / "harbour.pyr").read_text()
    assert old in text
    path = tmp_path / "harbour.pyr"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadInput, match=message), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        DUCVIEW.reads["judgments"]([path])


def test_two_builders_agree_by_the_pairs_of_words_that_share_a_unit(judgments):
    """By hand: a unit of the words a b, another of c d; the other person has a b c d in one. Pairs: 2, 6, 2 shared."""
    built = pd.DataFrame(
        [("i", "1", "m", "0:3", "a b"), ("i", "2", "m", "4:7", "c d")],
        columns=["item", "scu", "reference", "span", "words"],
    )
    other = pd.DataFrame([("i", "9", "m", "0:7", "a b c d")], columns=built.columns)
    assert pair_f1(built, other) == pytest.approx(2 * 2 / (2 + 6))
    assert pair_f1(built, built) == 1
    everything = contributors(judgments)
    assert pair_f1(everything, everything) == 1


def test_in_a_script_without_spaces_every_letter_is_a_word_and_line_breaks_part_words():
    """By hand: 港口关闭 has four words and six pairs, 港口 one pair, which both have; so has “a, newline, b”."""
    columns = ["item", "scu", "reference", "span", "words"]
    whole = pd.DataFrame([("i", "1", "m", "0:4", "港口关闭")], columns=columns)
    half = pd.DataFrame([("i", "1", "m", "0:2", "港口")], columns=columns)
    assert pair_f1(whole, half) == pytest.approx(2 * 1 / (6 + 1))
    lines = pd.DataFrame([("i", "1", "m", "0:3", "a\nb")], columns=columns)
    assert pair_f1(lines, pd.DataFrame([("i", "1", "m", "0:1+2:3", "a...b")], columns=columns)) == 1

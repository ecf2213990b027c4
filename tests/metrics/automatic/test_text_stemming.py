"""Porter's stemmer against NLTK's, ROUGE's stemmers against the stems the original gives."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from metrics.automatic.text.stemming import exceptions, porter, rouge_porter, rouge_stem

STEMS = Path(__file__).parents[2] / "data" / "rouge155" / "stems.tsv"


@pytest.fixture(scope="module")
def words():
    with STEMS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_all_10339_stems_of_rouge_with_its_exception_table(words):
    assert len(words) == 10_339
    assert [row for row in words if rouge_stem(row["word"]) != row["stem"]] == []


def test_all_10339_stems_of_rouge_by_porter_alone(words):
    assert [row for row in words if rouge_porter(row["word"]) != row["porter"]] == []


def test_porter_equals_nltk_with_the_authors_revisions(words):
    nltk = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
    assert [row["word"] for row in words if porter(row["word"]) != nltk.stem(row["word"])] == []


@settings(max_examples=300, deadline=None)
@given(st.text("abcdeiglnostyzu", min_size=1, max_size=12).filter(lambda word: "yy" not in word))
def test_porter_equals_nltk_on_words_nobody_wrote(word):
    """A double y, which no word has, is a double consonant to NLTK and none to the stemmer that ROUGE carries, and to us."""
    assert porter(word) == PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS).stem(word)


@pytest.mark.parametrize(
    ("word", "stem", "alone"),
    [  # spec: ROUGE-1.5.5, precisely
        ("agreement", "agreem", "agreem"),
        ("governmental", "govern", "govern"),
        ("professional", "profess", "profess"),
        ("children", "child", "children"),
        ("were", "be", "were"),
        ("better", "well", "better"),
        ("ran", "ran", "ran"),
    ],
)
def test_the_quirks_of_rouge(word, stem, alone):
    assert (rouge_stem(word), rouge_porter(word)) == (stem, alone)


def test_the_exception_table_is_that_of_wordnet_2(shared):
    lines = (shared / "data" / "rouge155" / "exceptions.tsv").read_text().splitlines()
    assert len(exceptions()) == len(lines) == 5_930
    assert exceptions() == dict(line.split("\t") for line in lines)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=20))
def test_no_word_of_any_script_breaks_a_stemmer(word):
    assert porter(word)
    assert rouge_stem(word)

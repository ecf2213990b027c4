"""Tokenisations, case, stop words and sentence boundaries of a text."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic.text.prepared import Text
from metrics.automatic.text.stopwords import stop_words
from metrics.automatic.text.tokenisation import TOKENISERS

# A sentence of our own with the phenomena of Leusch et al. (2005), Table 1 and §3.1: a colon, quotation
# marks, two contractions, a semicolon, a full stop inside the quotation; and what the text beside it names:
# a decimal point and a hyphenated word.
SENTENCE = "Meyer wrote: \"They'd pay 2.5 million; it's well-known.\""

EXPECTED = {
    "original": ["Meyer", "wrote:", "\"They'd", "pay", "2.5", "million;", "it's", 'well-known."'],
    "remove": ["Meyer", "wrote", "They", "d", "pay", "2", "5", "million", "it", "s", "well", "known"],
    "mteval": [
        "Meyer",
        "wrote",
        ":",
        '"',
        "They'd",
        "pay",
        "2.5",
        "million",
        ";",
        "it's",
        "well-known",
        ".",
        '"',
    ],
    "contractions": [
        *("Meyer", "wrote", ":", '"', "they", "would", "pay", "2.5", "million", ";"),
        *("it", "is", "well-known", ".", '"'),
    ],
    "zh": [
        "Meyer",
        "wrote",
        ":",
        '"',
        "They'd",
        "pay",
        "2.5",
        "million",
        ";",
        "it's",
        "well-known",
        ".",
        '"',
    ],
    "ja-mecab": [
        *("Meyer", "wrote", ":", '"', "They", "'", "d", "pay", "2", ".", "5", "million", ";"),
        *("it", "'", "s", "well", "-", "known", '."'),
    ],
    "char": [sign for sign in SENTENCE if sign != " "],
    "rouge": ["meyer", "wrote", "they", "d", "pay", "2", "5", "million", "it", "s", "well", "known"],
}


@pytest.mark.parametrize("name", TOKENISERS)
def test_a_sentence_with_the_phenomena_of_leusch_table_1(name):
    assert list(Text([SENTENCE]).tokens(name, case="keep")) == EXPECTED[name]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Dr. Weiss can't come.", "doctor Weiss can not come ."),
        ("We won’t; you'll see who's right.", "we will not ; you will see who is right ."),
        ("The U.S. said it wasn't Anna's.", "the united states said it was not anna's ."),
        ("I'm sure they've gone, haven't they?", "i am sure they have gone , have not they ?"),
        ("i.e. at 5 p.m.", "that is at 5 pm"),
    ],
)
def test_contractions_and_abbreviations_are_written_out_but_genitives_stay(written, meant):
    assert list(Text([written]).tokens("contractions", case="fold")) == meant.lower().split()


def test_removing_punctuation_keeps_the_vowel_signs_of_other_scripts():
    assert Text(["हिन्दी, है।"]).tokens("remove") == ("हिन्दी", "है")
    assert Text(["«Привет», мир… — да!"]).tokens("remove", case="keep") == ("Привет", "мир", "да")


def test_rouge_reads_ascii_only_and_never_makes_a_letter_of_another_sign():
    # The Kelvin sign and the dotted capital I have small forms with ASCII letters in Unicode.
    text = Text(["\u212aelvin \u0130zmir caf\u00e9 3,000 B-52"])
    assert text.tokens("rouge") == ("elvin", "zmir", "caf", "3", "000", "b", "52")


def test_mteval_equals_sacrebleu_13a():
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    assert list(Text([SENTENCE]).tokens("mteval", case="keep")) == Tokenizer13a()(SENTENCE).split()


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("zh", "我爱你。OK 2.5", "我 爱 你 。 OK 2.5"),
        ("ja-mecab", "猫が座った。", "猫 が 座っ た 。"),
        ("char", "猫 is", "猫 i s"),
    ],
)
def test_scripts_without_spaces_are_cut_as_sacrebleu_does(name, text, tokens):
    """What sacreBLEU 2.6 prints for ``--tokenize zh``, ``ja-mecab`` and ``char``."""
    assert " ".join(Text([text]).tokens(name, case="keep")) == tokens


def test_case_stop_words_and_stems():
    text = Text(["The Cities were Growing"])
    assert text.tokens(case="keep") == ("The", "Cities", "were", "Growing")
    assert text.tokens() == ("the", "cities", "were", "growing")
    assert text.tokens(stop=True) == ("cities", "growing")
    assert text.tokens(stop=True, stem=True) == ("citi", "grow")
    assert text.tokens(case="keep", stop=True) == ("Cities", "Growing")


def test_the_stop_list_is_that_of_rouge(shared):
    listed = (shared / "data" / "rouge155" / "stopwords.txt").read_text().split()
    assert len(listed) == 598
    assert stop_words() == set(listed)


@pytest.mark.parametrize(
    ("boundaries", "tokens"),
    [
        ("none", "a b c"),
        ("initial", "<s> a b <s> c"),
        ("final", "a b </s> c </s>"),
        ("both", "<s> a b </s> <s> c </s>"),
    ],
)
def test_sentence_boundaries_enclose_each_sentence(boundaries, tokens):
    assert " ".join(Text(["a b", "c"]).tokens(boundaries=boundaries)) == tokens


def test_a_setting_is_worked_out_once():
    text = Text(["One sentence.", "And another."])
    made = []
    for _ in range(3):
        assert text.remember("length", lambda own: made.append(1) or len(own.sentences)) == 2
        assert text.tokens("contractions", stem=True) is text.tokens("contractions", stem=True)
    assert made == [1]


def test_a_text_travels_without_what_was_made_of_it():
    text = Text(["one two", "three"])
    plain = len(pickle.dumps(text))
    for name in TOKENISERS:
        text.tokens(name, stem=True)
    assert len(pickle.dumps(text)) == plain
    assert pickle.loads(pickle.dumps(text)).tokens() == text.tokens()


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(sorted(TOKENISERS)))
def test_no_text_breaks_a_tokenisation_and_no_token_has_a_space(sentence, name):
    for token in Text([sentence]).tokens(name, stem=True, stop=True):
        assert token
        assert token.split() == [token]

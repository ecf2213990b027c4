"""Units: where sentences end, and that nothing is lost on the way."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.units import cut

# Each unit on a line of its own; the text is the lines joined by spaces. Written for this test.
TRAPS = {
    "titles, initials and abbreviations": [
        "Dr. J. R. Hale of the U.S. Dept. of Energy met Mrs. Quinn vs. Mr. Brown on Jan. 5.",
        "Gen. Powell and Sen. Lee (R., Utah) spoke in Washington, D.C.",
        "They praised Mt. Everest, St. Louis and Acme Inc.",
        "So did A. B. Jones Jr.",
        "It was signed by Harry S. Truman, e.g. in Fig. 3 on p. 12.",
    ],
    "numbers": [
        "Prices rose 4.2 percent to £1.2bn.",
        "No. 5 won by 3.75 points, approx. 2.1 more than in 1990.",
        "It cost 3.5.",
        "At 5 a.m. Monday the ship sank.",
        "He left at 5 p.m.",
        "Then it rained.",
    ],
    "quotations": [
        '"It was cheap," he said.',
        '"Was it?" she asked.',
        "“Stop!” he cried.",
        "‘Why?’ she said.",
        '"I saw.',
        'I conquered."',
        "(It was late.)",
        'He said "Go."',
        "Then he left.",
    ],
    "other ends": [
        "What?!",
        "Really...",
        "OK!!!",
        "Yahoo! bought it.",
        "Visit www.example.com.",
        "Or mail a.b@c.org.",
        "He has a Ph.D.",
        "She has none.",
    ],
    "plain words that look like abbreviations": [
        "It rained for three days in a row.",
        "A spokesman told the story.",
        "Nobody had such tasks last week.",
        "Police found the car.",
        "Stated otherwise, it was by the sun.",
    ],
    "no capitals, as some systems write": [
        "arsenal beat west ham .",
        "the win came late .",
        "is it true ?",
        '"no," he said .',
    ],
}
LANGUAGES = {
    "de": [
        "Am 3. Mai kam Dr. Müller.",
        "Er blieb z. B. bis zum 5. Juni, d. h. ca. fünf Wochen.",
        "Friedrich II. starb 1786.",
        "»Nein!« rief sie.",
    ],
    "fr": ["M. Dupont est arrivé.", "Mme. Durand aussi.", "« Quoi ? » dit-il.", "Et alors ?"],
    "es": ["¿Qué pasa?", "¡Nada!", "El Sr. García llegó.", "Ud. lo sabe."],
    "ru": ["А. С. Пушкин родился в 1799 г. в Москве.", "Он жил на ул. Мойка.", "«Да!» — сказал он."],
    "el": ["Τι κάνεις;", "Καλά.", "Εντάξει."],
    "hy": ["Բարեւ։", "Ինչպես ես։"],
    "am": ["ሰላም።", "ደህና ነህ፧", "አዎ።"],
    "my": ["မင်္ဂလာပါ။", "နေကောင်းလား။"],
    "hi": ["यह एक वाक्य है।", "क्या यह दूसरा है?", "हाँ।"],
    "ur": ["یہ جملہ ہے۔", "کیا یہ سوال ہے؟", "ہاں۔"],
    "ar": ["هل هذا سؤال؟", "نعم.", "هذا جواب."],
    "he": ["שלום.", "מה שלומך?", "טוב."],
    "ko": ["그는 왔다.", "그리고 갔다.", "정말?"],
}
NO_SPACES = {
    "ja": ["「はい。」と言った。", "そうです！？", "３．５％です。"],
    "zh": ["他说：“你好。”然后走了。", "真的吗？", "是的！", "第1.5章。"],
}


@pytest.mark.parametrize("sentences", TRAPS.values(), ids=TRAPS)
def test_english_traps_are_cut_where_a_reader_would(sentences):
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_languages_are_cut_at_their_own_signs(language):
    assert cut(" ".join(LANGUAGES[language]), language) == LANGUAGES[language]


@pytest.mark.parametrize("language", NO_SPACES)
def test_scripts_without_spaces_are_cut_too(language):
    assert cut("".join(NO_SPACES[language]), language) == NO_SPACES[language]


def test_a_regional_tag_counts_as_its_language():
    assert cut("Am 3. Mai kam er. Dann ging er.", "de-AT") == ["Am 3. Mai kam er.", "Dann ging er."]


def test_headlines_paragraphs_and_list_items_are_units():
    text = (
        "STORM CLOSES HARBOUR\n"
        "Ferries stayed in port on Monday as winds of 60 m.p.h.\n"
        "hit the coast for the second day in a row. A spokesman\n"
        "said that nobody was hurt.\n"
        "\n"
        "What to bring\n"
        "1. Food. Nothing hot.\n"
        "- Warm clothes"
    )
    assert cut(text) == [
        "STORM CLOSES HARBOUR",
        "Ferries stayed in port on Monday as winds of 60 m.p.h.\nhit the coast for the second day in a row.",
        "A spokesman\nsaid that nobody was hurt.",
        "What to bring",
        "1. Food.",
        "Nothing hot.",
        "- Warm clothes",
    ]


def test_one_statement_per_line_stays_one_unit_per_line():
    lines = ["the prosecutor says no video was used", "two papers say they have seen one", "it was found"]
    assert cut("\n".join(lines)) == lines
    assert cut("\r\n".join(line.capitalize() for line in lines)) == [line.capitalize() for line in lines]


def test_signs_alone_are_no_unit():
    assert cut("He left. — !!! ... Then she did.") == ["He left. — !!! ...", "Then she did."]


@pytest.mark.parametrize("text", ["", " ", "\n\t\n", "\u3000"])
def test_a_blank_text_has_no_unit(text):
    assert cut(text) == []


NASTY = st.text(
    st.one_of(
        st.sampled_from("ab AB12.!?;:\"'”“’»«()[]-—…\n\r\t\u2028\x85\u00a0\u200b。！？．」「।؟۔։ßİ"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=80,
)


@given(NASTY, st.sampled_from(["en", "de", "ru", "el", "zh", "xx"]))
def test_units_with_the_white_space_between_them_are_the_text(text, language):
    rest = text
    for unit in cut(text, language):
        assert unit
        assert unit == unit.strip()
        rest = rest.lstrip()
        assert rest.startswith(unit)
        rest = rest[len(unit) :]
    assert rest.strip() == ""


@given(NASTY)
def test_a_unit_cut_again_loses_nothing(text):
    again = [piece for unit in cut(text) for piece in cut(unit)]
    assert "".join("".join(again).split()) == "".join(text.split())


def test_long_texts_are_cut_in_linear_time():
    story = " ".join(sentence for sentences in TRAPS.values() for sentence in sentences)

    def seconds(times: int) -> float:
        text = "\n\n".join([story] * times)
        return min(_timed(text) for _ in range(3))

    assert seconds(80) < 8 * 3 * max(seconds(10), 0.001)


def _timed(text: str) -> float:
    start = time.perf_counter()
    cut(text)
    return time.perf_counter() - start

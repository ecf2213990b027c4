"""Words of the assessors' pages: every one has its translations, numbers take their forms, and what is stored stays English."""

import json
import re

import pytest
from django.test import Client

from annotation.export import attribute_rows
from annotation.languages import INTERFACES, scale_direction
from annotation.study_files.schema import Settings
from annotation.tasks import KINDS
from annotation.tasks.terms import Exhibit, Record, Text
from annotation.words import gettext, lower, ngettext, script_words, spoken
from tests import catalogues
from tests.studies import make_study

OTHERS = [name for name in INTERFACES if name != "en"]


def test_every_word_is_translated_into_every_language():
    assert list(catalogues.problems()) == []


def test_the_languages_of_study_files_are_those_with_a_catalogue():
    assert {code.lower().replace("_", "-") for code in catalogues.PLURALS} == {
        INTERFACES[name] for name in OTHERS
    }


@pytest.mark.parametrize(
    ("interface", "wanted"),
    [
        ("de", ["1 Minute", "2 Minuten"]),
        ("fr", ["1 minute", "2 minutes"]),
        ("zh", ["1 分钟", "2 分钟"]),
    ],
)
def test_a_number_takes_its_form(interface, wanted):
    with spoken(interface):
        assert [ngettext("{n} minute", "{n} minutes", n) for n in (1, 2)] == wanted


def test_arabic_has_a_form_of_its_own_for_two():
    with spoken("ar"):
        forms = {ngettext("{n} minute", "{n} minutes", n).replace(str(n), "n") for n in (1, 2, 3, 11, 100)}
    assert len(forms) >= 4


def test_a_sentence_with_two_numbers_counts_at_most_one_noun_with_them():
    """A language has forms for one number in a sentence; “of these: 3” needs none. Nouns are those that have forms elsewhere."""
    value = r"(?:\{\w+\}|%\(\w+\)s)"
    sentences = [
        *catalogues.marked("django"),
        *catalogues.marked("djangojs"),
        *catalogues.marked(catalogues.EXPERIMENTERS),
    ]
    forms = " ".join(key[1] for key in sentences if isinstance(key, tuple))
    nouns = {noun for noun in re.findall(rf"{value} (?:of {value} )?(\w+s)\b", forms) if noun != "has"}
    assert {"words", "units", "texts", "nuggets"} <= nouns
    counted = re.compile(rf"{value} (?:more )?({'|'.join(sorted(nouns))})\b")
    against = []
    for key in sentences:
        text = key[1] if isinstance(key, tuple) else key
        found, numbers = counted.findall(text), set(re.findall(value, text))
        allowed = 1 if isinstance(key, tuple) or len(numbers) == 1 else 0
        if len(found) > allowed:
            against.append(text)
    assert against == []


def test_german_keeps_the_capitals_of_headings():
    with spoken("de"):
        assert lower(gettext("Adequacy"))[0].isupper()
    assert lower("Adequacy") == "adequacy"


def test_english_pages_carry_no_catalogue_and_others_every_sentence_of_scripts():
    assert script_words("en") == {}
    for interface in OTHERS:
        said = {key if isinstance(key, str) else key[0] for key in catalogues.marked("djangojs")}
        assert said <= set(script_words(interface))


def test_rows_of_the_long_table_are_the_same_in_every_language():
    kind = KINDS["rating"]
    config = kind.Config.model_validate({"preset": "tides"})
    answer = kind.Answer(values={"fluency": 5.0, "adequacy": 1.0}, confirmed=True)
    exhibit = Exhibit(outputs=(Text("One."),), reference=Text("Two."))
    english = list(kind.rows(config, exhibit, Record(), answer))
    for interface in OTHERS:
        with spoken(interface):
            assert list(kind.rows(config, exhibit, Record(), answer)) == english
            shown = json.dumps(kind.content(config, exhibit, answer), ensure_ascii=False)
            assert "flawless" not in shown and gettext("flawless") in shown


@pytest.mark.parametrize(
    ("interface", "language", "wanted"),
    [("en", "en", "ltr"), ("en", "ar", "rtl"), ("ar", "en", "rtl"), ("de", "ar", "ltr")],
)
def test_scales_run_as_their_words_do(interface, language, wanted):
    assert scale_direction(interface, language) == wanted


@pytest.mark.django_db
def test_who_opens_a_wrong_link_is_told_in_the_language_of_the_browser():
    page = Client(headers={"accept-language": "fr"}).get("/join/nobody/")
    text = page.content.decode()
    assert page.status_code == 403
    assert '<html lang="fr"' in text
    assert re.search(r"lien", text)


# --- nothing is left unmarked ---------------------------------------------------------------------------------------


def test_every_call_that_marks_a_sentence_is_collected():
    """What collects them reads no call that stands within another."""
    known = {key if isinstance(key, str) else key[0] for key in catalogues.marked("djangojs")}
    marked = [
        (path.name, text)
        for path in catalogues.sources("djangojs")
        for text in re.findall(r'\bn?gettext\(\s*"((?:\\.|[^"\\])*)"', path.read_text())
    ]
    assert len(marked) > 400 and [entry for entry in marked if entry[1] not in known] == []


PAGES = [
    *sorted((catalogues.ROOT / "templates" / "annotation" / "assess").glob("*.html")),
    *sorted((catalogues.ROOT / "annotation" / "tasks").glob("*/*.html")),
]


THEIRS = catalogues.experimenters_templates()


@pytest.mark.parametrize("path", PAGES + THEIRS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_word_of_a_page_stands_outside_a_translation_tag(path):
    assert unmarked(path.read_text()) == []


@pytest.mark.parametrize(
    "page",
    [
        "<p>Two words</p>",
        '<p title="Two words">{{ name }}</p>',
        '{{ name|default:"two words" }}',
        '{% include "x.html" with label="Two words" %}',
        "{% if a %}one{% else %}{% translate 'two' %}{% endif %}",
    ],
)
def test_an_unmarked_word_is_found(page):
    assert unmarked(page)


def unmarked(page: str) -> list[str]:
    page = re.sub(r"{#.*?#}", "", page, flags=re.DOTALL)
    page = re.sub(r'<span class="(?:key|brand)[^"]*"[^>]*>[^<]*</span>', "", page)  # keys, and our name
    page = re.sub(r"Touchstone(</a>|{% endblock %})", r"\1", page)
    page = re.sub(r"<(code|pre)\b.*?</\1>|{{[^}]*}}(\.\w+)+", "", page, flags=re.DOTALL)  # commands and files
    page = re.sub(r">(CSV|JSONL|JSON Lines|Parquet)</a>", "></a>", page)
    page = re.sub(r"{% blocktranslate.*?endblocktranslate %}", "", page, flags=re.DOTALL)
    page = re.sub(r"{% block \w+_class %}.*?{% endblock %}", "", page)
    tags = " ".join(re.findall(r"{%.*?%}|{{.*?}}", page, flags=re.DOTALL))
    given = re.findall(r'(?:default(?:_if_none)?:|\b(?:label|button)=)"[^"]*[A-Za-z]{2}[^"]*"', tags)
    page = re.sub(r"{%.*?%}|{{.*?}}|&\w+;", "", page, flags=re.DOTALL)
    named = re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]*[A-Za-z]{2}[^"]*)"', page)
    words = re.findall(r"[A-Za-z]{2,}[^<>]*", re.sub(r"<[^>]*>", " <> ", page))
    return given + named + words


@pytest.mark.parametrize("slug", sorted(KINDS))
def test_what_a_kind_says_is_missing_is_marked(slug, monkeypatch):
    """With a language in which every word stands in brackets, every sentence has some."""
    kind = KINDS[slug]
    monkeypatch.setattr("annotation.words._said", lambda language, text: f"⟦{text}⟧")
    monkeypatch.setattr(
        "django.utils.translation.ngettext", lambda one, many, n: f"⟦{one if n == 1 else many}⟧"
    )
    said = []
    for example in kind.examples:
        config = kind.Config.model_validate(example.config)
        exhibit = Exhibit(
            **{"outputs": (Text("One.", ("One.",)),), "reference": Text("Two.", ("Two.",)), **example.exhibit}
        )
        said += [missing.message for missing in kind.missing(config, exhibit, kind.Answer())]
    assert said and [message for message in said if "⟦" not in message] == []


@pytest.mark.django_db
def test_the_export_tells_which_language_and_which_aids_the_pages_had():
    settings = Settings(interface="de", aids=("shared_words", "highlighter"))
    rows = [row for row in attribute_rows(make_study(settings=settings)) if row["scope"] == "study"]
    assert {row["name"]: row["value"] for row in rows} == {
        "interface": "de",
        "aids": "shared_words highlighter",
    }
    assert not [row for row in attribute_rows(make_study(slug="plain")) if row["scope"] == "study"]

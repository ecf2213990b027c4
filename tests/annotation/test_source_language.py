"""Documents in another language than outputs: what pages say of each text, and by whose rules it is cut."""

import random
import typing
import uuid
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.errors import Refused
from annotation.models import Document, Output, Study
from annotation.rooms import page_files
from annotation.selectors.exhibits import frozen
from annotation.selectors.files import study_as_file, study_materials
from annotation.services.assessors import assessor_start
from annotation.services.building import study_begin, units_cut_all
from annotation.services.studies import study_import, study_open
from annotation.services.waves import study_extend
from annotation.services.work import assignment_next, judgment_submit
from annotation.study_files import read_study
from annotation.study_files.schema import DocumentRow, Materials, OutputRow, Settings, SystemRow
from annotation.study_files.write import files_of
from annotation.tasks import KINDS
from annotation.tasks.keys import unit_texts
from annotation.tasks.terms import Exhibit, Record, Text
from annotation.views.answering import study_context
from tests.factories import assessor_client, experimenter, owner_client
from tests.studies import make_study, plausible, study_file

# Each text says what it is, wherever a page shows it.
SOURCE, OUTPUT, REFERENCE, TOPIC = "Quelltext", "ناتج", "مرجع", "موضوع"
SHOWS_SOURCES = {
    "attribution", "best_worst", "cross_comprehension", "error_spans", "extract", "likert", "nuggets", "pairwise", "pyramid",
    "ranking", "rating", "relevance",
}  # fmt: skip
VOID = {"input", "img", "br", "hr", "meta", "link"}


class Shown(HTMLParser):
    """Every piece of text with the ``lang`` and ``dir`` that hold for it, and the ``dir`` of the list in which it stands."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if data.strip() and not any(tag in {"script", "style"} for tag, _ in self.open):
            lists = [given for tag, given in self.open if tag in {"ol", "ul"}]
            self.texts.append(
                (data, self._said("lang", self.open), self._said("dir", self.open), _last(lists, "dir"))
            )

    @staticmethod
    def _said(name, around):
        return _last([given for _, given in around], name)


def _last(attributes, name):
    return next((given[name] for given in reversed(attributes) if name in given), None)


def said_of(html, word):
    """(lang, dir, dir of the list) of every text in which the word stands."""
    return {tuple(said) for data, *said in Shown(html).texts if word in data}


def marked(text, word):
    """A text that says what it is: at the end, so that spans stay where they are."""
    units = tuple(f"{unit} {word}" for unit in text.units or (text.text,))
    return replace(text, text=f"{text.text} {word}", units=units, title=f"{text.title} {word}")


def configs(kind, example):
    """As in the example, and with everything that can be shown beside a text."""
    yield kind.Config.model_validate(example.config)
    field = kind.Config.model_fields.get("beside")
    for beside in typing.get_args(field.annotation) if field else ():
        try:
            yield kind.Config.model_validate({**example.config, "beside": beside})
        except ValueError:
            continue


def pages(kind, study):
    """Every page of every stage of every example, with a topic and without."""
    for example in kind.examples:
        for config in configs(kind, example):
            for topic in (Text("A topic.", title="Event"), Text()):
                exhibit = Exhibit(
                    outputs=tuple(
                        Text(f"Output {n}.", (f"Output {n}.",)) for n in range(3 if kind.compares else 1)
                    ),
                    reference=Text("A reference.", ("A reference.",)),
                    document=Text(
                        "A ferry sank near Brod in March. Nobody was hurt, and the cargo was saved."
                    ),
                    topic=topic,
                )
                exhibit = replace(exhibit, **example.exhibit)
                # Whoever answers may quote, and what is written is in the study's own language.
                quoted = answered(kind, config, exhibit, replace(Record(set="s1"), **example.record))
                exhibit = replace(
                    exhibit,
                    outputs=tuple(marked(output, OUTPUT) for output in exhibit.outputs),
                    reference=marked(exhibit.reference, REFERENCE),
                    document=marked(exhibit.document, SOURCE),
                    topic=marked(exhibit.topic, TOPIC) if exhibit.topic else exhibit.topic,
                    shown=frozen(dict(exhibit.shown)),
                )
                for content in contents(kind, config, exhibit, quoted):
                    context = {**study_context(study), **page_files(kind.slug), "content": content}
                    yield render_to_string(page_files(kind.slug)["task_template"], context)


def answered(kind, config, exhibit, record):
    qualities = [0.6] * max(1, len(exhibit.outputs))
    return kind.simulate(config, exhibit, record, qualities=qualities, rng=random.Random(1))


def contents(kind, config, exhibit, answer):
    known = None
    yield kind.content(config, exhibit, known)
    for _ in range(kind.stages(config, exhibit)):
        known = kind.advance(config, exhibit, kind.amend(config, known, answer))
        yield kind.content(config, exhibit, known)


@pytest.mark.parametrize("slug", KINDS)
def test_sources_and_outputs_have_each_their_own_language_and_direction(slug):
    study = Study(slug="s", name="S", language="ar", settings={"source_language": "de"})
    found = 0
    for html in pages(KINDS[slug], study):
        sources = said_of(html, SOURCE)
        found += len(sources)
        assert {lang for lang, _, _ in sources} <= {"de"}, html
        assert {way for _, way, _ in sources} <= {"auto", "ltr"}, html
        assert {way for _, _, way in sources} <= {None, "ltr"}, html
        for word in (OUTPUT, REFERENCE, TOPIC):
            others = said_of(html, word)
            assert {lang for lang, _, _ in others} <= {"ar"}, (word, html)
            assert {way for _, way, _ in others} <= {"auto", "rtl"}, (word, html)
            assert {way for _, _, way in others} <= {None, "rtl"}, (word, html)
    assert bool(found) == (slug in SHOWS_SOURCES)


@pytest.mark.parametrize("slug", sorted(SHOWS_SOURCES))
def test_without_a_language_of_sources_all_texts_have_the_studys(slug):
    study = Study(slug="s", name="S", language="ar", settings={})
    for html in pages(KINDS[slug], study):
        assert {lang for lang, _, _ in said_of(html, SOURCE)} <= {"ar"}


# --- cutting --------------------------------------------------------------------------------------------------------

# Only German knows that a number with a full stop is no end here, and only English that “row.” ends a sentence.
GERMAN = "Die Fähre sank am 3. Mai bei Brod. Niemand starb."
GERMAN_UNITS = ["Die Fähre sank am 3. Mai bei Brod.", "Niemand starb."]
JAPANESE = "船が沈んだ。三月のことだ。"
ENGLISH = "He stood in the third row. Nobody died."
ENGLISH_UNITS = ["He stood in the third row.", "Nobody died."]


def translations(source, **fields):
    materials = Materials(
        documents=(DocumentRow(id="d1", text=source),),
        outputs=tuple(OutputRow(system=name, document="d1", text=ENGLISH) for name in ("alpha", "beta")),
        systems=(SystemRow(id="alpha"), SystemRow(id="beta")),
    )
    return replace(study_file({"kind": "attribution", "name": "support"}, materials=materials), **fields)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "text", "units"),
    [("de", GERMAN, GERMAN_UNITS), ("ja", JAPANESE, ["船が沈んだ。", "三月のことだ。"])],
)
def test_documents_are_cut_by_their_own_language_and_outputs_by_theirs(language, text, units):
    study = study_import(study_file=translations(text, settings=Settings(source_language=language)))
    assert Document.objects.get().units == units
    assert Output.objects.first().units == ENGLISH_UNITS
    units_cut_all(study=study, how="whole")
    units_cut_all(study=study, how="sentences")
    assert Document.objects.get().units == units
    assert Output.objects.first().units == ENGLISH_UNITS


def test_the_language_decides_how_it_is_cut():
    """Else the tests here could not fail."""
    plain = translations(GERMAN)
    assert list(unit_texts(plain.materials.documents[0], plain.materials)) != GERMAN_UNITS
    german = replace(plain.materials, language="de")
    assert list(unit_texts(german.outputs[0], german)) != ENGLISH_UNITS


@pytest.mark.django_db
def test_kinds_read_documents_as_they_are_stored():
    study = study_import(study_file=translations(GERMAN, settings=Settings(source_language="de")))
    materials, _ = study_materials(study)
    assert list(unit_texts(materials.documents[0], materials)) == GERMAN_UNITS
    assert list(unit_texts(materials.outputs[0], materials)) == ENGLISH_UNITS


@pytest.mark.django_db
def test_a_citation_beyond_what_the_documents_own_language_cuts_is_refused(tmp_path):
    """Cut by the rules of English, the source would have a third unit."""
    cites = translations(GERMAN, settings=Settings(source_language="de"))
    outputs = tuple(
        OutputRow(system=name, document="d1", units=(ENGLISH,), citations=((3,),))
        for name in ("alpha", "beta")
    )
    tasks = study_file({"kind": "attribution", "name": "support", "given": "citations"}).tasks
    cites = replace(cites, materials=replace(cites.materials, outputs=outputs), tasks=tasks)
    with pytest.raises(Exception, match="unit 3 is cited, and “d1” has 2"):
        read_study(files_of(cites))
    read_study(files_of(replace(cites, settings=Settings())))


# --- to and fro -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_language_of_sources_comes_back_with_an_export():
    given = read_study(
        files_of(translations(GERMAN, language="en-GB", settings=Settings(source_language="de-AT")))
    )
    assert (given.settings.source_language, given.document_language) == ("de-AT", "de-AT")
    back = study_as_file(study_import(study_file=given))
    assert back == given
    assert back.materials.document_language == "de-AT"
    assert files_of(back) == files_of(given)
    assert b"source_language: de-AT" in files_of(back)["study.yaml"]


@pytest.mark.django_db
def test_a_wave_of_sources_in_another_language_is_refused():
    study = study_import(study_file=translations(GERMAN, settings=Settings(source_language="de")))
    more = (DocumentRow(id="d1", text=GERMAN), DocumentRow(id="d2", text="Am 4. Mai kam Hilfe. Alle leben."))

    def wave(**settings):
        given = translations(GERMAN, settings=Settings(**settings))
        outputs = (
            *given.materials.outputs,
            *(replace_row(row, document="d2") for row in given.materials.outputs),
        )
        return replace(given, materials=replace(given.materials, documents=more, outputs=outputs))

    with pytest.raises(Refused, match="The language of the sources is en; the study’s is de"):
        study_extend(study=study, study_file=wave())
    study_extend(study=study, study_file=wave(source_language="de"))
    assert study.documents.get(key="d2").units == ["Am 4. Mai kam Hilfe.", "Alle leben."]


def replace_row(row, **fields):
    return row.model_copy(update=fields)


# --- pages ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def translated(db):
    """German sources, Arabic outputs, judged once."""
    source, output = f"Am 3. Mai. {SOURCE}", f"عبارة. {OUTPUT}"
    materials = Materials(
        documents=(DocumentRow(id="d1", title=f"Titel {SOURCE}", text=source),),
        outputs=tuple(
            OutputRow(system=name, document="d1", text=f"{output} {name}") for name in ("a1", "b2")
        ),
        systems=(SystemRow(id="a1"), SystemRow(id="b2")),
    )
    abstract = {
        "kind": "extract",
        "name": "abstracts",
        "headings": [{"name": "all"}],
        "extract": False,
        "links": False,
    }
    rating = {"kind": "rating", "name": "quality", "preset": "summeval", "beside": "source"}
    study = make_study(
        rating,
        abstract,
        materials=materials,
        language="ar",
        assessors=1,
        settings=Settings(source_language="de", revise=True),
    )
    study_open(study=study)
    return study


def test_pages_of_experimenters_and_lists_of_assessors_say_the_language_of_each_text(translated):
    assessor = translated.assessors.get()
    client = assessor_client(assessor)
    assessor_start(assessor=assessor, consented=True)
    while assignment := assignment_next(assessor=assessor):
        is_abstract = assignment.subject.task.kind == "extract"
        answer = {"abstract": {"all": "ملخص."}} if is_abstract else plausible(assignment)[0]
        judgment_submit(assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=answer, seconds=1)
    owner = owner_client(translated)
    addresses = [
        reverse("study_materials", args=[translated.slug]),
        reverse("study_item", args=[translated.slug, "document", translated.documents.get().pk]),
        reverse("study_judgments", args=[translated.slug]),
        reverse("preview", args=[translated.slug, "quality", 1]),
    ]
    texts = [owner.get(address).content.decode() for address in addresses]
    texts.append(client.get(reverse("items", args=[translated.slug])).content.decode())
    for html in texts:
        assert {lang for lang, _, _ in said_of(html, SOURCE)} == {"de"}, html
        assert {lang for lang, _, _ in said_of(html, OUTPUT)} <= {"ar"}, html
    assert sum(bool(said_of(html, OUTPUT)) for html in texts) >= 4
    settings = owner.get(reverse("study_settings", args=[translated.slug])).content.decode()
    assert "Language of the sources</dt><dd>de</dd>" in settings


@pytest.mark.django_db
def test_a_study_begins_with_the_language_of_its_sources():
    study = study_begin(owner=experimenter(), name="S", language="ar", source_language="de")
    assert (study.language, study.document_language) == ("ar", "de")
    assert study_begin(owner=experimenter(), name="S", language="ar").document_language == "ar"

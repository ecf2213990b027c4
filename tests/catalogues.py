"""The catalogues of words: collected from the sources, checked, and compiled, by Babel and without GNU gettext.

``python -m tests.catalogues`` (``make words``) brings ``annotation/locale`` up to date: what is marked in the sources comes in with an
empty translation, what nobody says any more goes, and every catalogue is compiled to the .mo file beside it that Django reads.
What it then prints is still to be translated. ``tests/annotation/test_words.py`` fails while there is any.

Experimenters' pages are English first. ``python -m tests.catalogues de`` begins a German catalogue of their words, or brings it up to
date, in ``annotation/locale/experimenters``; how much of it is translated is counted, and what is not is said in English.
"""

from __future__ import annotations

import functools
import io
import re
import string
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from gettext import GNUTranslations
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "annotation" / "locale"
# The languages beside English, with the forms that a number takes in them, in the order of CLDR's names.
PLURALS = {
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
    "de": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "zh_Hans": "nplurals=1; plural=0;",
}
DOMAINS = ("django", "djangojs")
KEYWORDS = {"_": None, "gettext": None, "gettext_noop": None, "ngettext": (1, 2)}
# Words of experimenters' pages: everything in these templates, and what Python marks as a phrase. They have catalogues of their own,
# none of which must be complete or be there at all.
EXPERIMENTERS = "experimenters"
THEIR_TEMPLATES = ("annotation/manage", "annotation/building", "annotation/report", "registration")
SHARED_TEMPLATES = {"annotation/manage/_pages.html"}  # assessors see them too
# Pages of the report say what ``metrics`` says, which is English; so are they.
REPORT_WORDS = (
    *("assessors", "comparison", "metrics", "overview", "systems"),
    *("_cautions", "_figure", "_htmx", "_humans", "_marked", "_signature", "_table"),
)
THEIR_KEYWORDS = {"phrase": None, "phrase_lazy": None, "phrases": (1, 2)}
UNSTEADY = re.compile(
    rb'^"(Project-Id-Version|Report-Msgid-Bugs-To|POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team|'
    rb'Generated-By):[^"]*\\n"\n',
    re.MULTILINE,
)
ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
Key = str | tuple[str, str]


# --- what the sources say -------------------------------------------------------------------------------------------


@functools.cache
def marked(domain: str) -> dict[Key, set[str]]:
    """Every sentence that is marked, with the files that say it."""
    found: dict[Key, set[str]] = {}
    for path in sources(domain):
        lazily = domain == EXPERIMENTERS and path.suffix == ".py"
        for key in marked_in(path, THEIR_KEYWORDS if lazily else KEYWORDS):
            found.setdefault(key, set()).add(path.relative_to(ROOT).as_posix())
    # What assessors' pages say too has its translation there.
    return {
        key: files for key, files in found.items() if domain != EXPERIMENTERS or key not in marked("django")
    }


def sources(domain: str) -> list[Path]:
    rooms = ROOT / "annotation" / "tasks"
    if domain == "djangojs":
        return sorted([*(ROOT / "static" / "assess").glob("*.js"), *rooms.glob("*/*.js")])
    python = [path for path in (ROOT / "annotation").rglob("*.py") if "migrations" not in path.parts]
    theirs = experimenters_templates()
    if domain == EXPERIMENTERS:
        return sorted([*python, *theirs])
    templates = set((ROOT / "templates").rglob("*.html")) - set(theirs)
    return sorted([*python, *templates, *rooms.glob("*/*.html")])


def experimenters_templates() -> list[Path]:
    folders = [ROOT / "templates" / name for name in THEIR_TEMPLATES]
    shared = {ROOT / "templates" / name for name in SHARED_TEMPLATES}
    english = {ROOT / "templates" / "annotation" / "report" / f"{name}.html" for name in REPORT_WORDS}
    return sorted(set().union(*(folder.glob("*.html") for folder in folders)) - shared - english)


def marked_in(path: Path, keywords: dict[str, tuple[int, int] | None] = KEYWORDS) -> Iterator[Key]:
    text = path.read_text()
    method = {".py": "python", ".js": "javascript"}.get(path.suffix, "python")
    if path.suffix == ".html":
        text = as_python(text)
    options = {"encoding": "utf-8", "parse_template_string": True}
    for _, said, _, _ in extract(method, io.BytesIO(text.encode()), keywords, (), options):
        yield said if isinstance(said, str) else (said[0], said[1])


def as_python(template: str) -> str:
    """The calls that the translation tags of a template come to, one to a line."""
    text = r"""u?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')[,\s]*"""
    calls = re.findall(rf"(?:\b_|gettext|ngettext)\((?:{text})+[^()]*\)", templatize(template))
    return "\n".join(re.sub(r"^_\(", "gettext(", call) for call in calls)


# --- what the catalogues say ----------------------------------------------------------------------------------------


def po_path(language: str, domain: str) -> Path:
    if domain == EXPERIMENTERS:
        return LOCALE / EXPERIMENTERS / language / "LC_MESSAGES" / "django.po"
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def stored(language: str, domain: str) -> Catalog:
    path = po_path(language, domain)
    header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Language: {language}\\n"\n"Plural-Forms: {PLURALS[language]}\\n"\n'
    return read_po(io.BytesIO(path.read_bytes() if path.exists() else header.encode()), locale=language)


def current(language: str, domain: str) -> Catalog:
    """The stored catalogue with the sentences that are said now."""
    before = stored(language, domain)
    catalogue = read_po(io.BytesIO(_header(before)), locale=language)
    for key, files in sorted(marked(domain).items(), key=lambda pair: str(pair[0])):
        known = before.get(key if isinstance(key, str) else key[0])
        # Of a sentence that has become one with a number, or the other way, the old words do not fit.
        fits = known is not None and bool(known.pluralizable) == isinstance(key, tuple)
        empty = "" if isinstance(key, str) else ("",) * before.num_plurals
        catalogue.add(
            key, known.string if known and fits else empty, [(file, None) for file in sorted(files)]
        )
    return catalogue


def _header(catalogue: Catalog) -> bytes:
    only = read_po(io.BytesIO(as_po(catalogue)), locale=catalogue.locale)
    for message in list(only):
        if message.id:
            only.delete(message.id)
    return as_po(only)


def as_po(catalogue: Catalog) -> bytes:
    buffer = io.BytesIO()
    catalogue.header_comment = ""
    write_po(buffer, catalogue, width=120, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return UNSTEADY.sub(b"", buffer.getvalue()).lstrip(b"\n")


def as_mo(catalogue: Catalog) -> bytes:
    buffer = io.BytesIO()
    spoken = read_po(io.BytesIO(as_po(catalogue)), locale=catalogue.locale)
    spoken.creation_date = spoken.revision_date = ALWAYS
    for message in [message for message in spoken if message.id and "" in _strings(message)]:
        spoken.delete(message.id)  # what is not translated is said in English
    write_mo(buffer, spoken)
    return buffer.getvalue()


# --- checking and writing -------------------------------------------------------------------------------------------


def problems() -> Iterator[str]:
    for language in PLURALS:
        for domain in DOMAINS:
            catalogue, path = current(language, domain), po_path(language, domain)
            name = path.relative_to(ROOT)
            if not path.exists() or path.read_bytes() != as_po(catalogue):
                yield f"{name} is not what the sources say: run make words"
            elif not _is_compiled(path, catalogue):
                yield f"{name} is not compiled: run make words"
            for message in catalogue:
                if message.id and (fault := fault_of(message)):
                    yield f"{name}: {message.id!r} {fault}"


def fault_of(message: Message) -> str:
    strings = _strings(message)
    if not all(strings):
        return "is not translated"
    ids = [message.id] if isinstance(message.id, str) else list(message.id)
    wanted = set().union(*map(places, ids))
    # A form that means one number, such as Arabic's "two", may leave the number out.
    free = {"n", "%(n)s"} if len(ids) > 1 else set()
    for text in strings:
        if places(text) - wanted or (wanted - places(text)) - free:
            return f"has other places in its translation: {text!r}"
    return ""


def _strings(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string)


def places(text: str) -> set[str]:
    """What is filled in: ``{number}`` of scripts and Python, ``%(number)s`` of templates."""
    named = {name for _, name, _, _ in string.Formatter().parse(text) if name} if "%(" not in text else set()
    return named | set(re.findall(r"%\(\w+\)s", text))


def _is_compiled(path: Path, catalogue: Catalog) -> bool:
    """Whether Python's own reader, which Django takes, finds in the .mo file what the .po file says."""
    compiled = path.with_suffix(".mo")
    if not compiled.exists():
        return False
    with compiled.open("rb") as file:
        found = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    wanted = GNUTranslations(io.BytesIO(as_mo(catalogue)))._catalog  # type: ignore[attr-defined]
    return {**found, "": None} == {**wanted, "": None}


def update(begun: Iterable[str] = ()) -> None:
    theirs = [
        language for language in PLURALS if language in begun or po_path(language, EXPERIMENTERS).exists()
    ]
    for language, domain in [
        *((language, domain) for language in PLURALS for domain in DOMAINS),
        *((language, EXPERIMENTERS) for language in theirs),
    ]:
        path, catalogue = po_path(language, domain), current(language, domain)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_po(catalogue))
        path.with_suffix(".mo").write_bytes(as_mo(stored(language, domain)))


def counted() -> Iterator[str]:
    """How much of experimenters' words is translated into which language."""
    yield f"Experimenters' pages say {len(marked(EXPERIMENTERS))} sentences of their own, in English"
    for language in PLURALS:
        if po_path(language, EXPERIMENTERS).exists():
            messages = [message for message in stored(language, EXPERIMENTERS) if message.id]
            done = sum(all(_strings(message)) for message in messages)
            yield f"  {language}: {done} of {len(messages)} translated"


if __name__ == "__main__":
    update(begun=sys.argv[1:])
    left = list(problems())
    print("\n".join([*counted(), *(left or ["All words of assessors' pages are translated."])]))
    sys.exit(bool(left))

"""The catalogues of words: collected from the sources, checked, and compiled, by Babel and without GNU gettext.

``python -m tests.catalogues`` (``make words``) brings ``annotation/locale`` up to date: what is marked in the sources comes in with an
empty translation, what nobody says any more goes, and every catalogue is compiled to the .mo file beside it that Django reads.
What it then prints is still to be translated. ``tests/annotation/test_words.py`` fails while there is any.
"""

from __future__ import annotations

import functools
import io
import re
import string
import sys
from collections.abc import Iterator
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
KEYWORDS = {"_": None, "gettext": None, "gettext_noop": None, "gettext_lazy": None, "ngettext": (1, 2)}
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
        for key in marked_in(path):
            found.setdefault(key, set()).add(path.relative_to(ROOT).as_posix())
    return found


def sources(domain: str) -> list[Path]:
    rooms = ROOT / "annotation" / "tasks"
    if domain == "djangojs":
        return sorted([*(ROOT / "static" / "assess").glob("*.js"), *rooms.glob("*/*.js")])
    python = [path for path in (ROOT / "annotation").rglob("*.py") if "migrations" not in path.parts]
    return sorted([*python, *(ROOT / "templates").rglob("*.html"), *rooms.glob("*/*.html")])


def marked_in(path: Path) -> Iterator[Key]:
    text = path.read_text()
    method = {".py": "python", ".js": "javascript"}.get(path.suffix, "python")
    if path.suffix == ".html":
        text = as_python(text)
    options = {"encoding": "utf-8", "parse_template_string": True}
    for _, said, _, _ in extract(method, io.BytesIO(text.encode()), KEYWORDS, (), options):
        yield said if isinstance(said, str) else (said[0], said[1])


def as_python(template: str) -> str:
    """The calls that the translation tags of a template come to, one to a line."""
    text = r"""u?(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')[,\s]*"""
    calls = re.findall(rf"(?:\b_|gettext|ngettext)\((?:{text})+[^()]*\)", templatize(template))
    return "\n".join(re.sub(r"^_\(", "gettext(", call) for call in calls)


# --- what the catalogues say ----------------------------------------------------------------------------------------


def po_path(language: str, domain: str) -> Path:
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


def update() -> None:
    for language in PLURALS:
        for domain in DOMAINS:
            path, catalogue = po_path(language, domain), current(language, domain)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(as_po(catalogue))
            path.with_suffix(".mo").write_bytes(as_mo(stored(language, domain)))


if __name__ == "__main__":
    update()
    left = list(problems())
    print("\n".join(left) or "All words are translated.")
    sys.exit(bool(left))

"""Words of pages: of the assessors', in the language of the study's interface, and of the experimenters', in that of their browser.

A word is marked where it stands, and an English sentence is its own key: ``gettext("Answer statement {number}.", number=3)``
here, ``{% translate %}`` in a template, ``gettext`` of ``static/assess/gettext.js`` in a script. Words that wait in a table to be
shown later are marked by ``gettext_noop`` and given to ``gettext`` where they are shown, so that stored and exported words stay
English whatever language a page has. What experimenters alone are told is marked by ``phrase``, ``phrases`` where a number decides the form, and ``phrase_lazy`` where it is read before anybody
asks, as the fields of forms are: it has catalogues of its own. ``make words`` collects all of them (``tests/catalogues.py``).

This is the one module through which task kinds meet Django, for which they have no other use.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_noop
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

from annotation.languages import INTERFACES

__all__ = [
    "gettext",
    "gettext_noop",
    "lower",
    "ngettext",
    "phrase",
    "phrase_lazy",
    "phrases",
    "script_words",
    "spoken",
]


def gettext(text: str, /, **values: object) -> str:
    """The text in the language that is on, with the values in its braces. What nobody has translated stays as it is."""
    said = _said(translation.get_language(), text) if text else ""
    return said.format(**values) if values else said


@functools.lru_cache(maxsize=2_000)
def _said(language: str | None, text: str) -> str:
    """Kept, as a page of ratings asks for thirty words and Django looks for each in several places."""
    return translation.gettext(text)


def phrase(text: str, /, **values: object) -> str:
    """As ``gettext``, for what experimenters alone are told. Programs and the command line get it in English."""
    return gettext(text, **values)


phrase_lazy = lazy(phrase, str)


def phrases(one: str, many: str, n: int, /, **values: object) -> str:
    """As ``ngettext``, for what experimenters alone are told; a large number has its commas."""
    return translation.ngettext(one, many, n).format(n=f"{n:,}", **values)


def lower(heading: str) -> str:
    """A heading within a sentence. German keeps its capitals, and other scripts have none."""
    return heading if translation.get_language() == "de" else heading.lower()


def ngettext(one: str, many: str, n: float, /, **values: object) -> str:
    """The form that the number ``n`` takes in the language that is on; ``{n}`` is the number."""
    return translation.ngettext(one, many, n).format(n=n, **values)


@contextmanager
def spoken(interface: str) -> Iterator[None]:
    """Within it, words are in the language of this interface."""
    with translation.override(INTERFACES[interface]):
        yield


@functools.cache
def script_words(interface: str) -> dict[str, Any]:
    """What scripts say, sentence by sentence: the translation, or a list of them for the forms of a number."""
    if interface == "en":
        return {}
    view = JavaScriptCatalog()
    view.translation = DjangoTranslation(INTERFACES[interface], domain="djangojs")
    return view.get_catalog()

"""What is to be known of a study's languages (BCP 47): what a tag is, of which text which is, the direction of a script, and which
the interface can have."""

from __future__ import annotations

import re

# Languages of the assessors' pages, as a study file names them, and as Django does.
INTERFACES = {"ar": "ar", "de": "de", "en": "en", "es": "es", "fr": "fr", "zh": "zh-hans"}
RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"})
SCRIPTS = {
    "adlm": "rtl",
    "arab": "rtl",
    "hebr": "rtl",
    "syrc": "rtl",
    "thaa": "rtl",
    "cyrl": "ltr",
    "latn": "ltr",
}


def language_tag(tag: str) -> str:
    """The tag; ValueError says what one looks like."""
    if not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag) or len(tag) > 35:
        raise ValueError(f"must be a language tag such as en or pt-BR; it is “{tag[:40]}”")
    return tag


def optional_language_tag(tag: str) -> str:
    return language_tag(tag) if tag else tag


def document_language(language: str, source_language: str) -> str:
    """Of documents: the study's own, unless its settings name another, as where translations are judged beside their sources."""
    return source_language or language


def direction(language: str) -> str:
    """``rtl`` or ``ltr``: a script that is named decides (``ku-Arab``, ``az-Latn``), else the language."""
    parts = language.lower().replace("_", "-").split("-")
    named = next((SCRIPTS[part] for part in parts[1:] if part in SCRIPTS), None)
    return named or ("rtl" if parts[0] in RIGHT_TO_LEFT else "ltr")


def scale_direction(interface: str, language: str) -> str:
    """Scales run as their words do: with pages in another language than English those are of that language, else of the texts'."""
    return direction(language if interface == "en" else interface)

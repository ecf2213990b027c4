"""Bytes to text, and what no text may hold."""

from __future__ import annotations

import codecs
import io
from typing import Any

from annotation.study_files.problems import Problems
from metrics.cells import half_a_pair


def decoded(data: bytes, file: str, problems: Problems) -> str:
    """The file's text, without a byte order mark. What is no UTF-8 is reported, and replaced so that reading can go on."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.add(file, None, "this is UTF-16; save it as UTF-8.")
        return ""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    for number, line in enumerate(io.BytesIO(data), start=1):
        if problems.enough(file):
            break
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            bad = line[error.start]
            problems.add(
                file,
                number,
                f"byte {error.start + 1} of the line (0x{bad:02X}) is not UTF-8; save the file as UTF-8.",
            )
    return data.decode("utf-8", errors="replace")


def unstorable(value: Any) -> str:
    """Why a text cannot be stored, or nothing. ``value`` may hold texts at any depth."""
    if isinstance(value, str):
        if "\0" in value:
            return "a text holds the character NUL (U+0000); remove it."
        if half_a_pair(value):
            return (
                "a text holds half a character (a lone surrogate such as \\ud83d); write the whole character."
            )
        return ""
    if isinstance(value, dict):
        return unstorable(list(value)) or unstorable(list(value.values()))
    if isinstance(value, list):
        return next((fault for fault in map(unstorable, value) if fault), "")
    return ""

"""Where the table of a command goes, as CSV or JSON, and its signatures with it.

A table is written whole or not at all: first into a temporary file beside its place, then moved there. Text cells that
a spreadsheet would run as a formula are neutralised in CSV; reading such a file back undoes it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.tables import csv_text, json_records


def write(
    frame: pd.DataFrame,
    arguments: argparse.Namespace,
    *,
    signatures: Mapping[str, str],
    notes: Sequence[str] = (),
) -> None:
    """The table to ``--out`` or standard output, as CSV or JSON.

    ``signatures`` say of each name how its numbers were made, ``notes`` what else a reader must know. Both are part of
    the JSON, and go to standard error beside CSV. Only at a terminal are numbers rounded.
    """
    if arguments.json:
        text = _as_json(frame, signatures, notes)
    else:
        rounded = arguments.out is None and sys.stdout.isatty()
        text = csv_text(frame, float_format=_readable if rounded else None)
    if arguments.out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(arguments.out, text)
    if not arguments.json:
        for line in [*map(_signature_line, signatures.items()), *notes]:
            print(line, file=sys.stderr)


def by_name(*signatures: str) -> dict[str, str]:
    """Signatures by what they begin with, the name of a test or a coefficient."""
    return {line.split("|", 1)[0]: line for line in signatures}


def _signature_line(named: tuple[str, str]) -> str:
    name, signature = named
    return signature if signature.startswith(f"{name}|") else f"{name}: {signature}"


def _readable(value: Any) -> str:
    """Four digits that count, and never less than the whole part."""
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def _as_json(frame: pd.DataFrame, signatures: Mapping[str, str], notes: Sequence[str]) -> str:
    document = {"signatures": dict(signatures), "notes": list(notes), "rows": json_records(frame)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def write_whole(path: Path, text: str) -> None:
    """A device or a pipe is written to; a file moved into its place would put an end to it."""
    temporary = ""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_text(text, encoding="utf-8", newline="")
            return
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as stream:
            temporary = stream.name
            stream.write(text)
        # A temporary file is private to its owner; the result is an ordinary file.
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except OSError as problem:
        Path(temporary).unlink(missing_ok=True) if temporary else None
        raise BadInput(f"cannot be written ({problem.strerror})", file=str(path)) from problem


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

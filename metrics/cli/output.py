"""What all commands share: where a table goes, as CSV or JSON, and the options for it.

A table is written whole or not at all: first into a temporary file beside its place, then moved there. Text cells that
a spreadsheet would run as a formula are neutralised in CSV; reading such a file back undoes it.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.tables import neutralised

DEFAULT_SEED = 20050629


def add_output_arguments(parser: argparse.ArgumentParser, *, seed: bool = False) -> None:
    """``--out``, ``--json`` and, for commands that draw random numbers, ``--seed``."""
    parser.add_argument("--out", metavar="FILE", type=Path, help="write here instead of standard output")
    parser.add_argument("--json", action="store_true", help="JSON with rows and signatures instead of CSV")
    if seed:
        parser.add_argument(
            "--seed",
            type=int,
            default=DEFAULT_SEED,
            help="seed of the random numbers (default %(default)s); it is part of the signature",
        )


def write(
    frame: pd.DataFrame, arguments: argparse.Namespace, *, signatures: str | Sequence[str] | Mapping[str, str]
) -> None:
    """The table to ``--out`` or standard output; signatures into the JSON, or beside CSV to standard error."""
    text = _as_json(frame, signatures) if arguments.json else _as_csv(frame)
    if arguments.out is None:
        sys.stdout.write(text)
    else:
        write_whole(arguments.out, text)
    if not arguments.json:
        for line in _lines(signatures):
            print(line, file=sys.stderr)


def _as_csv(frame: pd.DataFrame) -> str:
    texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    safe = frame.assign(**{name: frame[name].map(_safe_cell) for name in texts})
    buffer = io.StringIO()
    safe.to_csv(buffer, index=False, lineterminator="\n")
    return buffer.getvalue()


def _safe_cell(cell: object) -> object:
    return neutralised(cell) if isinstance(cell, str) else cell


def _as_json(frame: pd.DataFrame, signatures: str | Sequence[str] | Mapping[str, str]) -> str:
    rows = [{name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
    head: dict[str, object] = {"signature": signatures} if isinstance(signatures, str) else {}
    if isinstance(signatures, Mapping):
        head["signatures"] = dict(signatures)
    elif not isinstance(signatures, str):
        head["signatures"] = list(signatures)
    return json.dumps({**head, "rows": rows}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _plain(value: object) -> object:
    """A value JSON can hold: NumPy scalars as Python's own, NaN and infinity as null."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value


def _lines(signatures: str | Sequence[str] | Mapping[str, str]) -> Sequence[str]:
    if isinstance(signatures, str):
        return [signatures]
    if isinstance(signatures, Mapping):
        return [f"{name}: {line}" for name, line in signatures.items()]
    return signatures


def write_whole(path: Path, text: str) -> None:
    temporary = ""
    try:
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

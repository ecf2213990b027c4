"""``python -m metrics convert``: files of other tools ↔ our tables."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.cli.arguments import add_json_argument
from metrics.cli.output import by_name, write, write_whole
from metrics.errors import BadInput
from metrics.formats import FORMATS, TABLES
from metrics.formats.base import Files, iso_times, json_lines
from metrics.formats.study import read_study, study_files
from metrics.frames import read_judgments, read_scores, read_texts_outputs, read_texts_references
from metrics.signature import signature
from metrics.tables import Columns, read_table

READERS: Mapping[str, Callable[[Path], Any]] = {
    # How judgments that come twice count is a matter of scores: a file of another tool holds them all.
    "judgments": partial(read_judgments, duplicates="each"),
    "scores": read_scores,
    "outputs": read_texts_outputs,
    "references": read_texts_references,
    "study": read_study,
}
OPTIONS = (
    "criterion",
    "languages",
    "group",
    "items",
    "human",
    "reference",
    "summarizers",
    "people",
    "identical",
    "layout",
    "error_weights",
    "by",
    "quoted",
    "spelling",
    "outputs",
    "documents",
    "attributes",
    "references",
)
"""A conversion takes those that its reader or writer has as parameters; what was not given is not passed on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _overview()
    names = f"one of {', '.join(TABLES)}, or of {', '.join(FORMATS)}"
    parser.add_argument("source", metavar="FROM", choices=[*TABLES, *FORMATS], help=names)
    parser.add_argument(
        "target", metavar="TO", choices=[*TABLES, *FORMATS], help="likewise; one of each kind"
    )
    parser.add_argument(
        "files", metavar="FILE", type=Path, nargs="+", help="what to convert; a study is a folder"
    )
    parser.add_argument("--criterion", metavar="NAME", help="appraise, wmt: the criterion that was rated")
    parser.add_argument(
        "--languages", metavar="SRC-TGT", help="appraise, wmt, mtme: where no task names the pair"
    )
    parser.add_argument("--group", metavar="WHO", help="summeval: expert (default), crowd or all")
    parser.add_argument(
        "--items",
        metavar="FILE",
        type=Path,
        help="mtme, text, litepyramid: ids of the items, one a line, in the order of lines",
    )
    parser.add_argument("--human", action="store_const", const=True, help="mtme: these are human scores")
    parser.add_argument("--reference", metavar="NAME", help="mtme: the reference that the metrics used")
    parser.add_argument("--summarizers", metavar="TYPE", help="sacrerouge: all (default), peer or reference")
    parser.add_argument("--people", metavar="SYSTEM", nargs="+", help="sacrerouge: systems that are people")
    parser.add_argument(
        "--identical",
        metavar="HOW",
        help="wmt-ranking: systems with one output stand merged (A+B) or expanded (each by itself)",
    )
    parser.add_argument(
        "--layout", metavar="HOW", help="wmt-ranking: pairs (default) or sets, one ranking a row"
    )
    _add_span_arguments(parser)
    parser.add_argument(
        "--attributes",
        metavar="FILE",
        type=Path,
        help="ami, rose: attributes of the export, with lines and lengths",
    )
    parser.add_argument("--references", metavar="FILE", type=Path, help="rose: texts of the references")
    parser.add_argument(
        "--systems", metavar="FILE", type=Path, help="CSV with columns from and to: other names for systems"
    )
    parser.add_argument("--out", metavar="PATH", type=Path, help="write here instead of standard output")
    add_json_argument(parser)


def _add_span_arguments(parser: argparse.ArgumentParser) -> None:
    """What formats with error spans take."""
    parser.add_argument(
        "--error-weights",
        metavar="WEIGHTS",
        help="mqm, mtme, esa, pearmut: what errors weigh, such as freitag2021,critical=10",
    )
    parser.add_argument("--by", metavar="WHAT", help="mqm: an item is a segment (default) or a document")
    parser.add_argument("--quoted", action="store_const", const=True, help="mqm: cells may be in quotes")
    parser.add_argument("--spelling", metavar="WHOSE", help="mqm: wmt (default) or marot, small letters")
    parser.add_argument("--outputs", metavar="FILE", type=Path, help="mqm, esa, rose: texts of the outputs")
    parser.add_argument("--documents", metavar="FILE", type=Path, help="mqm: texts of the sources")


def _overview() -> str:
    lines = ["conversions:"]
    for name, form in FORMATS.items():
        lines.append(f"  {name}: {form.title}")
        lines += [f"    convert {name} {table} FILE …" for table in form.reads]
        lines += [f"    convert {table} {name} FILE" for table in form.writes]
    lines += [
        "",
        "A study or several files need --out FOLDER; all else goes to --out FILE or standard output.",
    ]
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> None:
    source, target = arguments.source, arguments.target
    options = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    if target in TABLES and source in FORMATS and target in FORMATS[source].reads:
        table = _renamed(_call(FORMATS[source].reads[target], arguments.files, options), arguments.systems)
        _write_table(table, arguments)
    elif source in TABLES and target in FORMATS and source in FORMATS[target].writes:
        if len(arguments.files) > 1:
            raise BadInput(f"expected one file of {source}, found {len(arguments.files)}")
        if arguments.json:
            raise BadInput(f"expected no --json: files of {target} are written as that tool reads them")
        table = _renamed(READERS[source](arguments.files[0]), arguments.systems)
        _write_files(_call(FORMATS[target].writes[source], table, options), arguments.out)
    else:
        raise BadInput(f"no conversion from {source} to {target}: see python -m metrics convert --help")


def _call(function: Callable[..., Any], given: object, options: Mapping[str, object]) -> Any:
    """The reader or writer with its options; one that it does not know is refused, not ignored."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY]
    unknown = set(options) - {parameter.name for parameter in parameters}
    if unknown:
        raise BadInput(f"expected no --{min(unknown).replace('_', '-')}: this conversion has no use for it")
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in options]
    if missing:
        raise BadInput(f"expected --{missing[0]}")
    return function(given, **options)


def _renamed(table: Any, path: Path | None) -> Any:
    """The table with the systems called as the file says; those it does not name keep their names."""
    if path is None:
        return table
    if not isinstance(table, pd.DataFrame) or "system" not in table.columns:
        raise BadInput("expected no --systems: this table has no systems to rename")
    columns = Columns(read_table(path), file=str(path))
    columns.need(("from", "to"))
    old, new = columns.text("from", needed=True), columns.text("to", needed=True)
    names = dict(zip(old, new, strict=True))
    unknown = [name for name in names if name not in set(table["system"])]
    if unknown:
        raise BadInput(f"expected systems of the table, found {unknown[0]!r}", file=str(path), column="from")
    present = dict.fromkeys(table["system"])
    renamed = [names.get(name, name) for name in present]
    if len(set(renamed)) < len(present):
        raise BadInput(
            "expected a name of its own for every system, found one for two", file=str(path), column="to"
        )
    return table.assign(system=table["system"].map(lambda name: names.get(name, name)))


def _write_table(table: Any, arguments: argparse.Namespace) -> None:
    """Our tables as JSON if asked; else judgments and scores as CSV, texts as JSON Lines. A study is a folder."""
    if arguments.target == "study":
        if arguments.json:
            raise BadInput("expected no --json: a study is written as a folder of files")
        _write_files(study_files(table), arguments.out)
    elif arguments.json or arguments.target in ("judgments", "scores"):
        how = {"from": arguments.source, "to": arguments.target}
        plain = iso_times(table) if arguments.target == "judgments" else table
        write(plain, arguments, signatures=by_name(signature("convert", how)))
    else:
        rows = table.to_dict("records")
        _write_files(json_lines({str(k): v for k, v in row.items()} for row in rows), arguments.out)


def _write_files(files: str | Files, out: Path | None) -> None:
    """One file to ``out`` or standard output; several into the folder ``out``, each of them whole."""
    if isinstance(files, str):
        if out is None:
            sys.stdout.write(files)
        else:
            write_whole(out, files)
        return
    if out is None:
        raise BadInput("expected --out FOLDER")
    for name, text in files.items():
        path = out / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise BadInput(f"cannot be made ({problem.strerror})", file=str(path.parent)) from problem
        write_whole(path, text)

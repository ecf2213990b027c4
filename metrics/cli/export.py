"""``python -m metrics export``: what a report's folder does not hold as files, but can give."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from metrics.cli.progress import shown
from metrics.errors import BadInput
from metrics.formats.base import file_name
from metrics.report import FORMS, read_report, render_figure, stored_table, stored_tables
from metrics.report.write import as_json

TABLES, FIGURES = "tables", "figures"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="REPORT", help="the folder of a report")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where files go (default: into the folder itself)"
    )
    parser.add_argument(
        "--tables", action="store_true", help="tables that are stored as Parquet, as CSV and for LaTeX"
    )
    parser.add_argument(
        "--figures",
        nargs="*",
        choices=FORMS,
        metavar="FORM",
        help=f"figures: {', '.join(FORMS)} (default: all)",
    )
    parser.add_argument(
        "--whole", action="store_true", help="report.json with the rows of all tables (only with --out)"
    )


def run(arguments: argparse.Namespace) -> None:
    data = read_report(arguments.folder)
    out = arguments.out or arguments.folder
    if arguments.whole and arguments.out is None:
        raise BadInput("expected --out DIR beside --whole: the report.json of the folder stays as it is")
    everything = not (arguments.tables or arguments.whole or arguments.figures is not None)
    if arguments.tables or everything:
        (out / TABLES).mkdir(parents=True, exist_ok=True)
        for name, forms in stored_tables(arguments.folder, data).items():
            for form in forms:
                text = stored_table(arguments.folder, name, form, data)
                (out / TABLES / f"{name}.{form}").write_text(text, encoding="utf-8", newline="")
    if arguments.figures is not None or everything:
        _draw(data, out / FIGURES, arguments.figures or list(FORMS))
    if arguments.whole:
        out.mkdir(parents=True, exist_ok=True)
        (out / "report.json").write_text(as_json(data), encoding="utf-8")
    print(out)


def _draw(data: dict[str, Any], folder: Path, forms: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with shown("figures") as progress:
        for done, spec in enumerate(data["figures"]):
            progress(done, len(data["figures"]))
            file_name(spec["name"], "name of a figure")  # the report may be anybody's
            for form, content in render_figure(data, spec, forms=forms).items():
                (folder / f"{spec['name']}.{form}").write_bytes(content)

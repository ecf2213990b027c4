"""Tables for LaTeX, with booktabs: what the page prints, in the columns that a page of a paper has room for."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from metrics.report.numbers import MINUS
from metrics.report.printed import (
    DOT,
    Printed,
    aev_table,
    agreement_table,
    metrics_table,
    programs_table,
    rouge_shares_table,
    rouge_table,
    systems_table,
)

LONGEST = 45
"""Rows that fit on a page; longer tables break across pages (package longtable)."""

_SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "²": "$^2$",
    DOT: r"$\bullet$",
    MINUS: "$-$",
    "–": "--",
    "’": "'",
    "…": r"\ldots{}",
}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
# Letters beyond these need fonts that pdfLaTeX does not have; LuaLaTeX and XeLaTeX take them from the system.
_BEYOND_LATIN = re.compile(r"[^\x00-\u017f]")


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    plain = _UNPRINTABLE.sub(" ", text)
    signs = "".join(_SIGNS.get(sign, sign) for sign in plain.replace("--", "-\0-").replace("--", "-\0-"))
    return signs.replace("\0", "{}")


def latex_tables(
    data: dict[str, Any], *, only: Collection[str] | None = None, without: Collection[str] = ()
) -> dict[str, str]:
    """By the name of the table, a file each for ``tables/``; all of them, or those that are asked for."""
    options, meta = data["options"], {section["human"]: section for section in data["meta"]}
    found = [systems_table(section, options) for section in data["human"]]
    found += [agreement_table(data)] if data["agreement"] is not None else []
    found += [programs_table(data)] if data["programs"] is not None else []
    for section in data["human"]:
        own = meta[section["id"]]
        if own["summary"] is not None:
            found.append(metrics_table(section, own, data))
        if own["aev"] is not None:
            found.append(aev_table(section, own))
        if own["rouge"] is not None:
            found.append(rouge_table(section, own, options))
        if own["rouge_shares"] is not None:
            found.append(rouge_shares_table(section, own))
    return {
        table.file: latex_table(table, data["signatures"])
        for table in found
        if table.file not in without and (only is None or table.file in only)
    }


def latex_table(table: Printed, signatures: dict[str, str]) -> str:
    """A table environment (or a longtable), with its signatures as comments above it."""
    kept = [place for place, head in enumerate(table.heads) if not head.wide]
    layout = "".join("r" if table.heads[place].is_number else "l" for place in kept)
    head = _line([table.heads[place].title for place in kept])
    rows = []
    for number, cells in enumerate(table.rows):
        rows += [r"\midrule"] if number in table.rules else []
        rows.append(_line([cells[place] for place in kept]))
    lines = [f"% {_UNPRINTABLE.sub(' ', signatures[key])}" for key in table.signatures]
    caption = rf"\caption{{{escaped(table.caption)}}}\label{{tab:{table.file}}}"
    if len(table.rows) > LONGEST:
        lines += ["% needs the packages booktabs and longtable", r"{\small\setlength{\tabcolsep}{3pt}"]
        lines += [rf"\begin{{longtable}}{{{layout}}}", caption + r" \\", r"\toprule", head, r"\midrule"]
        lines += [r"\endfirsthead", r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
        lines += [*rows, r"\end{longtable}}"]
    else:
        lines += ["% needs the package booktabs", r"\begin{table}", r"\centering\small"]
        lines += [r"\setlength{\tabcolsep}{3pt}", caption, rf"\begin{{tabular}}{{{layout}}}", r"\toprule"]
        lines += [head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    if any(_BEYOND_LATIN.search(line) for line in lines):
        lines.insert(0, "% has letters beyond Latin: typeset it with LuaLaTeX or XeLaTeX")
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    """A row. LaTeX would take a bracket or a star at its beginning for an option of the line before it."""
    first, *others = (escaped(cell) for cell in cells)
    return " & ".join([f"{{}}{first}" if first.startswith(("[", "*")) else first, *others]) + r" \\"

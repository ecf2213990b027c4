"""Tables for LaTeX, with booktabs: escaped, numbers aligned by rounding, undefined as a dash."""

from __future__ import annotations

import pandas as pd

from metrics.report.book import SIGNATURE, Table, plain

LONGEST = 45
"""Rows that fit on a page; longer tables break across pages (package longtable)."""

_ESCAPES = {
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
    "α": r"$\alpha$",
    "²": r"$^2$",
    "–": "--",
    "−": "$-$",
    "\n": " ",
}


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_ESCAPES.get(sign, sign) for sign in text)


def latex_table(table: Table, *, label: str) -> str:
    """A table environment (or a longtable), with its signatures as comments above it."""
    frame = table.frame.drop(columns=SIGNATURE, errors="ignore")
    numeric = [pd.api.types.is_numeric_dtype(frame[name].dtype) for name in frame.columns]
    layout = "".join("r" if is_number else "l" for is_number in numeric)
    head = " & ".join(escaped(str(name).replace("_", " ")) for name in frame.columns) + r" \\"
    columns = [[_cell(value) for value in frame[name]] for name in frame.columns]
    rows = [" & ".join(cells) + r" \\" for cells in zip(*columns, strict=True)]
    lines = [f"% {line}" for line in dict.fromkeys(table.frame.get(SIGNATURE, pd.Series(dtype="str")))]
    caption = rf"\caption{{{escaped(table.title)}}}\label{{tab:{label}}}"
    if len(rows) > LONGEST:
        lines += ["% needs the packages booktabs and longtable", rf"\begin{{longtable}}{{{layout}}}"]
        lines += [caption + r" \\", r"\toprule", head, r"\midrule", r"\endfirsthead"]
        lines += [r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
        lines += [*rows, r"\end{longtable}"]
    else:
        lines += ["% needs the package booktabs", r"\begin{table}", r"\centering", caption]
        lines += [rf"\begin{{tabular}}{{{layout}}}", r"\toprule", head, r"\midrule", *rows]
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    value = plain(value)
    if value is None:
        return "--"
    if isinstance(value, bool):
        return r"$\bullet$" if value else ""
    if isinstance(value, float):
        return f"{value:.3f}".replace("-", "$-$")
    return escaped(str(value))

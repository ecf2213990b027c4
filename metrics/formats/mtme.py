"""Score files of mt-metrics-eval (Freitag et al. 2022; the layout is in that project's README).

``human-scores/SRC-TGT.NAME.LEVEL.score`` and ``metric-scores/SRC-TGT/NAME-REF.LEVEL.score``, LEVEL one of sys, domain,
doc, seg; each line ``SYSTEM SCORE`` (``DOMAIN SYSTEM SCORE`` at level domain), None for a missing human score. Files of
documents and segments list, per system, one line each in the order of the test set: the nth is item n. Higher is better
throughout: error scores such as MQM are stored negated.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.formats import mtme_ratings
from metrics.formats.base import (
    Files,
    Format,
    file_name,
    item_order,
    items_file,
    lines_of,
    read_items,
    with_rows,
)
from metrics.formats.direct_assessment import PAIR
from metrics.frames import check_scores, oriented
from metrics.tables import Columns

LEVELS = ("sys", "domain", "doc", "seg")
MISSING = "None"


def read_scores(paths: Sequence[Path], *, items: Path | None = None) -> pd.DataFrame:
    """A score table; ``items`` names the documents or segments, which otherwise are numbered from 1."""
    ids = None if items is None else read_items(items)
    seen: dict[str, tuple[str, Path]] = {}
    parts = []
    for path in paths:
        metric, level = _name(path)
        # System scores stand beside those of items; two kinds of items in one table would be one matrix of both.
        kind = metric if level == "sys" else f"{metric} of items"
        if kind in seen:
            raise BadInput(
                f"expected one file of scores of {kind}, found {seen[kind][1]} too", file=str(path)
            )
        seen[kind] = level, path
        parts.append(_read(path, level, ids).assign(metric=metric))
    return check_scores(pd.concat(parts, ignore_index=True))


def _name(path: Path) -> tuple[str, str]:
    """Metric and level, which only the name of the file tells."""
    name, _, level = path.name.removesuffix(".score").rpartition(".")
    if not name or level not in LEVELS or path.suffix != ".score":
        raise BadInput(f"expected a name such as NAME.seg.score, of {', '.join(LEVELS)}", file=str(path))
    pair, _, rest = name.partition(".")
    of_metrics = path.parent.parent.name == "metric-scores"
    if rest and not of_metrics and (path.parent.name == "human-scores" or PAIR.fullmatch(pair)):
        return rest, level
    return name, level


def _read(path: Path, level: str, ids: list[str] | None) -> pd.DataFrame:
    columns = Columns(_cells(path, level), file=str(path))
    raw = columns.text("score")
    columns.frame["score"] = raw.where(raw != MISSING, "")
    columns.refuse(raw.str.lower() == "nan", "score", f"a number or {MISSING}")
    rows = pd.DataFrame({"system": columns.text("system"), "score": columns.number("score")})
    nth = rows.groupby("system", sort=False).cumcount()
    if level == "sys":
        columns.refuse(nth > 0, "system", "one score per system")
        return rows.assign(item="")
    if level == "domain":
        rows["item"] = columns.text("domain")
        columns.unique(("system", "item"), rows)
        return rows
    counts = rows.groupby("system", sort=False).size()
    expected = int(counts.iloc[0]) if ids is None else len(ids)
    odd = counts[counts != expected]
    if not odd.empty:
        raise BadInput(
            f"expected {expected} scores of every system, found {odd.iloc[0]} of {odd.index[0]}",
            file=str(path),
        )
    names = np.array([str(n + 1) for n in range(expected)] if ids is None else ids, dtype=object)
    return rows.assign(item=names[nth.to_numpy()])


def _cells(path: Path, level: str) -> pd.DataFrame:
    names = ("domain", "system", "score") if level == "domain" else ("system", "score")
    rows, numbers = [], []
    for row, line in enumerate(lines_of(path), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != len(names):
            raise BadInput(
                f"expected {' and '.join(names)}, found {len(cells)} cells", file=str(path), row=row
            )
        rows.append(cells)
        numbers.append(row)
    if not rows:
        raise BadInput("expected scores, found none", file=str(path))
    return with_rows(numbers, dict(zip(names, zip(*rows, strict=True), strict=True)))


def write_scores(
    scores: pd.DataFrame,
    *,
    languages: str,
    human: bool = False,
    reference: str | None = None,
    items: Path | None = None,
) -> Files:
    """Score files by relative name: one per metric and level, sys for system scores and seg for scores of items."""
    if not PAIR.fullmatch(languages):
        raise BadInput(f"expected --languages such as en-de, found {languages!r}")
    if reference is not None and not re.fullmatch(r"\w+(\.\w+)*", reference):
        raise BadInput(f"expected the name of a reference, without dash or blank, found {reference!r}")
    upside_down = sorted(set(scores.loc[~scores["higher_is_better"].astype(bool), "metric"]))
    if upside_down:
        warnings.warn(f"lower is better: the negative is written of {', '.join(upside_down)}", stacklevel=2)
    blank = scores["system"].str.contains(r"\s")
    if blank.any():
        found = scores.loc[blank, "system"].iloc[0]
        raise BadInput(f"expected systems without blanks, found {found!r}", column="system")
    rows = oriented(scores)
    of_items = rows["item"] != ""
    order = item_order(rows.loc[of_items, "item"], items)
    files: Files = {}
    for metric, of_metric in rows.groupby("metric", sort=False):
        ending = "" if human or reference is None else f"-{reference}"
        name = file_name(f"{metric}{ending}", "metric")
        stem = f"human-scores/{languages}.{name}" if human else f"metric-scores/{languages}/{name}"
        at_items = of_metric["item"] != ""
        if not at_items.all():
            files[f"{stem}.sys.score"] = _lines(of_metric[~at_items], [""], name, human)
        if at_items.any():
            files[f"{stem}.seg.score"] = _lines(of_metric[at_items], order, name, human)
    return {**files, **(items_file(order) if of_items.any() else {})}


def _lines(rows: pd.DataFrame, order: Sequence[str], name: str, human: bool) -> str:
    """One block per system, a line for each item; only human scores may be missing."""
    known = dict(zip(zip(rows["system"], rows["item"], strict=True), rows["score"], strict=True))
    lines = []
    for system in dict.fromkeys(rows["system"]):
        for item in order:
            score = known.get((system, item), np.nan)
            if np.isnan(score) and not human:
                where = f" on {item}" if item else ""
                raise BadInput(
                    f"expected a score of {name} for {system}{where}: only human scores may be missing"
                )
            lines.append(f"{system}\t{MISSING if np.isnan(score) else repr(float(score))}\n")
    return "".join(lines)


FORMAT = Format(
    "score files and ratings of mt-metrics-eval",
    reads={"scores": read_scores, "judgments": mtme_ratings.read_judgments},
    writes={"scores": write_scores, "judgments": mtme_ratings.write_judgments},
)

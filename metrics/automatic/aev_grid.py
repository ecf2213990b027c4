"""Which AEv(α, N) explains a human score: the α × N grid of R² over systems (Soricut & Brill 2004, Tables 1–6).

A column far to the left says that people rewarded recall, a high row that they rewarded longer n-grams.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.automatic import aev
from metrics.automatic.preparation import Setting
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import system_scores
from metrics.meta.coefficients import r_squared
from metrics.signature import signature

Floats = npt.NDArray[np.float64]
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class AevGrid:
    """R² of a human score with AEv(α, N), for each N (rows) and α (columns)."""

    human: str
    setting: Setting
    orders: tuple[int, ...]
    alphas: tuple[float, ...]
    statistic: Floats
    n: int
    """Systems."""

    @property
    def best(self) -> tuple[float, int]:
        """α and N of the highest R²; the first of several, from the shortest n-grams and the lowest α."""
        row, column = np.unravel_index(int(np.nanargmax(self.statistic)), self.statistic.shape)
        return self.alphas[column], self.orders[row]

    @property
    def signature(self) -> str:
        """How the grid was made."""
        options = (("method", "r2"), ("human", self.human), *self.setting.options(), ("level", "system"))
        return signature("aev-grid", {**dict(options), "n": self.n})

    def to_frame(self) -> pd.DataFrame:
        """N as rows, α as columns, as in the paper's tables."""
        return pd.DataFrame(
            self.statistic,
            index=pd.Index(self.orders, name="N"),
            columns=pd.Index(self.alphas, name="alpha"),
        )

    def plot(self, path: str | Path) -> None:
        """The grid as a picture, longest n-grams at the top, as the report draws it: .svg, .png or .pdf by the name of the file.

        The same grid gives the same bytes: no date is written.
        """
        from metrics.drawing.files import scene_file  # noqa: PLC0415 – most runs draw nothing
        from metrics.report.plots.boards import aev_scene  # noqa: PLC0415 – it knows how the report looks, which knows grids

        title = f"R² of AEv(α, N) with {self.human}, {self.n} systems"
        cells = {
            (order, alpha): None if np.isnan(value) else float(value)
            for order, row in zip(self.orders, self.statistic, strict=True)
            for alpha, value in zip(self.alphas, row, strict=True)
        }
        alpha, order = (None, None) if np.isnan(self.statistic).all() else self.best
        scene = aev_scene(cells, (order, alpha), title)
        Path(path).write_bytes(scene_file(scene, Path(path).suffix.removeprefix("."), title=title))


def aev_grid(scores: pd.DataFrame, human: pd.DataFrame, *, score: str | None = None) -> AevGrid:
    """The grid from two score tables: system scores of ``aev-α-N`` in one setting, and a human score.

    ``scores`` is what ``Scores.table("system", ["aev-?*-[1-4]"])`` gives; ``score`` names the human score where the table
    holds several. Systems that lack either score are left out.
    """
    score = score or _only("human score", human["metric"].astype(str).unique().tolist())
    found = {
        name: aev.specification(name) for name in scores["metric"].unique() if aev.NAME.fullmatch(str(name))
    }
    if not found:
        raise BadInput("expected scores of aev-α-N, found none", column="metric")
    setting = _only("setting of aev", list(dict.fromkeys(own for _, _, own in found.values())))
    alphas = tuple(sorted({alpha for alpha, _, _ in found.values()}))
    orders = tuple(sorted({n for _, n, _ in found.values()}))
    names = [aev.name_of(alpha, n, setting) for n in orders for alpha in alphas]
    people = system_scores(human, score).dropna()
    table = _by_name(scores, names).reindex(people.index).dropna(how="all")
    statistic = _r_squared(table, people[table.index])
    if np.isnan(statistic).any():
        warnings.warn(
            f"R² is undefined for {int(np.isnan(statistic).sum())} of {statistic.size} cells: a score does not vary over "
            f"{len(table)} systems",
            UndefinedScoreWarning,
            stacklevel=2,
        )
    return AevGrid(score, setting, orders, alphas, statistic.reshape(len(orders), len(alphas)), len(table))


def _by_name(scores: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Systems × metrics: one pivot where every score is of a whole system, as metrics give them."""
    rows = scores[scores["metric"].isin(names)]
    if set(names) <= set(rows["metric"]) and (rows["item"] == "").all():
        return rows.pivot_table(index="system", columns="metric", values="score", dropna=False)[names]
    return pd.DataFrame({name: system_scores(scores, name) for name in names})


def _r_squared(table: pd.DataFrame, people: pd.Series[float]) -> Floats:
    metric = table.to_numpy(dtype=np.float64).T
    rated: Floats = np.tile(people.to_numpy(dtype=np.float64), (len(metric), 1))
    statistic: Floats = r_squared(metric[np.newaxis], rated[np.newaxis], np.ones((1, len(people))))[0]
    return statistic


def _only(what: str, found: list[Thing]) -> Thing:
    if len(found) != 1:
        raise BadInput(f"expected one {what}, found {len(found)}: {found}", column="metric")
    return found[0]

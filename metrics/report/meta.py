"""Metrics against people, for one human score: correlations, Williams matrix, prediction, AEv grid, ROUGE's variants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from metrics.automatic import aev
from metrics.automatic.aev_grid import aev_grid
from metrics.errors import BadInput
from metrics.meta.common import FloatArray, IntArray
from metrics.meta.comparison import compare_metrics
from metrics.meta.correlation import Level, correlate_all
from metrics.meta.prediction import significance_predictions
from metrics.meta.selection import scored_systems
from metrics.report.automatic import MetricResult
from metrics.report.book import Book, plain
from metrics.report.human import HumanResult
from metrics.report.numbers import counted, level
from metrics.report.options import LEVELS, METHODS_REPORTED, Options
from metrics.report.resampled import preference_table
from metrics.report.rouge_variants import variant_shares, variant_table
from metrics.report.selected import COLUMNS, Selected, selected
from metrics.report.without_people import King, king_table
from metrics.report.words import metric_sentence, not_outperformed
from metrics.signature import signature

SUMMARY = [
    "metric",
    "family",
    "n",
    "pearson",
    "low",
    "high",
    "pvalue",
    "spearman",
    "kendall",
    "item_kendall",
    "system_average_kendall",
    "global_pearson",
    "outperformed_by",
    *COLUMNS,
    "signature",
]
FEWEST_SYSTEMS = 3
FEWEST_FOR_WILLIAMS = 4


def meta_section(
    human: HumanResult,
    metrics: MetricResult,
    options: Options,
    book: Book,
    king: King | None = None,
    lengths: pd.Series[float] | None = None,
) -> dict[str, Any]:
    """Every part as the report's JSON holds it; a part that cannot be made is None, and the book says why."""
    parts: dict[str, Any] = dict.fromkeys(
        (
            "correlations",
            "summary",
            "selection",
            "sentence",
            "williams",
            "prediction",
            "aev",
            "rouge",
            "rouge_shares",
            "king",
            "king_basis",
        ),
        None,
    )
    section: dict[str, Any] = {"human": human.id, "slug": human.section["slug"], **parts}
    section["preference"] = _preference(human, metrics, options, book)
    common = _common_systems(human, metrics)
    if common < FEWEST_SYSTEMS:
        few = f"{common} systems have human and automatic scores: 3 are needed"
        book.miss("correlations", "there are no automatic scores" if metrics.empty else few, human=human.id)
        return section
    with book.noting("meta", human=human.id):
        correlations = correlation_table(human, metrics, options)
        if correlations["statistic"].isna().all():
            book.miss("correlations", "no correlation is defined: scores do not vary", human=human.id)
            return section
        _leave_out_undefined(human, correlations, book)
        section["correlations"] = book.json_table(correlations)
        book.add(
            f"correlations-{section['slug']}", f"Correlations with {human.id}", correlations, human=human.id
        )
        section["williams"] = _williams(human, metrics, own_correlations(correlations), options, book, common)
        choice = selected(human, metrics, lengths, options, book)
        section["selection"] = choice.section
        summary = summary_table(correlations, metrics.info, section["williams"], choice)
        section["summary"] = book.json_table(summary)
        section["sentence"] = metric_sentence(section, human.section["score"])
        book.add(
            f"metrics-{section['slug']}", f"Metrics against {human.id}", summary, tex=True, human=human.id
        )
        section["prediction"] = _prediction(human, metrics, book)
        section["aev"] = _aev(human, metrics, book)
        section |= _rouge(human, section, correlations, book)
        if king is not None:
            beside = king_table(king, summary, metrics.info)
            section["king"], section["king_basis"] = book.json_table(beside), king.basis
            title = f"KING beside the correlation with {human.id}"
            book.add(f"king-{section['slug']}", title, beside, human=human.id)
    return section


def _preference(
    human: HumanResult, metrics: MetricResult, options: Options, book: Book
) -> dict[str, Any] | None:
    """Whether metrics prefer the text that people prefer, where people compared texts."""
    if human.section["duels"] is None or metrics.empty:
        return None
    table = preference_table(human.score, metrics, options)
    if table.empty:
        return None
    slug = human.section["slug"]
    book.add(f"preference-{slug}", f"Metrics and preferences, by {human.id}", table, tex=True, human=human.id)
    return book.json_table(table)


def _common_systems(human: HumanResult, metrics: MetricResult) -> int:
    """The most systems that any metric shares with the human scores."""
    judged = frozenset(human.matrix.index)
    return max((len(judged & scored_systems(table)) for table in metrics.system_matrices.values()), default=0)


def _leave_out_undefined(human: HumanResult, correlations: pd.DataFrame, book: Book) -> None:
    own = own_correlations(correlations)
    without = sorted(name for name, value in own.items() if not np.isfinite(value))
    listed = ", ".join(without[:5]) + (", …" if len(without) > 5 else "")
    book.leave_out(
        "metrics", len(without), f"no correlation over systems is defined ({listed})", human=human.id
    )


def own_correlations(correlations: pd.DataFrame) -> dict[str, float]:
    """Each metric's Pearson correlation at system level, which all comparisons of metrics are about."""
    chosen = correlations[(correlations["level"] == "system") & (correlations["method"] == "pearson")]
    return {
        str(metric): float(value) for metric, value in zip(chosen["metric"], chosen["statistic"], strict=True)
    }


def correlation_table(human: HumanResult, metrics: MetricResult, options: Options) -> pd.DataFrame:
    """``metric, level, method, n, statistic, pvalue, low, high, signature`` at every level by every method."""
    tables = {
        level: metrics.system_matrices if level == "system" else metrics.item_matrices for level in LEVELS
    }
    rows = [row for level in LEVELS for row in _correlations(human.matrix, tables[level], level, options)]
    columns = ["metric", "level", "method", "n", "statistic", "pvalue", "low", "high", "signature"]
    return pd.DataFrame(rows, columns=columns)


def summary_table(
    correlations: pd.DataFrame, info: pd.DataFrame, williams: dict[str, Any] | None, choice: Selected
) -> pd.DataFrame:
    """One row per system-level metric, the strongest Pearson correlation first.

    Beside it the rank correlations of systems, and, of the item-level metric it is made of, Kendall's τ within items and
    within systems and Pearson's r over all outputs; then what is left of Pearson's r over systems when the choice among
    all metrics is allowed for, and without humans and baselines, outliers, or length.
    """
    keys = zip(correlations["metric"], correlations["level"], correlations["method"], strict=True)
    statistic = dict(zip(keys, correlations["statistic"], strict=True))
    of_systems = info[info["level"] == "system"].set_index("metric")[["of", "family"]].to_dict()
    chosen = correlations[(correlations["level"] == "system") & (correlations["method"] == "pearson")]
    table = chosen.rename(columns={"statistic": "pearson"}).drop(columns=["level", "method"])
    origin = [str(of_systems["of"][metric]) for metric in table["metric"]]
    beaten = dict(zip(williams["metrics"], williams["outperformed_by"], strict=True)) if williams else {}
    table = table.assign(
        family=[of_systems["family"][metric] for metric in table["metric"]],
        spearman=[statistic[metric, "system", "spearman"] for metric in table["metric"]],
        kendall=[statistic[metric, "system", "kendall"] for metric in table["metric"]],
        item_kendall=[statistic.get((name, "item", "kendall"), np.nan) for name in origin],
        system_average_kendall=[
            statistic.get((name, "system-average", "kendall"), np.nan) for name in origin
        ],
        global_pearson=[statistic.get((name, "global", "pearson"), np.nan) for name in origin],
        outperformed_by=table["metric"].map(beaten),
        **{
            name: pd.Series(
                [choice.beside.get(metric, {}).get(name) for metric in table["metric"]],
                index=table.index,
                dtype=object,
            )
            for name in COLUMNS
        },
    )
    return table.sort_values(["pearson", "metric"], ascending=[False, True], ignore_index=True)[SUMMARY]


def _correlations(
    human: pd.DataFrame, tables: dict[str, pd.DataFrame], level: Level, options: Options
) -> list[dict[str, Any]]:
    """Every metric by every method at one level: all metrics of a method in one call."""
    shared = {
        metric: table
        for metric, table in tables.items()
        if _meet(table.index, human.index) and (level == "system" or _meet(table.columns, human.columns))
    }
    found = {
        method: correlate_all(
            human,
            shared,
            level=level,
            method=method,
            interval=options.correlation_interval(),
            confidence_level=options.confidence_level,
            n_resamples=options.n_resamples,
            rng=options.seed,
        )
        for method in METHODS_REPORTED
    }
    return [
        {
            "metric": metric,
            "level": level,
            "method": method,
            "n": result.n,
            "statistic": result.statistic,
            "pvalue": result.pvalue,
            "low": result.confidence_interval.low,
            "high": result.confidence_interval.high,
            "signature": result.signature,
        }
        for metric in shared
        for method in METHODS_REPORTED
        for result in (found[method][metric],)
    ]


def _meet(one: pd.Index[Any], other: pd.Index[Any]) -> bool:
    """Whether two sets of labels share one; most are the same."""
    return one.equals(other) or bool(one.isin(other).any())


def _williams(
    human: HumanResult,
    metrics: MetricResult,
    own: dict[str, float],
    options: Options,
    book: Book,
    common: int,
) -> dict[str, Any] | None:
    """All pairs of metrics at system level (Graham 2015, §4), the strongest first.

    ``pvalue[i][k]`` is the one-sided p-value that metric i correlates higher than metric i + 1 + k; see :func:`opposite`
    for that of the other way round. ``not_outperformed`` are Graham's dots.
    """
    if common < FEWEST_FOR_WILLIAMS:
        book.miss("williams", f"{common} systems have both scores: Williams' test needs 4", human=human.id)
        return None
    if len(own) < 2:
        book.miss("williams", "there is one metric only: nothing to compare it with", human=human.id)
        return None
    tables = {name: metrics.system_matrices[name] for name in own}
    result = compare_metrics(human.matrix, tables, alternative="greater", correction="none")
    names = sorted(own, key=lambda name: (-own[name] if np.isfinite(own[name]) else np.inf, name))
    matrix = _pvalue_matrix(result.frame, names)
    with np.errstate(invalid="ignore"):
        beaten = (matrix < options.alpha).sum(axis=0)
    slug = human.section["slug"]
    # A metric may be called "metric": the column of names is put in front, not found by its name.
    frame = pd.concat(
        [pd.Series(names, name="metric", dtype="str"), pd.DataFrame(matrix, columns=names)], axis="columns"
    )
    title = f"Williams tests: p that the row correlates higher with {human.id}"
    book.add(f"williams-{slug}", title, frame, signature=result.signature, human=human.id)
    optimal = [
        name for name, times in zip(names, beaten, strict=True) if not times and np.isfinite(own[name])
    ]
    systems = int(result.frame["n"].max())
    return {
        "sentence": f"Of {counted(len(names), 'metric')}, {not_outperformed(len(optimal))} (Williams’ test over {systems} systems, "
        f"p < {level(options.alpha)}).",
        "alpha": options.alpha,
        "metrics": names,
        "correlation": [plain(own[name]) for name in names],
        "outperformed_by": [int(times) for times in beaten],
        "not_outperformed": optimal,
        "pvalue": [_short(row[place + 1 :]) for place, row in enumerate(matrix)],
        "n": systems,
        "signature": book.sign(result.signature),
    }


def _pvalue_matrix(pairs: pd.DataFrame, names: list[str]) -> FloatArray:
    """Row against column, both halves; NaN on the diagonal and where the test is undefined."""
    place = {name: number for number, name in enumerate(names)}
    first, second = (_places(pairs[column], place) for column in ("metric_a", "metric_b"))
    pvalue = pairs["pvalue"].to_numpy(dtype=np.float64)
    matrix = np.full((len(names), len(names)), np.nan)
    matrix[first, second], matrix[second, first] = pvalue, np.where(pvalue == 1, 1.0, 1 - pvalue)
    return matrix


def _places(column: pd.Series[str], place: dict[str, int]) -> IntArray:
    """Each name's place; names are looked up once each, as there are tens of thousands of pairs."""
    codes, names = pd.factorize(column)
    return np.array([place[name] for name in names], dtype=np.intp)[codes]


def opposite(pvalue: float) -> float:
    """The one-sided p-value of the opposite: the complement, but 1 for two metrics that are the same, as it was before."""
    return 1.0 if pvalue == 1 else 1 - pvalue


def _short(row: FloatArray) -> list[float | None]:
    """Four significant digits: a heat map needs no more, and there are tens of thousands of them.

    Only metrics that are the same have a p-value of 1; no other is rounded to it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        power = 3 - np.floor(np.log10(row))
        # A whole number by a power of ten that a float holds exactly is what the digits spell.
        digits = np.rint(row * 10.0**power) / 10.0**power
    spelled = (power <= 22) & np.isfinite(row)
    short = np.where(row == 1, 1.0, np.minimum(digits, 0.9999))
    return [
        float(value) if known else _spelled(own)
        for value, known, own in zip(short, spelled, row, strict=True)
    ]


def _spelled(value: float) -> float | None:
    return float(f"{value:.4g}") if np.isfinite(value) else None


def _prediction(human: HumanResult, metrics: MetricResult, book: Book) -> dict[str, Any] | None:
    """Recall and precision of significant differences (Lin & Hovy 2003, §4.2) of every metric that has item scores."""
    judged = human.matrix.index
    tables = {
        metric: table
        for metric, table in metrics.item_matrices.items()
        if table.index.equals(judged) or len(table.index.intersection(judged)) > 1
    }
    if not tables:
        book.miss("prediction", "no metric has scores of single items", human=human.id)
        return None
    columns = ["metric", "alpha", "recall", "precision", "hits", "human", "automatic", "signature"]
    rows = [
        (metric, *row, result.signature)
        for metric, result in significance_predictions(human.matrix, tables).items()
        for row in result.rows()
    ]
    curves = pd.DataFrame(rows, columns=columns)
    if curves[["recall", "precision"]].isna().all(axis=None):
        book.miss(
            "prediction",
            "the z-test of Lin and Hovy finds no significant difference, for people or for metrics",
            human=human.id,
        )
        return None
    book.add(
        f"prediction-{human.section['slug']}",
        f"Significance prediction of {human.id}",
        curves,
        human=human.id,
    )
    return book.json_table(curves)


def _aev(human: HumanResult, metrics: MetricResult, book: Book) -> dict[str, Any] | None:
    """The α × N grid of R² (Soricut & Brill 2004, Tables 1–6), in the setting that has most of it."""
    settings: dict[str, list[str]] = {}
    for name in metrics.system_matrices:
        if aev.NAME.fullmatch(name):
            _, _, setting = aev.specification(name)
            settings.setdefault(str(setting), []).append(name)
    names = max(settings.values(), key=len, default=[])
    try:
        grid = aev_grid(metrics.system[metrics.system["metric"].isin(names)], human.score.scores)
    except BadInput:
        book.miss("aev", "the grid needs AEv of every α and N in one setting", human=human.id)
        return None
    if np.isnan(grid.statistic).all():
        book.miss("aev", "R² is undefined in every cell", human=human.id)
        return None
    alpha, order = grid.best
    table = grid.to_frame()
    table.columns = pd.Index([f"alpha {value:g}" for value in grid.alphas])
    book.add(
        f"aev-{human.section['slug']}",
        f"R² of AEv(α, N) with {human.id}",
        table.reset_index(),
        signature=grid.signature,
        tex=True,
        human=human.id,
    )
    return {
        "orders": list(grid.orders),
        "alphas": list(grid.alphas),
        "statistic": [[plain(value) for value in row] for row in grid.statistic],
        "best": {"alpha": alpha, "order": order, "statistic": plain(float(np.nanmax(grid.statistic)))},
        "n": grid.n,
        "signature": book.sign(grid.signature),
    }


def _rouge(
    human: HumanResult, section: dict[str, Any], correlations: pd.DataFrame, book: Book
) -> dict[str, Any]:
    """Graham's Table 1 and Table 2 for this human score."""
    dots = section["williams"]["not_outperformed"] if section["williams"] else None
    table = variant_table(correlations, dots)
    if table.empty:
        book.miss("rouge", "no system scores of ROUGE were computed", human=human.id)
        return {}
    title = f"ROUGE's variants and their correlation with {human.id}"
    book.add(f"rouge-{human.section['slug']}", title, table, tex=True, human=human.id)
    if dots is None:
        return {"rouge": book.json_table(table), "rouge_shares": None}
    how = signature(
        "share-of-variants", {"of": "not-outperformed", "test": "williams", "variants": len(table)}
    )
    shares = variant_shares(table).assign(signature=how)
    title = f"Options of ROUGE's variants that none outperforms by {human.id}"
    book.add(f"rouge-shares-{human.section['slug']}", title, shares, tex=True, human=human.id)
    return {"rouge": book.json_table(table), "rouge_shares": book.json_table(shares)}

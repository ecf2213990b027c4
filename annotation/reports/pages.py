"""What the pages of a report show: the parts of ``report.json`` that a page is about, as templates want them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotation.reports import figures
from annotation.reports.data import Record, ReportData, options_of, records
from annotation.reports.files import ReportFile, report_files

TOP = 12  # families on the overview
NO_DIFFERENCE = "the z-test of Lin and Hovy finds no significant difference, for people or for metrics"
# Of the coefficients that the report has, the one that a reader is told first.
MAIN_COEFFICIENTS = ("alpha-ordinal", "alpha-interval", "alpha-nominal", "fleiss", "percent", "f1")
# How ROUGE's options are called on a page (Graham 2015, Table 2).
OPTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "unit": (
        "Counted",
        {unit: f"ROUGE-{unit.upper()}" for unit in ("1", "2", "3", "4", "l", "s4", "su4", "w-1.2")},
    ),
    "stem": ("Stemming", {"yes": "stemmed", "no": "not stemmed"}),
    "stop": ("Stop words", {"yes": "left out", "no": "kept"}),
    "measure": ("Measure", {"r": "recall", "p": "precision", "f": "F"}),
    "average": ("Average", {}),
}


def overview(report: ReportData, human: Record | None, names: dict[str, str]) -> dict[str, Any]:
    """Who wins and how sure, in a line per human score; agreement; the metrics that follow people best."""
    data = report.data
    best = _best_of_families(best_metrics(report, human))[:TOP]
    return {
        "sentences": data["headline"],
        "winners": [_winner(report, section, names) for section in report.humans],
        "figure": human and figures.system_figure(human, confidence=data["options"]["confidence_level"]),
        "agreement": main_agreement(report),
        "top": human and best and figures.top_figure(best, human),
        "left_out": _together(data["left_out"]),
        "missing": data["missing"],
        "notes": data["notes"],
        "facts": data,
    }


def _together(left_out: list[Record]) -> list[Record]:
    """What was left out of several human scores for the same reason, said once."""
    found: dict[tuple[str, int, str], list[str]] = {}
    for row in left_out:
        humans = found.setdefault((row["what"], row["count"], row["why"]), [])
        humans += [row["human"]] if row["human"] else []
    return [
        {"what": what.removesuffix("s") if count == 1 else what, "count": count, "why": why, "humans": humans}
        for (what, count, why), humans in found.items()
    ]


def _winner(report: ReportData, human: Record, names: dict[str, str]) -> Record:
    systems = records(human["systems"])
    best = best_metrics(report, human)
    williams = (report.meta(human) or {}).get("williams")
    return {
        "human": human,
        "first": systems[0],
        "name": names.get(systems[0]["system"], ""),
        "share": systems[0]["first_share"],
        "equals": [row for row in systems[1:] if row["system"] in _not_told(human, systems)],
        "clusters": max(row["cluster"] for row in systems),
        "systems": len(systems),
        "metric": best[0] if best else None,
        "not_outperformed": len(williams["not_outperformed"]) if williams else None,
        "metrics": len(best),
    }


def _not_told(human: Record, systems: list[Record]) -> list[str]:
    """Whom the first system does not differ from significantly; reports of old go by clusters."""
    known: list[str] | None = human.get("not_told_from_first")
    same = [row["system"] for row in systems[1:] if row["cluster"] == systems[0]["cluster"]]
    return same if known is None else known


def best_metrics(report: ReportData, human: Record | None) -> list[Record]:
    """Metrics by falling Pearson correlation with this human score over systems; undefined ones are left out."""
    rows = correlation_rows(report, human, level="system", method="pearson")
    known = [row for row in rows if row["statistic"] is not None]
    return sorted(known, key=lambda row: (-row["statistic"], row["metric"]))


def _best_of_families(ranked: list[Record]) -> list[Record]:
    """Variants of one metric crowd the top of every ranking; who looks for a metric wants to see its rivals.

    Of a metric that was computed elsewhere no family is known.
    """
    found: dict[str, Record] = {}
    for row in ranked:
        found.setdefault(row["metric"] if row["source"] == "imported" else row["family"], row)
    return list(found.values())


def correlation_rows(report: ReportData, human: Record | None, *, level: str, method: str) -> list[Record]:
    """Every metric at this level: its correlation by this method, with what the report knows of the metric."""
    meta = report.meta(human)
    if meta is None:
        return []
    dots = set(meta["williams"]["not_outperformed"]) if meta["williams"] else set()
    at = "system" if level == "system" else "item"
    known = {row["metric"]: row for row in records(report.data["metrics"]) if row["level"] == at}
    rows = []
    for row in records(meta["correlations"]):
        if (row["level"], row["method"]) == (level, method):
            metric = known.get(row["metric"], {})
            rows.append(
                {
                    **row,
                    "family": metric.get("family", ""),
                    "source": metric.get("source", ""),
                    "higher_is_better": metric.get("higher_is_better", True),
                    "made": report.signature(metric.get("signature", "")),
                    "signature": report.signature(row["signature"]),
                    "dot": level == "system" and row["metric"] in dots,
                }
            )
    return rows


def main_agreement(report: ReportData) -> list[Record]:
    """One line per task and criterion, by the coefficient that says most: the one of the report's first sentences."""
    few_values = {(row["task"], row["criterion"]) for row in records(report.data["assessors"]["shares"])}
    found: dict[tuple[str, str], Record] = {}
    for row in report.agreement:
        key = (row["task"], row["criterion"])
        fine = key not in few_values and row["criterion"] != "all criteria"
        order = ("alpha-interval", *MAIN_COEFFICIENTS) if fine else MAIN_COEFFICIENTS
        rank = {name: place for place, name in reversed(list(enumerate(order)))}
        known = found.get(key)
        if known is None or rank.get(row["coefficient"], 99) < rank.get(known["coefficient"], 99):
            found[key] = row
    return list(found.values())


# --- systems ------------------------------------------------------------------------------------------------------


def systems(report: ReportData, human: Record | None, names: dict[str, str]) -> dict[str, Any]:
    if human is None:
        return {"why": report.missing("human")}
    options = report.data["options"]
    rows = records(human["systems"])
    pairs_signature = report.signature(human["pairs_signature"])
    exchanges = int(options_of(pairs_signature).get("resamples", 0))
    # A p-value of n exchanges is at least 1 / (n + 1), and Holm multiplies the smallest by the number of pairs.
    floor = min(1, len(human["pairs"]["rows"]) / (exchanges + 1)) if exchanges and human["pairs"] else 0
    return {
        "floor": floor if floor > options["alpha"] / 50 else None,
        "exchanges": f"{exchanges:,}",
        "rows": [{**row, "name": names.get(row["system"], "")} for row in rows],
        "pairs": records(human["pairs"]),
        "score_signature": report.signature(human["signature"]),
        "systems_signature": report.signature(rows[0]["signature"]),
        "pairs_signature": pairs_signature,
        "figure": figures.system_figure(human, confidence=options["confidence_level"]),
        "pair_figure": figures.pair_figure(human, alpha=options["alpha"]),
        "options": options,
    }


# --- assessors ----------------------------------------------------------------------------------------------------


def scales(report: ReportData) -> list[tuple[str, str]]:
    """Every task and criterion that somebody gave values on."""
    rows = records(report.data["assessors"]["assessors"])
    return list(dict.fromkeys((row["task"], row["criterion"]) for row in rows))


def assessors(report: ReportData, scale: tuple[str, str] | None) -> dict[str, Any]:
    """Agreement on one scale; each assessor's bias and speed; how each used the scale."""
    if scale is None:
        return {"why": report.missing("agreement") or "Nobody gave a value on any scale."}
    task, criterion = scale
    section = report.data["assessors"]
    speed = {row["assessor"]: row for row in records(section["speed"]) if row["task"] == task}
    rows = [
        {**row, "speed": speed.get(row["assessor"])}
        for row in records(section["assessors"])
        if (row["task"], row["criterion"]) == scale
    ]
    return {
        "rows": rows,
        "agreement": _signed(report, (row for row in report.agreement if _concerns(row, task, criterion))),
        "agreement_why": report.missing("agreement"),
        "speed_why": report.missing("speed"),
        "box_figure": figures.box_figure(report, task, criterion),
        "share_figure": figures.share_figure(report, task, criterion),
        "speed_figure": figures.speed_figure(report, task),
        "normalise": section["normalise"],
    }


def _concerns(row: Record, task: str, criterion: str) -> bool:
    return row["task"] == task and row["criterion"] in (criterion, "all criteria")


def _signed(report: ReportData, rows: Iterable[Record]) -> list[Record]:
    return [{**row, "signature": report.signature(row["signature"])} for row in rows]


# --- comparison of metrics ----------------------------------------------------------------------------------------


def comparison(report: ReportData, human: Record | None, asked: list[str]) -> dict[str, Any]:
    """Williams matrix, prediction curves, AEv grid and ROUGE's variants against one human score."""
    meta = report.meta(human)
    if human is None or meta is None:
        return {"why": report.missing("human") or report.missing("correlations", human)}
    williams, aev = meta["williams"], meta["aev"]
    curves = records(meta["prediction"])
    predicting = list(dict.fromkeys(row["metric"] for row in curves))
    chosen = [name for name in dict.fromkeys(asked) if name in predicting][: figures.CURVES]
    chosen = chosen or _best_predictors(report, curves)
    return {
        "williams": williams,
        "williams_figure": williams and figures.williams_figure(human, williams),
        "williams_why": report.missing("williams", human) or report.missing("correlations", human),
        "williams_signature": williams and report.signature(williams["signature"]),
        "curve_figure": figures.curve_figure(human, curves, chosen) if _predicts(curves) else None,
        "curve_why": report.missing("prediction", human)
        or report.missing("correlations", human)
        or NO_DIFFERENCE,
        "curve_limit": figures.CURVES,
        "predicting": predicting,
        "chosen": chosen,
        "aev": aev,
        "aev_figure": aev and figures.aev_figure(human, aev),
        "aev_why": report.missing("aev", human),
        "aev_signature": aev and report.signature(aev["signature"]),
        "rouge": records(meta["rouge"]),
        "rouge_why": report.missing("rouge", human),
        "rouge_shares": _by_option(
            [row for row in records(meta["rouge_shares"]) if row["share"] is not None]
        ),
    }


def _predicts(curves: list[Record]) -> bool:
    return any(row["recall"] is not None and row["precision"] is not None for row in curves)


def _best_predictors(report: ReportData, curves: list[Record], number: int = 4) -> list[str]:
    """The best of each family, over all levels: by the mean of recall and precision where both are defined."""
    totals: dict[str, list[float]] = {}
    for row in curves:
        if row["recall"] is not None and row["precision"] is not None:
            totals.setdefault(row["metric"], []).append((row["recall"] + row["precision"]) / 2)
    ranked = sorted(totals, key=lambda name: (-sum(totals[name]) / len(totals[name]), name))
    ranked = ranked or list(dict.fromkeys(row["metric"] for row in curves))
    known = {row["metric"]: row for row in records(report.data["metrics"]) if row["level"] == "item"}
    best = _best_of_families([known[name] for name in ranked if name in known])
    return [row["metric"] for row in best][:number]


def _by_option(shares: list[Record]) -> list[tuple[str, list[Record]]]:
    options: dict[str, list[Record]] = {}
    for row in shares:
        name, choices = OPTIONS.get(row["option"], (row["option"], {}))
        choice = choices.get(row["choice"], row["choice"])
        options.setdefault(name, []).append({**row, "choice": choice})
    return list(options.items())


# --- files --------------------------------------------------------------------------------------------------------


def files(report: ReportData, human: Record | None) -> dict[str, Any]:
    """Tables and figures of one human score, and those of the study as a whole; one line for all forms of a thing."""
    found = report_files(report.folder)
    slug = human["slug"] if human else ""
    slugs = sorted((section["slug"] for section in report.humans), key=len, reverse=True)
    return {
        "whole": [file for file in found if not file.folder],
        "tables": _lines("tables", report.data["tables"], found, slug, slugs),
        "figures": _lines("figures", report.data["figures"], found, slug, slugs),
        "methods": report.data["methods"],
        "facts": report.data,
    }


def _lines(
    folder: str, entries: list[Record], found: list[ReportFile], slug: str, slugs: list[str]
) -> list[Record]:
    forms: dict[str, list[ReportFile]] = {}
    for file in found:
        if file.folder == folder:
            forms.setdefault(file.path.stem, []).append(file)
    lines = []
    for entry in entries:
        of = next((each for each in slugs if f"-{each}-" in f"-{entry['name']}-"), "")
        if of in ("", slug) and entry["name"] in forms:
            lines.append({"title": entry["title"], "files": forms[entry["name"]]})
    return lines

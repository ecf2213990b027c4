"""What the pages of a report show: the parts of ``report.json`` that a page is about, as templates want them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from annotation.reports.data import Record, ReportData, records, reporting
from annotation.reports.figures import figure_of, figure_where
from annotation.reports.files import ReportFile, report_files
from annotation.reports.tables import table_rows

Link = Callable[[Record], str]
Names = Mapping[str, str]


def overview(
    report: ReportData, human: Record | None, names: Names, links: Mapping[str, Link]
) -> dict[str, Any]:
    """Who wins and how sure, in a line per human score; agreement; the metrics that follow people best.

    ``links`` give the addresses of the pages that lines lead to: ``systems``, ``assessors`` and ``metrics``.
    """
    data = report.data
    winners = reporting.printed.winners_table(data)
    metrics = reporting.printed.best_metrics_table(data)
    agreement = data["agreement_chosen"] and reporting.printed.chosen_agreement_table(data)
    return {
        "cautions": cautions(report),
        "sentences": data["headline"],
        "winners": winners,
        "winner_rows": table_rows(winners, href=links["systems"], names=names, named="Highest"),
        "figure": human and figure_where(report, "systems", human=human["id"]),
        "top_figure": human and figure_where(report, "correlations", human=human["id"]),
        "agreement": agreement,
        "agreement_rows": agreement and table_rows(agreement, href=links["assessors"]),
        "agreement_why": report.missing("agreement"),
        "metrics": metrics,
        "metric_rows": table_rows(metrics, href=links["metrics"]),
        "metrics_why": report.missing("computed-scores") or report.missing("correlations", human),
        "remarks": data["remarks"],
    }


def cautions(report: ReportData, human: Record | None = None) -> list[Record]:
    """What the design cannot carry: of the whole study, or of one human score; ``of`` names scores where not all are meant."""
    ids = [section["id"] for section in report.data["human"]]
    return [
        {"text": one["text"], "of": "" if human or len(one["of"]) == len(ids) else ", ".join(one["of"])}
        for one in report.data["cautions"]
        if human is None or human["id"] in one["of"]
    ]


def programs(report: ReportData) -> list[dict[str, Any]]:
    """How far programs that judged agree with people; nothing where none did."""
    if report.data.get("programs") is None:
        return []
    tables = (
        reporting.printed.programs_table(report.data),
        reporting.printed.programs_first_place_table(report.data),
    )
    return [{"table": table, "rows": table_rows(table)} for table in tables if table.rows]


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
                    "made": report.signature(metric.get("signature", "")),
                    "signature": report.signature(row["signature"]),
                    "dot": level == "system" and row["metric"] in dots,
                }
            )
    return rows


def best_of_metrics(report: ReportData, human: Record) -> dict[str, Any]:
    """What may be said of the best metric, and how high one can be expected to correlate."""
    meta = report.meta(human)
    return {
        "sentence": meta and meta["sentence"],
        "ceiling": human["ceiling"] and human["ceiling"]["sentence"],
        "cautions": cautions(report, human),
    }


# --- systems ------------------------------------------------------------------------------------------------------


def systems(report: ReportData, human: Record | None, names: Names) -> dict[str, Any]:
    """Systems by one human score, and every pair of them."""
    if human is None:
        return {"why": report.missing("human")}
    table, pairs = (
        reporting.printed.systems_table(human, report.data["options"]),
        reporting.printed.pairs_table(human, report.data["options"]),
    )
    return {
        "table": table,
        "cautions": cautions(report, human),
        "headline": human["headline"],
        "noise": human["generalisability"] and human["generalisability"]["sentence"],
        "rows": table_rows(table, names=names, named="System"),
        "pairs": pairs,
        "pair_rows": table_rows(pairs),
        "signature": report.signature(records(human["systems"])[0]["signature"]),
        "pairs_signature": report.signature(human["pairs_signature"]),
        "figure": figure_where(report, "systems", human=human["id"]),
        "pair_figure": figure_where(report, "pairs", human=human["id"]),
        "duel_figure": figure_where(report, "duels", human=human["id"]),
        "marked_figures": [
            figure_of(report, spec)
            for spec in report.data["figures"]
            if spec["kind"] in ("errors", "heat") and spec["task"] == human["task"]
        ],
        # Reports of earlier versions do not have it.
        "marked": next((one for one in report.data.get("marked", ()) if one["task"] == human["task"]), None),
    }


# --- assessors ----------------------------------------------------------------------------------------------------


def scales(report: ReportData) -> list[tuple[str, str]]:
    """Every task and criterion that somebody gave values on."""
    rows = records(report.data["assessors"]["assessors"])
    return list(dict.fromkeys((row["task"], row["criterion"]) for row in rows))


def assessors(report: ReportData, scale: tuple[str, str] | None) -> dict[str, Any]:
    """Agreement on one scale; each assessor's bias and speed; how each used the scale."""
    if scale is None:
        return {"why": report.missing("agreement") or "nobody gave a value on any scale"}
    task, criterion = scale
    agreement = reporting.printed.scale_agreement_table(report.data, task, criterion)
    people = reporting.printed.scale_deviations_table(report.data, task, criterion)
    severity = _severity(report, task, criterion)
    return {
        "severity": severity,
        "severity_rows": table_rows(severity) if severity else [],
        "agreement": agreement,
        "agreement_rows": table_rows(agreement),
        "agreement_why": report.missing("agreement"),
        "people": people,
        "people_rows": table_rows(people),
        "speed_why": report.missing("speed"),
        "scale_figure": figure_where(report, "assessors", task=task, criterion=criterion),
        "share_figure": figure_where(report, "shares", task=task, criterion=criterion),
        "speed_figure": figure_where(report, "speed", task=task),
    }


def _severity(report: ReportData, task: str, criterion: str) -> reporting.Printed | None:
    """Severity by the human score that is this scale's own."""
    own = (
        section
        for section in report.data["human"]
        if (section["task"], section["score"]) == (task, criterion) and section["rasch"]
    )
    return next((reporting.printed.severity_table(section) for section in own), None)


# --- comparison of metrics ----------------------------------------------------------------------------------------


def comparison(report: ReportData, human: Record | None, asked: list[str]) -> dict[str, Any]:
    """Williams matrix, prediction curves, KING, AEv grid and ROUGE's variants against one human score."""
    meta = report.meta(human)
    if human is None or meta is None:
        return {"why": report.missing("human") or report.missing("correlations", human)}
    williams, aev, data = meta["williams"], meta["aev"], report.data
    rouge = meta["rouge"] and reporting.printed.rouge_table(human, meta, data["options"])
    shares = meta["rouge_shares"] and reporting.printed.rouge_shares_table(human, meta)
    return {
        "williams": williams,
        "williams_figure": williams and figure_of(report, reporting.williams_spec(data, human["id"])),
        "williams_why": report.missing("williams", human) or report.missing("correlations", human),
        "williams_signature": williams and report.signature(williams["signature"]),
        **_curves(report, human, meta, asked),
        **_without_people(report, human, meta),
        "aev": aev,
        "aev_figure": aev and figure_where(report, "aev", human=human["id"]),
        "aev_why": report.missing("aev", human),
        "aev_signature": aev and report.signature(aev["signature"]),
        "rouge": rouge,
        "rouge_rows": table_rows(rouge) if rouge else [],
        "rouge_why": report.missing("rouge", human),
        "rouge_shares": shares,
        "rouge_options": shares and _by_option(shares.rows),
    }


def _without_people(report: ReportData, human: Record, meta: Record) -> dict[str, Any]:
    """What metrics prefer, KING beside the correlation with people, and what BEwT-E matched; none is in every report."""
    king = meta.get("king") and reporting.printed.king_table(human, meta)
    preference = meta.get("preference") and reporting.printed.preference_table(
        human, meta, report.data["options"]
    )
    explained = [spec for spec in report.data["figures"] if spec["kind"] == "elements"]
    return {
        "preference": preference,
        "preference_rows": table_rows(preference) if preference else [],
        "preference_signature": preference and report.signature(preference.signatures[0]),
        "king": king,
        "king_rows": table_rows(king) if king else [],
        "king_figure": king and figure_where(report, "king", human=human["id"]),
        "king_signature": king and report.signature(king.signatures[0]),
        "explained_figures": [figure_of(report, spec) for spec in explained],
    }


def _by_option(rows: list[list[str]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each option with its choices and their shares, of the rows ``option, choice, variants, share``."""
    options: dict[str, list[tuple[str, str]]] = {}
    for option, choice, _, share in rows:
        options.setdefault(option, []).append((choice, share))
    return list(options.items())


def _curves(report: ReportData, human: Record, meta: Record, asked: list[str]) -> dict[str, Any]:
    """The curves of the metrics that are asked for; else those of the report's own figure."""
    name = f"prediction-{human['slug']}"
    own = next((spec for spec in report.data["figures"] if spec["name"] == name), None)
    if own is None:
        return {"curve_why": report.missing("prediction", human) or report.missing("correlations", human)}
    predicting = list(dict.fromkeys(row["metric"] for row in records(meta["prediction"])))
    chosen = [metric for metric in dict.fromkeys(asked) if metric in predicting][: reporting.CURVES]
    figure = (
        figure_of(report, reporting.figure_named(report.data, name, curves=chosen), curve=chosen)
        if chosen
        else figure_of(report, own)
    )
    return {
        "curve_figure": figure,
        "curve_limit": reporting.CURVES,
        "predicting": predicting,
        "chosen": chosen or own["metrics"],
    }


# --- files --------------------------------------------------------------------------------------------------------


def files(report: ReportData, human: Record | None) -> dict[str, Any]:
    """Tables and figures of one human score, and those of the study as a whole; one line for all forms of a thing."""
    found = report_files(report.folder)
    return {
        "whole": [file for file in found if not file.folder],
        "tables": _lines("tables", report.data["tables"], found, human),
        "figures": _lines("figures", report.data["figures"], found, human),
        "methods": report.data["methods"],
        "facts": report.data,
    }


def _lines(folder: str, entries: list[Record], found: list[ReportFile], human: Record | None) -> list[Record]:
    forms: dict[str, list[ReportFile]] = {}
    for file in found:
        if file.folder == folder:
            forms.setdefault(file.stem, []).append(file)
    own = (None, human["id"] if human else None)
    return [
        {"title": entry["title"], "files": forms[entry["name"]]}
        for entry in entries
        if entry["human"] in own and entry["name"] in forms
    ]

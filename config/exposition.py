"""Numbers in the text format of Prometheus (version 0.0.4), for whoever watches over the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from config.metering import BOUNDS, KINDS, Meter

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def exposition(facts: Mapping[str, Any], meter: Meter) -> str:
    """``facts`` come from ``annotation.selectors.operations.facts``: what all processes read in the same place."""
    return "".join(f"{line}\n" for line in _lines(facts, meter))


def _lines(facts: Mapping[str, Any], meter: Meter) -> Iterator[str]:
    yield from _one("info", "gauge", "The version that runs.", 1, {"version": facts["version"]})
    yield from _requests(meter)
    gauges = {
        "judgments": ("judgments", "Judgments in the database, every revision counted."),
        "studies_open": ("studies_open", "Studies in which people can judge."),
        "sessions": ("sessions", "Browsers that are logged in or have opened a link."),
        "reports_waiting": ("reports_waiting", "Reports that wait for the worker."),
        "reports_running": ("reports_running", "Reports that are being made."),
        "disk_free_bytes": ("disk_free", "Room on the disk of the data folder."),
        "last_backup_timestamp_seconds": ("last_backup", "When the last scheduled backup was begun."),
        "last_backup_bytes": ("last_backup_size", "How large it is."),
        "backup_failed": ("backup_failed", "1 if the last try failed."),
        "webhooks_waiting": ("webhooks_waiting", "Messages that wait to be sent."),
    }
    for name, (fact, about) in gauges.items():
        if facts[fact] is not None:
            yield from _one(name, "gauge", about, facts[fact])
    heard = {part: seconds for part, seconds in facts["silence"].items() if seconds is not None}
    if heard:
        yield from _head("part_silence_seconds", "gauge", "Since a part of the server was heard of.")
        for part, seconds in heard.items():
            yield _sample("part_silence_seconds", seconds, {"part": part})


def _requests(meter: Meter) -> Iterator[str]:
    yield from _head("requests_total", "counter", "Requests since the server was started, by status.")
    for status, number in meter.statuses().items():
        yield _sample("requests_total", number, {"status": str(status)})
    yield from _head(
        "request_duration_seconds", "histogram", "From a whole request to its answer; judgment: a submit."
    )
    for kind in KINDS:
        found = meter.durations(kind)
        bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
        for bound, number in zip(bounds, accumulate(found.counts), strict=True):
            yield _sample("request_duration_seconds_bucket", number, {"kind": kind, "le": bound})
        yield _sample("request_duration_seconds_sum", found.seconds, {"kind": kind})
        yield _sample("request_duration_seconds_count", sum(found.counts), {"kind": kind})


def _one(
    name: str, kind: str, about: str, value: float, labels: Mapping[str, str] | None = None
) -> Iterator[str]:
    yield from _head(name, kind, about)
    yield _sample(name, value, labels or {})


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP touchstone_{name} {about}"
    yield f"# TYPE touchstone_{name} {kind}"


def _sample(name: str, value: float, labels: Mapping[str, str]) -> str:
    told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    number = f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(int(value))
    return f"touchstone_{name}{{{told}}} {number}" if told else f"touchstone_{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

"""What an experimenter can choose about a report."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from annotation.strict import Strict

DEFAULT_SEED = 20050629

Normalise = Literal["none", "z", "mean", "rank"]
Interval = Literal["analytic", "bootstrap-systems", "bootstrap-items", "bootstrap-both"]


class ReportOptions(Strict):
    """The options of ``metrics.report`` that pages, the API and ``report_study`` offer; stored with every run."""

    normalise: Normalise = "none"
    metrics: tuple[str, ...] | None = None  # names and globs; None stands for all usual ones
    interval: Interval = "analytic"
    n_resamples: Annotated[int, Field(ge=100, le=10_000)] = 1_000
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = DEFAULT_SEED

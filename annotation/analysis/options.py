"""What an experimenter can choose about a report. What is usual is what ``metrics.report`` does."""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import Field

from annotation.strict import Strict
from metrics.choices import RESAMPLES, Adjudicated, Comparison, Interval, Normalise
from metrics.signature import DEFAULT_SEED

COMPARISONS = {
    "ordinal": "ratings taken as ordered categories",
    "paired": "systems compared over items only",
    "wmt": "systems compared as at WMT",
}
DECIDED = {"adjudicated": "decisions of adjudicators alone", "both": "decisions in place of judgments"}


class ReportOptions(Strict):
    """The options of ``metrics.report`` that pages, the API and ``report_study`` offer; stored with every run."""

    normalise: Normalise = "none"
    metrics: tuple[str, ...] | None = None  # names and globs; None stands for all usual ones
    comparison: Comparison = "model"
    interval: Interval = "analytic"
    adjudicated: Adjudicated = "raw"
    n_resamples: Annotated[int, Field(ge=100, le=10_000)] = RESAMPLES
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = DEFAULT_SEED

    @classmethod
    def bounds(cls, name: str) -> tuple[int, int]:
        """The least and the greatest number that an option takes."""
        least, greatest = cls.model_fields[name].metadata
        return least.ge, greatest.le

    @classmethod
    def choices(cls, name: str) -> tuple[str, ...]:
        """The words among which an option is one."""
        return get_args(cls.model_fields[name].annotation)

    @property
    def in_words(self) -> str:
        """What differs from the usual, in a line."""
        usual = ReportOptions()
        words = {
            "normalise": f"normalised ({self.normalise})",
            "metrics": f"metrics {' '.join(self.metrics or ())}",
            "comparison": COMPARISONS.get(self.comparison, ""),
            "interval": self.interval.replace("-", " over ", 1) if self.interval != "analytic" else "",
            "adjudicated": DECIDED.get(self.adjudicated, ""),
            "n_resamples": f"{self.n_resamples:,} resamples",
            "seed": f"seed {self.seed}",
        }
        chosen = [said for name, said in words.items() if getattr(self, name) != getattr(usual, name)]
        return ", ".join(chosen) or "usual options"

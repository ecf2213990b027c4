"""The form with which a report is asked for."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation import analysis
from annotation.analysis.options import ReportOptions
from annotation.words import phrase, phrase_lazy

LONGEST = 20_000
USUAL = ReportOptions()


def _whole_number(label: str, option: str) -> forms.IntegerField:
    """A field for an option that is a whole number, with its bounds and what is usual."""
    least, greatest = ReportOptions.bounds(option)
    return forms.IntegerField(
        label=label, min_value=least, max_value=greatest, initial=getattr(USUAL, option)
    )


class ReportForm(forms.Form):
    """Every field has a default that serves most studies: a report is one click away."""

    normalise = forms.ChoiceField(
        label=phrase_lazy("Normalisation of human scores"),
        choices=[
            ("none", phrase_lazy("none: scores as given")),
            ("z", phrase_lazy("z: each assessor’s mean and deviation evened out")),
            ("mean", phrase_lazy("mean: each assessor’s mean evened out")),
            ("rank", phrase_lazy("rank: each assessor’s ranks")),
        ],
        initial=USUAL.normalise,
    )
    metrics = forms.CharField(
        label=phrase_lazy("Automatic metrics"),
        required=False,
        max_length=LONGEST,
        help_text=phrase_lazy(
            "Names or patterns with spaces between them, such as rouge-2-* chrf*. Empty: all usual ones."
        ),
    )
    comparison = forms.ChoiceField(
        label=phrase_lazy("Comparison of systems"),
        choices=[
            ("model", phrase_lazy("mixed model: for other items and other assessors")),
            ("ordinal", phrase_lazy("ordinal mixed model: for scales of few steps")),
            ("paired", phrase_lazy("randomised items: for other items, the same assessors")),
            ("wmt", phrase_lazy("WMT’s procedure: rank-sum tests, uncorrected")),
        ],
        initial=USUAL.comparison,
    )
    interval = forms.ChoiceField(
        label=phrase_lazy("Intervals of correlations"),
        choices=[
            ("analytic", phrase_lazy("by formula (Fisher’s z, or t)")),
            ("bootstrap-systems", phrase_lazy("bootstrap over systems")),
            ("bootstrap-items", phrase_lazy("bootstrap over items")),
            ("bootstrap-both", phrase_lazy("bootstrap over systems and items")),
        ],
        initial=USUAL.interval,
    )
    adjudicated = forms.ChoiceField(
        label=phrase_lazy("Where adjudicators decided"),
        choices=[
            ("raw", phrase_lazy("raw: judgments as they were given")),
            ("adjudicated", phrase_lazy("adjudicated: decisions alone")),
            ("both", phrase_lazy("both: a decision in place of the judgments of its piece")),
        ],
        initial=USUAL.adjudicated,
        required=False,
    )
    n_resamples = _whole_number("Resamples", "n_resamples")
    seed = _whole_number("Seed", "seed")

    @classmethod
    def with_options(cls, options: dict[str, Any]) -> ReportForm:
        """The form filled with the options of an earlier report."""
        return cls(initial={**options, "metrics": " ".join(options.get("metrics") or ())})

    def clean_metrics(self) -> tuple[str, ...] | None:
        names = tuple(self.cleaned_data["metrics"].replace(",", " ").split()) or None
        try:
            analysis.metric_names(names)
        except analysis.BadInput as problem:
            raise forms.ValidationError(
                phrase("There is a name that means nothing here: {problem}.", problem=problem)
            ) from problem
        return names

    def clean_adjudicated(self) -> str:
        return self.cleaned_data["adjudicated"] or USUAL.adjudicated

    def options(self) -> ReportOptions:
        return ReportOptions.model_validate(self.cleaned_data)

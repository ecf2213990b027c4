"""What pages offer about a report is what ``metrics.report`` takes, with the same defaults."""

from annotation.analysis.options import ReportOptions
from annotation.views.report_form import ReportForm
from metrics.report.options import Options


def test_what_is_usual_is_what_metrics_does():
    usual = Options()
    assert {name: getattr(usual, name) for name in ReportOptions.model_fields} == ReportOptions().model_dump()


def test_the_form_offers_what_the_options_take():
    form = ReportForm()
    for name in ("n_resamples", "seed"):
        field = form.fields[name]
        assert (field.min_value, field.max_value) == ReportOptions.bounds(name)
        assert field.initial == getattr(ReportOptions(), name)
    for name in ("normalise", "comparison", "interval"):
        chosen = [value for value, _ in form.fields[name].choices]
        assert tuple(chosen) == ReportOptions.choices(name)

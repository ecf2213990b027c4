"""The examples in docstrings are run, and every public function of meta-evaluation has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import metrics.meta

MODULES = sorted(module.name for module in pkgutil.iter_modules(metrics.meta.__path__))
PUBLIC = (
    "accuracy",
    "agreement",
    "comparison",
    "correlation",
    "crossed_bootstrap",
    "design_check",
    "effects",
    "generalisability",
    "gwet",
    "halves",
    "intervals",
    "multiplicity",
    "orange",
    "pairs",
    "power",
    "prediction",
    "qarla",
    "ranking",
    "rasch",
    "resampling",
    "selection",
    "significance",
    "system_model",
    "williams",
)
BEYOND = ("metrics.human.comparison", "metrics.human.strengths")
"""Other modules whose examples are run."""
HELPERS = {
    # Called with prepared arrays by the functions above.
    "bootstrap_correlations",
    "bootstrap_pvalue",
    "checked_pvalues",
    "correlation_difference",
    "percentile_interval",
    "all_names",
    "usable_terms",
}


@pytest.mark.parametrize("name", [*(f"metrics.meta.{module}" for module in MODULES), *BEYOND])
@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_examples_give_what_they_say(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_has_an_example(name):
    module = importlib.import_module(f"metrics.meta.{name}")
    functions = inspect.getmembers(
        module, lambda one: inspect.isfunction(one) and one.__module__ == module.__name__
    )
    without = [
        found
        for found, function in functions
        if not found.startswith("_") and found not in HELPERS and ">>>" not in (function.__doc__ or "")
    ]
    assert without == []

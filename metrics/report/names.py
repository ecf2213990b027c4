"""What levels, coefficients and options are called in tables, on pages and in figures."""

from __future__ import annotations

from metrics.human.registry import coefficients
from metrics.report.numbers import counted, whole

LEVELS = {
    "system": "Systems",
    "item": "Within items",
    "global": "All outputs together",
    "system-average": "Within systems",
}
METHODS = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ"}
COEFFICIENTS = {
    "percent": "agreeing pairs",
    "alpha-ordinal": "Krippendorff’s α, ordinal",
    "alpha-interval": "Krippendorff’s α, interval",
    "alignment-f1": "F1 of marked pairs",
    "intra-percent": "agreeing pairs, same assessor again",
}
# How ROUGE's options are called (Graham 2015, Table 2).
ROUGE_OPTIONS = {
    "unit": "Counted",
    "stem": "Stemming",
    "stop": "Stop words",
    "measure": "Measure",
    "average": "Average",
}
ROUGE_CHOICES: dict[str, dict[str, str]] = {
    "unit": {unit: f"ROUGE-{unit.upper()}" for unit in ("1", "2", "3", "4", "l", "s4", "su4", "w-1.2")},
    "stem": {"yes": "stemmed", "no": "not stemmed"},
    "stop": {"yes": "left out", "no": "kept"},
    "measure": {"r": "recall", "p": "precision", "f": "F"},
}


def coefficient_name(name: str) -> str:
    """A coefficient of agreement, one that a kind declares among them."""
    declared = coefficients().get(name)
    return COEFFICIENTS.get(name) or (declared.title if declared is not None else name)


def choice_name(option: str, choice: str) -> str:
    """A choice of one of ROUGE's options."""
    return ROUGE_CHOICES.get(option, {}).get(choice, choice)


def king_basis(basis: dict[str, int]) -> str:
    """What KING is a share of: all items that have enough references, or a part of them."""
    part = "" if basis["items"] == basis["of"] else f"{whole(basis['items'])} of "
    return (
        f"over {counted(basis['references'], 'reference')} of {part}{counted(basis['of'], 'item')} with {basis['fewest']} references "
        "or more"
    )

"""Scoring of small collections in tests."""

import warnings

import pandas as pd

from metrics.automatic.run import score
from metrics.errors import UndefinedScoreWarning


def scored(names, outputs, references, *, system=False):
    """The scores of outputs of one system, item *n* against ``references[n]``: a list per metric, or the system scores."""
    names = [names] if isinstance(names, str) else list(names)
    items = [str(number) for number in range(len(outputs))]
    texts = pd.DataFrame({"system": "s", "item": items, "text": outputs})
    models = pd.DataFrame(
        [
            {"item": item, "reference": str(number), "text": text}
            for item, own in zip(items, references, strict=True)
            for number, text in enumerate(own)
        ],
        columns=["item", "reference", "text"],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        warnings.filterwarnings("ignore", message=".*is slow")
        result = score(texts, models, metrics=names, processes=1)
        if system:
            table = result.table("system").set_index("metric")["score"]
            return {name: float(table[name]) for name in names}
    return {name: result.items(name).tolist() for name in names}


def item_score(name, output, references):
    """The score of one output."""
    return scored(name, [output], [references])[name][0]

"""The presets of error spans: what a study file gets with ``preset: NAME``.

``mqm``: Freitag et al. 2021. ``mqm-core``: the branches of the MQM Core typology. ``esa``: Kocmi et al. 2024. ``hallucination``: Maynez et
al. 2020. ``factuality``: Pagnoni et al. 2021 (FRANK).
"""

from __future__ import annotations

from typing import Any

from annotation.words import gettext_noop as _

MAJOR_MINOR = [{"name": "major", "weight": 5}, {"name": "minor", "weight": 1}]

PRESETS: dict[str, dict[str, Any]] = {
    "mqm": {
        "side": "both",
        "omission": "both",
        "omission_category": "Accuracy/Omission",
        "severities": [*MAJOR_MINOR, {"name": "neutral", "weight": 0}],
        "categories": {
            "Accuracy": ["Addition", "Omission", "Mistranslation", "Untranslated text"],
            "Fluency": [
                "Punctuation",
                "Spelling",
                "Grammar",
                "Register",
                "Inconsistency",
                "Character encoding",
            ],
            "Terminology": ["Inappropriate for context", "Inconsistent use"],
            "Style": ["Awkward"],
            "Locale convention": [
                "Address format",
                "Currency format",
                "Date format",
                "Name format",
                "Telephone format",
                "Time format",
            ],
            "Other": [],
            "Source error": [],
            "Non-translation": [],
        },
        "notes": ["Other"],
        "whole_unit": ["Non-translation"],
        "max_errors": 5,
    },
    "mqm-core": {
        "side": "both",
        "omission": "both",
        "omission_category": "Accuracy",
        "severities": MAJOR_MINOR,
        "categories": {
            "Terminology": [],
            "Accuracy": [],
            "Linguistic conventions": [],
            "Style": [],
            "Locale conventions": [],
            "Audience appropriateness": [],
            "Design and markup": [],
            "Custom": [],
        },
    },
    "esa": {
        "side": "output",
        "omission": "button",
        "severities": MAJOR_MINOR,
        "score": {
            "low": 0,
            "high": 100,
            "labels": {
                "0": _("no meaning preserved"),
                "33": _("some meaning preserved"),
                "66": _("most meaning preserved"),
                "100": _("perfect"),
            },
            "warn_below": 66,
        },
    },
    "hallucination": {
        "side": "output",
        "aligned": False,
        "omission": "off",
        "categories": {"intrinsic": [], "extrinsic": []},
        "question": _("Is it true all the same?"),
        "guideline": _(
            "Mark what the source does not say: intrinsic contradicts it, extrinsic goes beyond it."
        ),
    },
    "factuality": {
        "side": "output",
        "aligned": False,
        "omission": "off",
        "span": "optional",
        "categories": {
            name: [] for name in ("RelE", "EntE", "CircE", "CorefE", "LinkE", "OutE", "GramE", "OtherE")
        },
        "guideline": _(
            "For each sentence, say what is wrong with it: relation (RelE), entity (EntE), circumstance (CircE), coreference "
            "(CorefE), discourse link (LinkE), not in the source (OutE), grammar (GramE), other (OtherE)."
        ),
    },
}

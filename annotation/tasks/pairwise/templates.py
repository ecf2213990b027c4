"""Ways of beginning a study of pairwise preference."""

from __future__ import annotations

from annotation.tasks.base import Template

_END = """
- Read both texts to the end before you choose. Which stands left says nothing.
- Length by itself is neither good nor bad.
- If a text is broken, flag it and go on.
"""

TEMPLATES = (
    Template(
        name="side-by-side",
        title="Side by side: which is better, and by how much",
        about="Assessors read two outputs for the same source and say which is better: slightly, clearly, or much.",
        config={"beside": "source", "strength": 3, "sets": {"size": 2, "pick": "balanced", "per_item": 1}},
        instructions="""You see a source and **two texts** made from it, A and B. Say which is better, and by how much; if neither is, say so.
"""
        + _END,
    ),
    Template(
        name="arena",
        title="Arena: A, B, both good, both bad",
        about="Assessors read two answers and choose A, B, both good or both bad. Needs no source.",
        config={
            "tie_kinds": ["both good", "both bad"],
            "sets": {"size": 2, "pick": "balanced", "per_item": 1},
        },
        instructions="""You see **two texts**, A and B. Which would you rather have? If there is nothing between them, say whether **both are good**
or **both are bad**.
"""
        + _END,
    ),
)

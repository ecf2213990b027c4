"""Ways of beginning a study of pyramids."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="pyramid",
        title="Pyramids of several references",
        about=(
            "Assessors find what several references say alike, and then match the words of every text with it (DUC 2005). "
            "Needs outputs, and several references of each document or topic."
        ),
        config={},
        instructions="""Several people have summed up the same thing. What do they say alike?

**Building.** Select words of one summary and make them a content unit: something that is said, with a short label. Then add to it the words of the other
summaries that say the same. A summary contributes only once to a unit; words may belong to several units.

**Matching.** Select words of a text and choose the unit that they express. Words that express no unit are *not in the pyramid*.

- Keys: `N` new unit, `A` add, `P` add as a part, `O` not in the pyramid, `W` the next words. `?` lists all keys.
""",
        design={"assessors_per_item": 1},
    ),
)

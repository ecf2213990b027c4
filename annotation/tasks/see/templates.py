"""Ways of beginning a study of coverage."""

from __future__ import annotations

from annotation.tasks.base import Template

_END = """
## Good to know

- Meaning counts, not wording. Leave out what you happen to know from elsewhere.
- There is no right speed. If you cannot decide between two grades, take the lower one.
- If a text is broken, flag it and go on.
"""

TEMPLATES = (
    Template(
        name="duc-coverage",
        title="Coverage, as in DUC",
        about=(
            "Assessors go through a model text sentence by sentence, mark what the summary says of each, and grade how much. "
            "Needs a reference to each document."
        ),
        config={"scale": "duc2001", "quality": True},
        instructions="""You will read summaries and say **how much of a model text** each of them covers.

On the left stands the *peer*, the summary to be judged; on the right the *model*, written by a person. Take the model
sentence by sentence:

1. **Mark** every sentence of the peer that says something of what the model sentence says.
2. **Grade** how much of the model sentence the marked ones express together: *all, most, some, hardly any* or *none*.

At the end, say how good the language of the peer is.
"""
        + _END,
    ),
    Template(
        name="duc2004-coverage",
        title="Coverage at one glance, as in DUC 2004",
        about="Assessors mark what summary and model share and give one estimate of the whole. Quicker, and coarser.",
        config={"variant": "duc2004", "quality": False},
        instructions="""You will read summaries and say **how much of a model text** each of them covers.

On the left stands the *peer*, the summary to be judged; on the right the *model*, written by a person. **Mark** every
sentence of the peer that shares something with the model, then say **how much of the whole model** the peer expresses.
"""
        + _END,
    ),
)

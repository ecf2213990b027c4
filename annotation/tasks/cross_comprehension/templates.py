"""Ways of beginning a study of cross comprehension."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="cross-comprehension",
        title="Cross comprehension",
        about=(
            "Assessors write summaries and questions about stories; then each tries to answer the questions of others from the "
            "summaries. Needs stories alone."
        ),
        config={},
        instructions="""# First: write

Read the story. Write a **summary** of about the length that is asked for, and some **questions** about what matters in
the story, each with the answer that you expect.

# Then: look for answers

You see a summary, a question that another reader has written, and the answer expected. Look for it in the summary alone:

- **relevant** (key 3): the summary gives this answer, perhaps in other words;
- **partially relevant** (2): it gives a part of it;
- **irrelevant** (1): it gives an answer, but another one;
- **not found** (0): it gives no answer.
""",
        design={"assessors_per_item": 1},
    ),
)

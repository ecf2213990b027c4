"""Ways of beginning a study of abstracts and extracts."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="abstract-and-extract",
        title="Abstracts and extracts of meetings",
        about=(
            "Assessors write an abstract of each document, take the lines that say what matters, and link the two: a gold standard for "
            "summaries (Murray et al.). Needs the transcript as source, one line a unit."
        ),
        config={},
        instructions="""You work on one meeting at a time, in three steps.

1. **Abstract.** Read the transcript and write what somebody who was not there should know of it: in general first, then decisions, progress and problems,
   where there are any. Write whole sentences. Once you go on, the abstract stays as it is.
2. **Extract.** Take the lines of the transcript that say what matters. As many as you find right: there is no number to reach.
3. **Links.** For each line that you took, choose the sentences of your abstract that it supports, at least one. A sentence may have no line.

- Keys: `Space` takes a line, `Shift+↓` a stretch; letters link; `Enter` goes on. `?` lists all keys.
""",
        design={"assessors_per_item": 3},
    ),
)

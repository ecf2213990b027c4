"""Ways of beginning a study of nuggets."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="nuggets",
        title="Nuggets of answers",
        about=(
            "Assessors list the facts that answer a question, each vital or okay, and then say which of them every answer supports (TREC). "
            "Needs questions and answers."
        ),
        config={},
        instructions="""**The key.** You see a question and everything that was answered to it. Make a list of the facts that answer it, the *nuggets*: short clauses,
the most important first. A nugget is *vital* if an answer without it is not a good one, else *okay*. Tick off what is covered.

**Judging.** You see one answer and the nuggets. For each: does the answer say it? *Support* if it does, *partial* if only in part, else *not*. Then choose the
strings that show it.

- Keys: `1` support, `2` partial, `3` not; letters choose strings; `Enter` goes on. `?` lists all keys.
""",
        design={"assessors_per_item": 1},
    ),
)

"""Ways of beginning a study of attribution."""

from __future__ import annotations

from annotation.tasks.base import Template

TEMPLATES = (
    Template(
        name="attribution",
        title="Support by the source",
        about=(
            "Assessors go through a summary sentence by sentence, mark what supports it in the source, and say how far: fully, partly, not at all. "
            "Needs sources and summaries."
        ),
        config={"given": "source"},
        instructions="""You will read summaries and say **what in the source supports** each of their sentences.

On the left stands the *source*; on the right the *text*. Take the text sentence by sentence:

1. **Mark** every unit of the source that supports the sentence. `/` finds words in the source.
2. Say **how far** the marked units together support it: *full*, if everything the sentence says is there; *partial*, if only some of it is;
   *no support*, if nothing is, or the source says otherwise. A sentence that claims nothing (“Here is a summary.”) has *nothing to support*.

## Good to know

- Go by the source alone. What you know yourself, or could guess, does not count, even if it is true.
- Mark no more than is needed: a unit that only speaks of the same thing does not support the sentence.
- Keys: letters mark, `0` to `2` say how far, `-` that there is nothing to support, `Enter` goes on. `?` lists all keys.
""",
        design={"assessors_per_item": 2},
    ),
)

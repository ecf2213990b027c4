"""Ways of beginning a study of ratings."""

from __future__ import annotations

from annotation.tasks.base import Template

_END = """
## Good to know

- Judge each text by itself. You may meet several texts about the same thing.
- Use the whole scale. There is no right speed, and you can stop and come back at any time.
- If a text is broken, flag it and go on.
"""

TEMPLATES = (
    Template(
        name="linguistic-quality",
        title="Linguistic quality, as in DUC 2005",
        about="Assessors read one text and rate five qualities of its language from very poor to very good. Needs no other text.",
        config={"preset": "duc2005"},
        instructions="""You will read one text at a time and rate **how it is written**, not whether it is true.

For each of five qualities choose a step from *very poor* to *very good*: grammaticality, non-redundancy, referential
clarity, focus, and structure and coherence. What each means stands beside it.
"""
        + _END,
    ),
    Template(
        name="tides",
        title="Fluency and adequacy (TIDES)",
        about="Assessors rate the language of a translation alone, then a reference appears and they rate how much of its meaning is there.",
        config={"preset": "tides"},
        instructions="""You will judge translations, each in two steps.

1. **Fluency.** You see one text alone. How good is its language, whatever it says? Once you confirm, this answer stays.
2. **Adequacy.** A reference appears. How much of its **meaning** does the text express? Wording does not count.
"""
        + _END,
    ),
    Template(
        name="summeval",
        title="Four qualities of a summary (SummEval)",
        about="Assessors read a source and a summary of it and rate coherence, consistency, fluency and relevance.",
        config={"preset": "summeval"},
        instructions="""You will read a source text and a summary of it. Rate the summary on four scales:

- **Coherence**: do its sentences together make a well-structured whole?
- **Consistency**: does it say only what the source says? Facts that the source does not have count against it, even true ones.
- **Fluency**: is each sentence well written and free of faults?
- **Relevance**: is it the important content of the source, and nothing else?

The four are independent: a fluent summary may be wrong, and a right one badly written.
"""
        + _END,
    ),
    Template(
        name="direct-assessment",
        title="Direct assessment on a slider",
        about="Assessors say on a slider from 0 to 100 how well a text expresses the meaning of the reference beside it.",
        config={"preset": "direct-assessment"},
        instructions="""You see two texts. Say on the slider **how well the first expresses the meaning of the second**: at the left end
*not at all*, at the right end *perfectly*.

Only meaning counts. Small faults of language that do not change it cost little; a fluent text that says something else
is bad.
"""
        + _END,
    ),
    Template(
        name="qa-correctness",
        title="Correctness of answers",
        about="Assessors read a question and an answer and say whether it is correct, somehow related, or wrong.",
        config={"preset": "qa-correctness"},
        instructions="""You see a **question** and a text that should answer it. Choose:

- **correct**: the text answers the question, in whatever words;
- **somehow related**: it has the right answer among much that was not asked for, or only a part of it;
- **wrong**: it does not answer the question, or answers it wrongly.
"""
        + _END,
    ),
)

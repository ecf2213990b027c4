"""Ways of beginning a study of error spans."""

from __future__ import annotations

from annotation.tasks.base import Template

_MARKING = """
Mark each error as short as it can be: drag over the words, or click the first and then the last of them. Press `?` to see
the keys. A unit without errors is said to have none.
"""

TEMPLATES = (
    Template(
        name="mqm",
        title="MQM of a translated document",
        about="Translators mark every error of a translation with its category and severity, beside the source.",
        config={"preset": "mqm"},
        instructions="""You see a source and its translation, unit by unit. **Mark every error** in the translation, choose its category, and say
how bad it is:

- **major**: a reader would be misled, or stop understanding;
- **minor**: a reader would notice, and go on;
- **neutral**: you would have said it otherwise, but it is no error.
"""
        + _MARKING
        + """
What is missing from the translation is marked in the source. If a unit has more than five errors, mark the five worst. If
it is no translation at all, choose *Non-translation*.
""",
    ),
    Template(
        name="esa",
        title="ESA: error spans and a score",
        about="Assessors mark errors as major or minor, without categories, then give each unit a score from 0 to 100.",
        config={"preset": "esa"},
        instructions="""You see a source and its translation. First **mark every error**: *major* if it changes the meaning or hinders reading,
*minor* if it does not. What is missing is marked with the button *Missing*. Then **score** the unit from 0 (no meaning
preserved) over 33 (some) and 66 (most) to 100 (perfect).
"""
        + _MARKING,
    ),
    Template(
        name="faithfulness",
        title="Faithfulness of a summary",
        about="Assessors mark what a summary says and its source does not: what contradicts it, and what goes beyond it.",
        config={"preset": "hallucination"},
        instructions="""You see a source and a summary of it. **Mark everything in the summary that the source does not say**:

- **intrinsic**: it contradicts the source;
- **extrinsic**: the source says nothing of it, right or wrong.

Say then of each mark whether it is **true all the same**, as far as you know: a source can be wrong, or leave out what is so.

Good or bad language does not count here, and neither does what the summary leaves out.
"""
        + _MARKING,
    ),
)

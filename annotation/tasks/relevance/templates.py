"""Ways of beginning a study of relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotation.tasks.base import Template

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials


def _kinds(materials: Materials) -> dict[str, Any]:
    """Every kind of surrogate there is; where outputs have none, every system."""
    return {"kinds": list(dict.fromkeys(output.kind or output.system for output in materials.outputs))}


TEMPLATES = (
    Template(
        name="relevance-prediction",
        title="Relevance prediction",
        about=(
            "Assessors say from headlines or summaries, and at last from the full text, whether a document is about an event. "
            "Needs events with a description, and the documents."
        ),
        config={},
        fitted=_kinds,
        instructions="""You will read the description of an event, and then many short texts and some long ones. Each text stands for a
document. Say whether that **document** is relevant to the event, as far as the text in front of you lets you tell.

- Two answers only: *relevant* or *not relevant*. If you are in doubt, say what is more likely.
- Keys: `1` relevant, `0` not relevant, `Enter` submits.
- You cannot go back, and nothing can be skipped. You may meet the same document more than once: judge each text by itself.
- Your time is measured, but do not hurry. *Take a break* in the menu stops the clock.
""",
        design={"assessors_per_item": 1},
    ),
)

"""Ways of beginning a study of best and worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotation.tasks.base import Template

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

USUAL = 4


def _size(materials: Materials) -> dict[str, Any]:
    """Four at a time, or all where there are fewer."""
    size = max(3, min(USUAL, len(materials.systems)))
    return {"sets": {"size": size, "pick": "balanced", "per_item": 1}}


TEMPLATES = (
    Template(
        name="best-worst",
        title="Best and worst of four",
        about="Assessors choose the best and the worst of four outputs. Quicker than ranking them all. Needs three systems or more.",
        config={"beside": "nothing"},
        fitted=_size,
        instructions="""You see **several texts** about the same thing. Choose the **best** one and the **worst** one; the others need no answer.

- Where a text stands on the page says nothing.
- If a text is broken, flag it and go on.
""",
    ),
)

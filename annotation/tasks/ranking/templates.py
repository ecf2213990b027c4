"""Ways of beginning a study of rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from annotation.tasks.base import Template

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

USUAL = 5  # as WMT had it


def _size(materials: Materials) -> dict[str, Any]:
    """Five at a time, or all where there are fewer."""
    size = max(2, min(USUAL, len(materials.systems)))
    return {"sets": {"size": size, "pick": "balanced", "per_item": 1}}


TEMPLATES = (
    Template(
        name="wmt-ranking",
        title="Ranking of up to five, as at WMT",
        about="Assessors put five outputs for the same source, or all where there are fewer, in order from best to worst; ties are allowed.",
        config={"beside": "source", "ties": True},
        fitted=_size,
        instructions="""You see a source and **several texts** made from it. Put them in order: rank 1 is the best. Texts between which you see no
difference may share a rank.

- Compare with the source first, and with each other then.
- Where a text stands on the page says nothing.
- If a text is broken, flag it and go on.
""",
    ),
)

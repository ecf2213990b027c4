"""Versions of instructions and consent, and what has changed between two of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from annotation import markdown
from annotation.models import Assessor, Study, StudyText

# Beyond so many paragraphs, or pairs of the same ones, a text is shown as new: comparing takes up to their product.
PARAGRAPHS_MAX = 2000
PAIRS_MAX = 5000


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of the new text, or one of the old that is gone. ``change``: same, new or gone."""

    change: str
    html: SafeString


@dataclass(frozen=True)
class Changes:
    """What an assessor is shown before going on."""

    instructions: list[Paragraph]
    consent: list[Paragraph]
    asks_consent: bool  # there is a consent, and it is not what they have agreed to


def text_versions(study: Study) -> QuerySet[StudyText]:
    """The newest first; none while there is only one."""
    return study.texts.order_by("-number")


def text_changes(assessor: Assessor) -> Changes:
    """From the version that the assessor has read to the present one."""
    study = assessor.study
    read = study.texts.filter(number=assessor.text_version).first()
    old_instructions, old_consent = (read.instructions, read.consent) if read else ("", "")
    return Changes(
        instructions=compared(old_instructions, study.instructions),
        consent=compared(old_consent, study.consent) if study.consent != old_consent else [],
        asks_consent=bool(study.consent) and study.consent != old_consent,
    )


def compared(old: str, new: str) -> list[Paragraph]:
    """The new text paragraph by paragraph, with what is gone at its place."""
    before, after = _paragraphs(old), _paragraphs(new)
    if len(before) + len(after) > PARAGRAPHS_MAX or _pairs(before, after) > PAIRS_MAX:
        return [Paragraph("new", markdown.render(new))]
    found: list[Paragraph] = []
    matched = SequenceMatcher(a=before, b=after, autojunk=False)
    for change, start, end, new_start, new_end in matched.get_opcodes():
        if change == "equal":
            found += [Paragraph("same", markdown.render(text)) for text in after[new_start:new_end]]
            continue
        found += [Paragraph("gone", markdown.render(text)) for text in before[start:end]]
        found += [Paragraph("new", markdown.render(text)) for text in after[new_start:new_end]]
    return found


def _pairs(before: list[str], after: list[str]) -> int:
    """How many paragraphs of one stand in the other, each as often as it does: of a line between all of them, the square."""
    there = Counter(after)
    return sum(there[text] for text in before)


def _paragraphs(text: str) -> list[str]:
    return [part.strip("\n") for part in re.split(r"\n\s*\n", text.replace("\r\n", "\n")) if part.strip()]

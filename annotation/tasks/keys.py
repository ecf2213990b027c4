"""What kinds share whose first phase builds a key: units of content that the second phase looks for in outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import Field

from annotation.designs import Design, Person
from annotation.strict import Strict
from annotation.tasks.base import TaskKind
from annotation.tasks.terms import AnswerT, SubjectPlan
from annotation.units import cut

if TYPE_CHECKING:
    from annotation.study_files.schema import DocumentRow, ItemTextRow, Materials


class KeyConfig(Strict):
    """``builders`` and ``judges`` are groups of assessors; empty means everybody."""

    builders: str = Field(default="", title="Group that builds the key", description="Empty: everybody.")
    judges: str = Field(default="", title="Group that judges", description="Empty: everybody.")
    builders_per_item: int = Field(
        default=1,
        ge=1,
        title="Builders of each key",
        description="So many build one, independently of each other.",
    )


KeyConfigT = TypeVar("KeyConfigT", bound=KeyConfig)


class KeyKind(TaskKind[KeyConfigT, AnswerT]):
    """A kind with two phases, the first of which builds keys and can be skipped if the study file brings them along."""

    builds = True
    practisable = (
        False  # an output alone is nothing to practise on: the key is made later, or stands in another file
    )
    phase_words: tuple[str, str]  # what is done in the phases, in words: “builds the pyramid”, “matching”

    def is_built(self, config: KeyConfigT) -> bool:
        """Whether keys are built here, and not brought along."""
        raise NotImplementedError

    def subjects(self, config: KeyConfigT, materials: Materials) -> Iterable[SubjectPlan]:
        """What keys are built of; with keys that are brought along, what is judged by them."""
        if self.is_built(config):
            return self.built_subjects(config, materials)
        return self.later_subjects(config, materials, self.phases[1], ())

    def built_subjects(self, config: KeyConfigT, materials: Materials) -> Iterable[SubjectPlan]:
        """What somebody builds a key of."""
        raise NotImplementedError

    def first_phase(self, config: KeyConfigT) -> str:
        return self.phases[0 if self.is_built(config) else 1]

    def takes_part(self, config: KeyConfigT, phase: str, person: Person) -> bool:
        group = config.builders if phase == self.phases[0] else config.judges
        return not group or person.group == group

    def dealt_as(self, config: KeyConfigT, design: Design, phase: str) -> Design | None:
        """What is built goes to as many as the task says, at random; the rest as the study's design says."""
        return Design(assessors_per_item=config.builders_per_item) if phase == self.phases[0] else design

    def deal_described(self, config: KeyConfigT, design: Design, n_people: int) -> str:
        if not self.is_built(config):
            return ""
        builds, judging = self.phase_words
        number = config.builders_per_item
        who = "One person" if number == 1 else f"{number} people, independently of each other,"
        chosen = "" if number == 1 else " You choose which of them goes on."
        return f"{who} {builds}.{chosen} Then you open {judging}, which is dealt as the design says."


def unit_texts(row: ItemTextRow | DocumentRow, materials: Materials) -> tuple[str, ...]:
    """The units of a text as they are stored: given, or cut."""
    return row.units if row.units is not None else tuple(cut(row.text, materials.language_of(row)))


def whole_text(units: tuple[str, ...] | list[str]) -> str:
    """The text in which spans count: its units, joined by line breaks."""
    return "\n".join(units)


def item_index(materials: Materials, document: str, topic: str) -> Mapping[str, Any]:
    """What a subject about an item says of it."""
    if document:
        return {"document": next(n for n, row in enumerate(materials.documents) if row.id == document)}
    return {"topic": next(n for n, row in enumerate(materials.topics) if row.id == topic)}

"""The check items that a study asks for, made of its own pieces: repeats, and texts made worse. Nothing is stored here."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.checks import CheckItems, Checks
from annotation.controls import pieces_to_check
from annotation.degrading import degraded_text, degraded_units
from annotation.models import Control, ControlItem, Output, Study, Task
from annotation.selectors.exhibits import kind_of
from annotation.selectors.subjects import Ground
from annotation.tasks.terms import SubjectPlan
from annotation.units import cut

Made = tuple[ControlItem, SubjectPlan]


def study_checks(study: Study) -> Checks:
    return Checks.model_validate(study.checks)


def check_items_of(study: Study, task: Task) -> CheckItems:
    """The task's own, else the study's; a kind whose order is its own takes none."""
    if not kind_of(task).controls:
        return CheckItems()
    return CheckItems.model_validate(task.checks) if task.checks is not None else study_checks(study)


def check_items_made(
    ground: Ground, subjects: Sequence[SubjectPlan], hands: Mapping[int, Sequence[int]]
) -> list[Made]:
    """What the study asks for in this task, each with the piece that it is made of.

    What was made when the study was opened elsewhere is in its file and is not made again.
    """
    asked = check_items_of(ground.task.study, ground.task)
    if not asked.asked or any(item.made for item in ground.controls):
        return []
    return _Making(ground, asked, subjects).made(hands)


class _Making:
    """One task's check items."""

    def __init__(self, ground: Ground, asked: CheckItems, subjects: Sequence[SubjectPlan]) -> None:
        study = ground.task.study
        self.ground, self.asked, self.subjects = ground, asked, subjects
        seed = study_checks(study).seed
        self.seed = f"{study.seed if seed is None else seed}/{ground.task.name}"
        self.nameable = _nameable(subjects)
        self.texts: dict[int, ControlItem] = {}  # piece → what was made of it
        marked = Output.objects.filter(study=study).exclude(prefilled=[]).values_list("pk", flat=True)
        # Nothing is suggested about a text that was made worse; where something is suggested about others, that would tell.
        self.suggested = {*marked, *ground.ids.marked} if kind_of(ground.task).takes_prefilled else set()

    def made(self, hands: Mapping[int, Sequence[int]]) -> list[Made]:
        given = {
            (item.type, item.output_id, item.reference_id)
            for item in self.ground.controls
            if item.type in (Control.REPEAT, Control.DEGRADED)
        }

        def free(type_: str, piece: int) -> bool:
            named = [self._ids(piece, output) for output in self.nameable[piece]]
            return not any(
                (type_, output, about) in given for output, reference in named for about in (reference, None)
            )

        repeated = pieces_to_check(
            hands,
            [piece for piece in self.nameable if free(Control.REPEAT, piece)],
            self.asked.repeats,
            pieces=len(self.subjects),
            rng=random.Random(f"{self.seed}/repeats"),
            early=True,
        )
        # One piece is not both, if that can be helped.
        others = [piece for piece in self.nameable if free(Control.DEGRADED, piece)]
        degraded = pieces_to_check(
            hands,
            [piece for piece in others if piece not in set(repeated)] or others,
            self.asked.degraded,
            pieces=len(self.subjects),
            rng=random.Random(f"{self.seed}/degraded"),
            accept=self._degrade,
        )
        return [
            *((self._repeat(piece), self.subjects[piece]) for piece in sorted(repeated)),
            *((self.texts[piece], self.subjects[piece]) for piece in sorted(degraded)),
        ]

    def _ids(self, piece: int, output: int) -> tuple[int, int | None]:
        reference = self.subjects[piece].reference
        ids = self.ground.ids
        return ids.outputs[output], None if reference is None else ids.references[reference]

    def _item(self, piece: int, output: int, **fields: object) -> ControlItem:
        output_id, reference_id = self._ids(piece, output)
        return ControlItem(
            task=self.ground.task, output_id=output_id, reference_id=reference_id, made=True, **fields
        )

    def _repeat(self, piece: int) -> ControlItem:
        return self._item(piece, self.nameable[piece][0], type=Control.REPEAT)

    def _degrade(self, piece: int) -> bool:
        """Make a text of the piece worse; False where none can be."""
        subject = self.subjects[piece]
        usable = [
            output for output in self.nameable[piece] if self.ground.ids.outputs[output] not in self.suggested
        ]
        rows = self.ground.materials.outputs
        names = "/".join([subject.item, subject.set, *(rows[output].system for output in subject.outputs)])
        rng = random.Random(f"{self.seed}/degraded/{names}/{subject.reference}")
        rng.shuffle(usable)
        for output in usable:
            if fields := self._worse(output, rng):
                self.texts[piece] = self._item(
                    piece, output, type=Control.DEGRADED, expect={"below": "original"}, **fields
                )
                return True
        return False

    def _worse(self, output: int, rng: random.Random) -> dict[str, object] | None:
        """The fields of the changed text: in units if the output came in units, and as many as before in any case."""
        materials, methods = self.ground.materials, self.asked.methods
        row = materials.outputs[output]
        others = [
            materials.outputs[other].whole_text
            for other in materials.distinct_outputs(row.item)
            if materials.outputs[other].whole_text.strip() != row.whole_text.strip()
        ]
        if row.units is not None:
            units = degraded_units(row.units, others, methods=methods, rng=rng)
            return {"text": "\n".join(units), "units": units, "units_given": True} if units else None
        before = len(cut(row.text, materials.language))
        text = degraded_text(
            row.text,
            others,
            methods=methods,
            rng=rng,
            fits=lambda made: len(cut(made, materials.language)) == before,
        )
        return None if text is None else {"text": text, "units": cut(text, materials.language)}


def _nameable(subjects: Sequence[SubjectPlan]) -> dict[int, list[int]]:
    """Pieces that a row of control items can name, by an output and a reference: the first that shows them. With the outputs."""
    seen: set[tuple[int, int | None]] = set()
    found: dict[int, list[int]] = {}
    for index, subject in enumerate(subjects):
        new = [output for output in subject.outputs if (output, subject.reference) not in seen]
        seen.update((output, subject.reference) for output in subject.outputs)
        if new and subject.counts and not subject.practice:
            found[index] = new
    return found


def numbered_controls(made: Sequence[Made], first: int) -> list[SubjectPlan]:
    """The pieces as control items, which stand in the task's list of them from this number on."""
    return [replace(subject, control=first + number) for number, (_, subject) in enumerate(made)]

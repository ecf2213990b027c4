"""Whether what a study file asks for under ``checks`` can be had: of which task check items are made, and what rules go by."""

from __future__ import annotations

from annotation.checks import KNOWN_ANSWERS
from annotation.study_files.archive import STUDY
from annotation.study_files.draft import Draft
from annotation.study_files.problems import Problems
from annotation.study_files.schema import is_answer


def check_checks(draft: Draft, problems: Problems) -> None:
    """Tasks take the check items that are asked for, and there is something that the rules can be about."""
    for task in draft.tasks:
        if draft.check_items(task).asked and not task.kind.controls:
            own = task.row.checks is not None
            place = ("tasks", task.place, "checks") if own else ("checks",)
            mended = "leave out “checks”" if own else "say “checks: {repeats: 0, degraded: 0}” in that task"
            message = (
                f"task “{task.row.name}”: a task of kind {task.row.kind} has an order of its own and takes no control items; "
                f"{mended}."
            )
            problems.add(STUDY, draft.line(*place), message)
    checks = draft.head.checks if draft.head else None
    if checks is None:
        return
    if checks.warm_up and draft.practice.usable and not any(row.key for row in draft.practice.rows):
        message = "“warm_up” goes by the keys of practice items, and none has one; give some in “practice”."
        problems.add(STUDY, draft.line("checks", "warm_up"), message)
    if checks.agreement and draft.controls.usable and not _types_there(draft) & set(checks.agreement.of):
        types = " and ".join(checks.agreement.of)
        message = f"“agreement” goes by {types} items, and there are none; give some in “controls”, or ask for some."
        problems.add(STUDY, draft.line("checks", "agreement"), message)


def _types_there(draft: Draft) -> set[str]:
    """The types of check items that people will meet, and of which can be said whether they are met."""
    listed_there = {
        row.type
        for row in draft.controls.rows
        if row.type not in KNOWN_ANSWERS or (row.expect and _is_live(row.expect))
    }
    asked = [draft.check_items(task) for task in draft.tasks]
    made = {"repeat": any(one.repeats for one in asked), "degraded": any(one.degraded for one in asked)}
    return listed_there | {name for name, is_made in made.items() if is_made}


def _is_live(expect: dict[str, object]) -> bool:
    """Whether one answer alone says if it is met."""
    return is_answer(expect) or "marks" in expect


def check_made_of(draft: Draft, problems: Problems) -> None:
    """A task that is to have check items shows texts of which they can be made. Only when all else is in order."""
    materials = draft.materials()
    for task in draft.tasks:
        if not draft.check_items(task).asked or not task.kind.controls:
            continue
        if not any(subject.outputs for subject in task.kind.subjects(task.config, materials)):
            own = task.row.checks is not None
            place = ("tasks", task.place, "checks") if own else ("checks",)
            message = f"task “{task.row.name}” shows no output in its first part, of which control items could be made."
            problems.add(STUDY, draft.line(*place), message)

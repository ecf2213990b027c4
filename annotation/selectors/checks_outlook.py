"""What check items come to, before anybody is asked: how many more pieces each person gets, task by task."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from annotation.controls import share_of
from annotation.models import Control, ControlItem, PracticeItem, Study
from annotation.selectors.check_items import check_items_of
from annotation.selectors.exhibits import kind_of
from annotation.selectors.outlook import Outlook, task_outlooks


@dataclass(frozen=True)
class ChecksOutlook:
    """One task. ``takes``: whether check items can be put into it at all; ``shows``: whether it has texts to make them of."""

    outlook: Outlook
    takes: bool
    shows: bool
    own: bool  # it has asked for its own
    repeats: int
    degraded: int
    known: int  # gold and attention items of the study file, which everybody gets

    @property
    def pieces(self) -> int:
        return round(self.outlook.per_person)

    @property
    def more(self) -> int:
        return self.repeats + self.degraded + self.known

    @property
    def minutes(self) -> float:
        return self.more * self.outlook.seconds / 60


@dataclass(frozen=True)
class Keyed:
    """What there is that a rule can go by; it comes with a study file."""

    practice: int
    known: int


def keyed_items(study: Study) -> Keyed:
    """Practice items with a key, and gold and attention items."""
    known = ControlItem.objects.filter(
        task__study=study, type__in=[Control.GOLD, Control.ATTENTION], expect__isnull=False
    )
    practice = PracticeItem.objects.filter(task__study=study, key__isnull=False)
    return Keyed(practice.count(), known.count())


def checks_outlooks(study: Study, user: User, *, people: int) -> list[ChecksOutlook]:
    """For so many people; what is rounded is what the plan will do."""
    known: dict[int, int] = {}
    given = ControlItem.objects.filter(task__study=study, type__in=[Control.GOLD, Control.ATTENTION])
    for pk in given.values_list("task", flat=True):
        known[pk] = known.get(pk, 0) + 1
    found = []
    for outlook in task_outlooks(study, user, people=people):
        task = outlook.task
        asked = check_items_of(study, task)
        pieces = round(outlook.per_person) if outlook.systems else 0
        found.append(
            ChecksOutlook(
                outlook=outlook,
                takes=kind_of(task).controls,
                shows=outlook.systems > 0,
                own=task.checks is not None and kind_of(task).controls,
                repeats=share_of(asked.repeats, pieces),
                degraded=share_of(asked.degraded, pieces),
                known=known.get(task.pk, 0),
            )
        )
    return found

"""The monitor in words: its headline, what needs somebody, and whether the two best systems can be told apart."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from annotation.models import Study
from annotation.selectors.monitor_types import MonitorPage, PersonLine, Warn, short
from annotation.selectors.people import flags_open
from annotation.selectors.progress import StudyProgress, counted
from annotation.words import phrase, phrases

QUIET = timedelta(days=1)  # without a judgment, although there is work


def headline_of(study: Study, progress: StudyProgress, page: MonitorPage) -> str:
    """Whether the study is all right, in a sentence or two."""
    if not progress.wanted:
        return phrase("There is nothing to judge in this study.")
    parts = [
        phrase("{n} of {judgments}", n=f"{progress.done:,}", judgments=counted(progress.wanted, "judgment"))
    ]
    known = [line for line in page.agreement if line.value is not None]
    if known:
        worst = min(known, key=lambda line: line.value or 0.0)
        lowest = phrase("at the lowest ") if len(known) > 1 else ""
        parts.append(
            phrase(
                "agreement {lowest}{in_words} ({task}, {criterion})",
                lowest=lowest,
                in_words=worst.in_words,
                task=worst.task,
                criterion=worst.criterion,
            )
        )
    elif page.is_counted:
        parts.append(phrase("too early to speak of agreement"))
    else:
        parts.append(phrase("how far people agree is being worked out"))
    if not progress.left:
        parts.append(phrase("all is judged"))
    elif study.state == Study.State.OPEN:
        parts.append(
            {0: phrase("nobody here now"), 1: phrase("one person here now")}.get(
                len(page.here), phrase("{n} people here now", n=len(page.here))
            )
        )
        parts.append(
            phrase("these people cannot finish it")
            if page.nobody_can
            else phrase("done by {finish} at this pace", finish=f"{page.finish:%-d %B}")
            if page.finish
            else phrase("too early to say when it is done")
        )
    else:
        parts.append(phrase("closed"))
    needs = len(page.warnings)
    verdict = {0: phrase("All is well."), 1: phrase("One thing needs you:")}.get(
        needs, phrase("{needs} things need you:", needs=needs)
    )
    return f"{'; '.join(parts)}. {verdict}"


def warnings_of(
    study: Study, progress: StudyProgress, page: MonitorPage, now: datetime, *, may_change: bool
) -> list[Warn]:
    """What to act on, the most urgent first. Who may change the study can act; viewers read what is the matter."""
    found = [_careless(study, person, may_change=may_change) for person in page.people if person.is_careless]
    if page.state == "missing":
        found.append(
            Warn(
                "worker",
                phrase(
                    "No worker is running: the numbers of this page are not brought up to date, and no report "
                    "can be made."
                ),
            )
        )
    is_open = study.state == Study.State.OPEN and not study.paused_at
    if is_open and page.nobody_can:
        found.append(_too_few(study, page.nobody_can, may_change=may_change))
    if is_open and progress.left and not page.here:
        last = progress.last_judgment
        if last is None and study.opened_at and now - study.opened_at > QUIET:
            found.append(_nobody(study, phrase("Nobody has judged anything yet."), may_change=may_change))
        elif last is not None and now - last > QUIET:
            words = phrases(
                "Nobody has judged since {last}, and {n} judgment is missing.",
                "Nobody has judged since {last}, and {n} judgments are missing.",
                progress.left,
                last=f"{timezone.localtime(last):%-d %B, %H:%M}",
            )
            found.append(_nobody(study, words, may_change=may_change))
    if number := flags_open(study):
        found.append(
            Warn(
                "flags",
                phrases("{n} flag waits for an answer.", "{n} flags wait for an answer.", number),
                phrase("Read them"),
                reverse("study_flags", args=[study.slug]),
            )
        )
    if warning := _deadline(study, progress, page, now, may_change=may_change):
        found.append(warning)
    return found


def _careless(study: Study, person: PersonLine, *, may_change: bool) -> Warn:
    text = f"{person.name} {person.verdict} ({counted(person.done, 'judgment')})."
    if not may_change:
        return Warn(
            "careless",
            text,
            phrase("Read what they judged"),
            f"{reverse('study_judgments', args=[study.slug])}?person={person.pk}",
        )
    meant = urlencode({"what": "assessor", "name": person.name, "reason": person.verdict[:500]})
    return Warn(
        "careless",
        text,
        phrase("Leave {name} out …", name=person.name),
        f"{reverse('study_exclusions', args=[study.slug])}?{meant}",
    )


def _too_few(study: Study, number: int, *, may_change: bool) -> Warn:
    text = phrases(
        "{n} judgment has nobody who may do it: invite somebody.",
        "{n} judgments have nobody who may do them: invite somebody.",
        number,
    )
    address = reverse("study_people", args=[study.slug])
    return Warn("too_few", text, phrase("Invite somebody"), address) if may_change else Warn("too_few", text)


def _nobody(study: Study, text: str, *, may_change: bool) -> Warn:
    return (
        Warn("nobody", text, phrase("Remind people"), reverse("study_mail", args=[study.slug]))
        if may_change
        else Warn("nobody", text)
    )


def _deadline(
    study: Study, progress: StudyProgress, page: MonitorPage, now: datetime, *, may_change: bool
) -> Warn | None:
    if study.deadline_at is None or not progress.left or study.state != Study.State.OPEN:
        return None
    day = timezone.localtime(study.deadline_at)
    change = (
        (phrase("Change the deadline"), reverse("study_change", args=[study.slug]))
        if may_change
        else ("", "")
    )
    if study.deadline_at <= now:
        return Warn(
            "deadline",
            phrases(
                "The deadline ({day}) is over, and {n} judgment is missing.",
                "The deadline ({day}) is over, and {n} judgments are missing.",
                progress.left,
                day=f"{day:%-d %B, %H:%M}",
            ),
            *change,
        )
    if page.finish is not None and page.finish > day.date():
        text = phrase(
            "At this pace all is judged by {finish}, after the deadline ({day}).",
            finish=f"{page.finish:%-d %B}",
            day=f"{day:%-d %B, %H:%M}",
        )
        return Warn("deadline", text, *change)
    return None


def apart_in_words(found: dict[str, Any] | None) -> str:
    """Whether the two best can be told apart, and if not, how much more it would take."""
    if found is None:
        return phrase("There is no second system to tell the first from.")
    first, second = found["systems"]
    if found["pvalue"] is None:
        return phrase(
            "Too early to tell {first} from {second}: {found} of both so far.",
            first=first,
            second=second,
            found=counted(found["items"], "item"),
        )
    if found["more_items"] == 0:
        values = {
            "first": first,
            "second": second,
            "found": counted(found["items"], "item"),
            "pvalue": _pvalue(found["pvalue"]),
        }
        if found.get("test") == "resamples":
            return phrase(
                "{first} and {second} can be told apart, over resamples of {found} (p {pvalue}).", **values
            )
        return phrase(
            "{first} and {second} can be told apart, by a t-test over {found} (p {pvalue}).", **values
        )
    if found["more_items"] is None:
        return phrase(
            "{first} and {second} are as good as equal so far: no number of judgments that anybody makes "
            "would tell them apart.",
            first=first,
            second=second,
        )
    more = _about(found["more_judgments"])
    return phrase(
        "{first} and {second} cannot be told apart yet. If things go on like this, this many more "
        "would do, four times out of five. Judgments of these two: about {more}; items: about {found}.",
        first=first,
        second=second,
        more=more,
        found=_about(found["more_items"]),
    )


def _pvalue(value: float) -> str:
    return "< .001" if value < 0.001 else f"= {short(value) if value >= 0.01 else f'{value:.3f}'.lstrip('0')}"


def _about(number: int) -> str:
    """Two figures are all that such a number is worth."""
    if number < 100:
        return f"{number:,}"
    step = 10 ** (len(str(number)) - 2)
    return f"{ceil(number / step) * step:,}"

"""The join link of a study: whether somebody may come, and what somebody gets at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.utils import timezone

from annotation.joining import JoinRules, Outcome, OutcomeName
from annotation.models import Assessor, Assignment, JoinLink, Study
from annotation.selectors.exclusions import is_excluded
from annotation.words import gettext


def join_link_find(study: Study) -> JoinLink | None:
    return JoinLink.objects.filter(study=study).first()


def join_link_of(code: str) -> JoinLink | None:
    """The link that an address names; of a study in the bin there is none."""
    return JoinLink.objects.select_related("study").filter(code=code, study__deleted_at=None).first()


def rules_of(link: JoinLink) -> JoinRules:
    return JoinRules.model_validate(link.rules)


def known_member(link: JoinLink, given: dict[str, str]) -> Assessor | None:
    """Somebody who has come before, by what the address says of them."""
    key = rules_of(link).identity(given)
    if key is None:
        return None
    return Assessor.objects.select_related("study").filter(study=link.study, panel_key=key).first()


def joined_by_group(study: Study) -> Counter[str]:
    return Counter(study.assessors.filter(joined_at__isnull=False).values_list("group", flat=True))


def join_refusal(link: JoinLink) -> str:
    """Why nobody new may come now, in words; empty: somebody may."""
    rules, study = rules_of(link), link.study
    if not link.is_open or study.state == Study.State.CLOSED:
        return gettext("Nobody new can join this study any more.")
    if study.state == Study.State.DRAFT:
        return gettext("This study is not open yet. Come back later; the same address will do.")
    if rules.opens_at and rules.opens_at > timezone.now():
        moment = f"{timezone.localtime(rules.opens_at):%Y-%m-%d %H:%M}"
        return gettext("This study opens on {moment}. The same address will do.", moment=moment)
    if study.paused_at or (study.deadline_at and study.deadline_at <= timezone.now()):
        return gettext("Nobody new can join this study at the moment.")
    joined = joined_by_group(study)
    if rules.cap is not None and sum(joined.values()) >= rules.cap:
        return gettext("All places in this study are taken. Thank you for your interest.")
    if rules.groups and not group_free(rules, joined):
        return gettext("All places in this study are taken. Thank you for your interest.")
    return ""


def group_free(rules: JoinRules, joined: Counter[str]) -> str:
    """The group that has the largest share of its places free; of equal ones the first. Empty: none has any."""
    free = [
        (1 - joined[one.group] / one.places, one.group)
        for one in rules.groups
        if joined[one.group] < one.places
    ]
    return max(free, key=lambda pair: pair[0])[1] if free else ""


# --- the end ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ending:
    """How it ended for somebody, and what they get."""

    outcome: OutcomeName
    url: str
    code: str


def ending_of(assessor: Assessor) -> Ending:
    """No code without work: whoever has judged nothing gets what the study gives where there was no work."""
    done = assessor.assignments.filter(counts=True, state=Assignment.State.DONE).exists()
    failed = assessor.stopped_at is not None or is_excluded(assessor)
    outcome: OutcomeName = "failed" if failed else "finished" if done else "no_work"
    link = join_link_find(assessor.study) if assessor.joined_at else None
    if link is None:
        return Ending(outcome, "", assessor.completion_code if done and not assessor.stopped_at else "")
    rules = rules_of(link)
    given: Outcome = getattr(rules, outcome)
    own = assessor.completion_code if outcome == "finished" else ""
    return Ending(outcome, rules.address(given, assessor.panel, own), given.code or own)

"""What follows from check items while people work: practice that must be passed, and a rule for who fails.

Nothing here leaves a result out: that is for the experimenter to decide, who also lets people go on (``services/persons.py``). Whoever was
let go on is not halted a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, QuerySet
from django.utils import timezone

from annotation.checks import KNOWN_ANSWERS, Agreement, Checks, WarmUp
from annotation.expectations import Given, expectation_met, key_met, said_again
from annotation.models import WITH_ORIGINAL, Assessor, Assignment, Control, Draft, Judgment
from annotation.selectors.control_attributes import text_changed
from annotation.selectors.exhibits import facts_of
from annotation.selectors.work import controls_of, judgment_newest, original_of
from annotation.services.audit import audit_write
from annotation.words import gettext


def expectation_share(assignment: Assignment, answer: Any) -> float | None:
    """How much of what practice, gold or attention expects this answer meets; None for all else."""
    facts = facts_of(assignment)
    if facts.key is None and (facts.expect is None or facts.control not in KNOWN_ANSWERS):
        return None
    given = _given(assignment, answer)
    if facts.key is not None:
        return key_met(given, facts.key)
    assert facts.expect is not None
    return expectation_met(given, facts.expect)


def _given(assignment: Assignment, answer: Any) -> Given:
    facts = facts_of(assignment)
    return Given(facts.kind, facts.config, facts.exhibit, facts.record, answer, assignment.places)


@dataclass(frozen=True)
class Verdict:
    """What the rules say after an answer: ``again``, practice was not passed and begins anew; or why somebody has failed."""

    again: bool = False
    failed: str = ""


PASSED = Verdict()


def checks_apply(*, assignment: Assignment, judgment: Judgment) -> Verdict:
    """See whether the study's rules are still met after this answer, within its transaction, and do what follows.

    Few queries, whatever was answered before, so that the time that a submit takes does not tell check items from others: one or two after
    practice and control items, a handful where a control item and its original meet. ``checks_tell`` is to be called last.
    """
    assessor, facts = assignment.assessor, facts_of(assignment)
    checks = Checks.model_validate(assessor.study.checks)
    if not (facts.practice or facts.control):
        if judgment.revision > 1 or (checks.agreement and WITH_ORIGINAL.intersection(checks.agreement.of)):
            _compare_with(assignment, is_new=judgment.revision == 1)
        return PASSED
    if assessor.checks_failed_at is not None:
        return PASSED
    verdict = PASSED
    if facts.practice:
        if checks.warm_up:
            verdict = _warm_up(assignment, checks.warm_up, judgment.revision)
    elif checks.agreement and facts.control in checks.agreement.of:
        if facts.control in WITH_ORIGINAL:
            _compare(assessor, assessor.assignments.filter(pk=assignment.pk))
        verdict = _agreement(assessor, checks.agreement)
    if verdict.failed:
        _fail(assessor, checks, verdict.failed)
    return verdict


def checks_tell(*, assessor: Assessor, verdict: Verdict) -> None:
    """In the history: who failed, and what the study did."""
    if not verdict.failed:
        return
    then = Checks.model_validate(assessor.study.checks).on_failure
    audit_write(
        study=assessor.study,
        action="assessor.fail",
        target=f"assessor {assessor.pseudonym}",
        after={"why": verdict.failed, "then": then},
    )


def _warm_up(assignment: Assignment, rule: WarmUp, attempt: int) -> Verdict:
    """Once all practice of the task is done: passed, once more, or failed."""
    assessor = assignment.assessor
    practice = list(
        Assignment.objects.filter(
            assessor=assessor, subject__task=facts_of(assignment).task, subject__practice=True
        ).values_list("pk", "state", "met")
    )
    shares = [met for _, _, met in practice if met is not None]
    if any(state != Assignment.State.DONE for _, state, _ in practice) or not shares:
        return PASSED
    share = sum(shares) / len(shares)
    if share >= rule.share:
        return PASSED
    if attempt < rule.tries:
        _practice_again([pk for pk, _, _ in practice], assignment, attempt + 1)
        words = {"share": f"{share:.0%}", "needed": f"{rule.share:.0%}", "left": rule.tries - attempt}
        notice = gettext(
            "{share} of your answers in the practice were as expected; {needed} are needed. Read the instructions again and take "
            "your time: the practice begins anew. Tries left: {left}.",
            **words,
        )
        assessor.notice = notice
        Assessor.objects.filter(pk=assessor.pk).update(notice=notice)
        return Verdict(again=True)
    tried = f" in {attempt} tries" if attempt > 1 else ""
    why = f"Practice of {facts_of(assignment).task_name}: {share:.0%} of what the keys expect{tried}, {rule.share:.0%} are needed."
    return Verdict(failed=why)


def _practice_again(practice: list[int], assignment: Assignment, revision: int) -> None:
    """Open the practice of a task once more, blank: what was answered before stays as it is."""
    blank = facts_of(assignment).kind.Answer().model_dump(mode="json")
    Draft.objects.bulk_create(
        Draft(assignment_id=pk, revision=revision, answer=blank, saved_at=timezone.now()) for pk in practice
    )
    Assignment.objects.filter(pk__in=practice).update(state=Assignment.State.OPEN, shown_at=None)


def _agreement(assessor: Assessor, rule: Agreement) -> Verdict:
    done = Assignment.objects.filter(assessor=assessor, state=Assignment.State.DONE)
    seen = done.filter(subject__control__in=rule.of, met__isnull=False).aggregate(
        number=Count("pk"), share=Avg("met")
    )
    if seen["number"] >= rule.after and seen["share"] < rule.share:
        why = (
            f"{seen['share']:.0%} of what {seen['number']} check items ({', '.join(rule.of)}) expect, "
            f"{rule.share:.0%} are needed."
        )
        return Verdict(failed=why)
    return PASSED


def _compare_with(original: Assignment, *, is_new: bool) -> None:
    """An original was judged: what was made of it and came before is compared with it now. One that was revised: what was compared
    with the answer before is compared with this one."""
    controls = controls_of(original)
    if pks := list(controls.filter(met__isnull=is_new).values_list("pk", flat=True)):
        again = Assignment.objects.filter(pk__in=pks)
        again.update(met=None)
        _compare(original.assessor, again)


def _compare(assessor: Assessor, controls: QuerySet[Assignment]) -> None:
    """Note how repeats and degraded texts stand beside their originals, where that can be said."""
    for control in controls.select_related("subject__control_item__output"):
        control.assessor = assessor
        met = _beside_original(control)
        if met is not None:
            Assignment.objects.filter(pk=control.pk).update(met=met)


def _beside_original(control: Assignment) -> float | None:
    """How far a repeat says the same, or whether a text made worse got less; None as long as the original is not judged.

    A degraded text may come before its original: it is looked at again when that is judged.
    """
    facts = facts_of(control)
    expect = facts.expect or {"below": "original"}
    original = original_of(control.assessor, control.subject)
    is_judged = original is not None and original.state == Assignment.State.DONE
    alone = "below" in expect and not control.subject.set_id
    if not is_judged and (facts.control == Control.REPEAT or alone):
        return None
    given, before = (_newest_given(one) for one in (control, original))
    if given is None:
        return None
    if facts.control == Control.REPEAT:
        return None if before is None else said_again(given, before)
    return expectation_met(given, expect, changed=text_changed(control.subject), original=before)


def _newest_given(assignment: Assignment | None) -> Given | None:
    newest = judgment_newest(assignment) if assignment else None
    if assignment is None or newest is None:
        return None
    return _given(assignment, facts_of(assignment).answer(newest.answer))


def _fail(assessor: Assessor, checks: Checks, why: str) -> None:
    """Note it, and do what the study says. The object is what the page goes by next."""
    now = timezone.now()
    assessor.checks_failed_at, assessor.checks_failed_why = now, why[:300]
    changed = ["checks_failed_at", "checks_failed_why"]
    if checks.on_failure == "pause":
        assessor.paused_at = assessor.paused_at or now
        assessor.pause_message = checks.message
        changed += ["paused_at", "pause_message"]
    elif checks.on_failure == "stop":
        assessor.stopped_at = now
        changed += ["stopped_at"]
        leased = assessor.assignments.filter(state=Assignment.State.OPEN, lease_ends_at__isnull=False)
        leased.update(lease_ends_at=now)
    assessor.save(update_fields=changed)

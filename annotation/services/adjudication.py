"""Adjudicators: who decides, what they are given, and what they decide. Judgments stay as they are; a decision stands beside them."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.errors import Closed, Conflict, Refused
from annotation.models import Adjudication, Adjudicator, Decision, Study, Subject
from annotation.selectors.adjudication import desk_deciding, facts_decided
from annotation.selectors.desks import Begun, Desk
from annotation.selectors.disagreement import newest_of
from annotation.selectors.exhibits import outputs_of
from annotation.services.answers import (
    answer_begun,
    answer_complete,
    answer_parsed,
    answer_stored,
    draft_check,
    revision_check,
    stage_check,
    submit_check,
    unheard_parsed,
)
from annotation.services.assessors import names_in_texts
from annotation.services.audit import audit_write
from annotation.services.links import links_make, person_wait
from annotation.words import gettext, phrase

LONGEST_NAME = 120


# --- who decides --------------------------------------------------------------------------------------------------


@transaction.atomic
def adjudicators_add(*, study: Study, names: Sequence[str]) -> list[Adjudicator]:
    """People who decide, all of them or none. They are no assessors: they see what others judged, and judge nothing themselves."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if study.state == Study.State.DRAFT:
        raise Refused(phrase("The study is a draft: there is nothing to decide yet."))
    wanted = [" ".join(name.split()) for name in names]
    taken = set(study.adjudicators.values_list("name", flat=True))
    called = set(study.adjudicators.values_list("pseudonym", flat=True))
    for name in wanted:
        if not name or len(name) > LONGEST_NAME:
            raise Refused(phrase("A name has 1 to {longest_name} characters.", longest_name=LONGEST_NAME))
        if name in called:  # whoever is forgotten is named by their pseudonym
            raise Refused(
                phrase("“{name}” is what exports call another adjudicator. Choose another name.", name=name)
            )
        if name in taken:
            raise Refused(phrase("There is an adjudicator “{name}” already.", name=name))
        taken.add(name)
    added = [
        Adjudicator.objects.create(study=study, name=name, pseudonym=pseudonym)
        for name, pseudonym in zip(wanted, _pseudonyms(study, len(wanted), taken), strict=True)
    ]
    for adjudicator in added:
        audit_write(study=study, action="adjudicator.add", target=f"adjudicator {adjudicator.pseudonym}")
    return added


def _pseudonyms(study: Study, number: int, names: set[str]) -> list[str]:
    """D01, D02 …: none that anybody else in an export is called, nor one of ``names``, of adjudicators."""
    others = names_in_texts(study) | names
    for person in study.assessors.values_list("name", "author", "pseudonym"):
        others.update(person)
    last = study.adjudicators.aggregate(last=Max("pk"))["last"]
    newest = Adjudicator.objects.filter(pk=last).first()
    count = int(newest.pseudonym.removeprefix("D")) if newest else 0
    found: list[str] = []
    while len(found) < number:
        count += 1
        if (pseudonym := f"D{count:02d}") not in others:
            found.append(pseudonym)
    return found


@transaction.atomic
def adjudicator_link(*, adjudicator: Adjudicator) -> str:
    """Make a new personal link and return its token; an earlier link stops working."""
    (token,) = links_make([adjudicator])
    audit_write(study=adjudicator.study, action="adjudicator.link", target=f"adjudicator {adjudicator}")
    return token


@transaction.atomic
def adjudicator_remove(*, adjudicator: Adjudicator) -> None:
    """They decide no more: the link stops working, and what they have not decided can be given to others.

    What they have decided stays, under their pseudonym; without any decision nothing of them stays.
    """
    study = adjudicator.study
    person_wait(adjudicator)
    adjudicator.adjudications.filter(decided_at=None).delete()
    decided = adjudicator.adjudications.count()
    if decided:
        Adjudicator.objects.filter(pk=adjudicator.pk).update(
            name=F("pseudonym"), token_hash=None, token_expires_at=None, last_seen_at=None
        )
    else:
        Adjudicator.objects.filter(pk=adjudicator.pk).delete()
    audit_write(
        study=study,
        action="adjudicator.remove",
        target=f"adjudicator {adjudicator.pseudonym}",
        after={"decided": decided},
    )


# --- what they are given ------------------------------------------------------------------------------------------


@transaction.atomic
def adjudications_give(
    *, study: Study, subjects: Sequence[Subject], adjudicator: Adjudicator
) -> list[Adjudication]:
    """Give pieces on which people disagree to somebody: all of them or none. Each is decided by one person.

    They come in an order of their own: lists of pieces are sorted, and the systems of an item stand in the same order each time.
    """
    person_wait(adjudicator)
    if not subjects:
        raise Refused(phrase("Choose at least one piece."))
    if adjudicator.token_hash is None and adjudicator.token_made_at is not None:
        raise Refused(phrase("{name} decides no more: the link was taken away.", name=adjudicator.name))
    pks = [subject.pk for subject in subjects]
    if Adjudication.objects.filter(subject__in=pks).exists():
        raise Refused(phrase("One of these pieces is given already. Load the page again."))
    judged: dict[int, int] = {}
    for pk in newest_of(study, pks).values_list("assignment__subject", flat=True):
        judged[pk] = judged.get(pk, 0) + 1
    last = adjudicator.adjudications.aggregate(last=Max("number"))["last"] or 0
    shuffled = sorted(subjects, key=lambda subject: subject.pk)
    random.Random(f"{study.seed}/adjudicator/{adjudicator.pk}/{last}").shuffle(shuffled)
    rows = []
    for number, subject in enumerate(shuffled, start=last + 1):
        if judged.get(subject.pk, 0) < 2 or subject.superseded:
            raise Refused(phrase("Only a piece that two people have judged can be decided."))
        places = _places(study, subject)
        rows.append(Adjudication(subject=subject, adjudicator=adjudicator, number=number, places=places))
    Adjudication.objects.bulk_create(rows)
    audit_write(
        study=study,
        action="adjudication.give",
        target=f"adjudicator {adjudicator.pseudonym}",
        after={"pieces": len(rows)},
    )
    return rows


def _places(study: Study, subject: Subject) -> list[int]:
    """Of a set: where its texts stand, in an order of its own."""
    places = list(range(len(outputs_of(subject)))) if subject.set_id else []
    random.Random(f"{study.seed}/adjudication/{subject.pk}").shuffle(places)
    return places


@transaction.atomic
def adjudication_take_back(*, adjudication: Adjudication) -> None:
    """What is not decided can be given to somebody else."""
    study = adjudication.adjudicator.study
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    found = Adjudication.objects.filter(pk=adjudication.pk, decided_at=None)
    if not found.exists():
        raise Refused(phrase("It is decided already: what was decided stays."))
    found.delete()
    audit_write(
        study=study,
        action="adjudication.take-back",
        target=f"adjudicator {adjudication.adjudicator.pseudonym}",
    )


# --- what they decide ---------------------------------------------------------------------------------------------


@transaction.atomic
def adjudication_show(*, adjudication: Adjudication) -> None:
    """Time runs from the first look on."""
    if adjudication.shown_at is None:
        adjudication.shown_at = timezone.now()
        Adjudication.objects.filter(pk=adjudication.pk, shown_at=None).update(shown_at=adjudication.shown_at)


def decision_draft(
    *,
    adjudication: Adjudication,
    revision: int,
    answer: dict[str, Any],
    seconds: float = 0,
    raw_seconds: float = 0,
    advance: bool = False,
    seen: str | None = None,
    unheard: Sequence[Any] = (),
) -> Begun:
    """Keep what is begun; with ``advance``, go to the next stage of the answer. As ``draft_save`` does for a judgment."""
    facts = facts_decided(adjudication)
    parsed, before = answer_parsed(facts, answer), unheard_parsed(facts, unheard)
    with transaction.atomic():
        found = _for_deciding(adjudication)
        desk = _desk(found, revision)
        if not advance:
            stage_check(desk, parsed)
        begun = answer_begun(desk.facts, desk.exhibit, desk.answer, parsed, advance=advance)
        draft_check(desk, seen, begun, before)
        now = timezone.now()
        kept = answer_stored(begun, (seconds, raw_seconds), shown_at=found.shown_at, now=now)
        Adjudication.objects.filter(pk=found.pk).update(
            draft=kept["answer"],
            draft_revision=revision,
            draft_seconds=kept["seconds"],
            draft_raw_seconds=kept["raw_seconds"],
        )
        return Begun(**kept, saved_at=now)


@transaction.atomic
def decision_discard(*, adjudication: Adjudication, revision: int) -> None:
    """Drop a change that was not submitted; the newest decision counts, as before."""
    found = _for_deciding(adjudication)
    if found.draft_revision == revision and revision > 1:
        Adjudication.objects.filter(pk=found.pk).update(draft=None, draft_revision=0)


def decision_record(
    *,
    adjudication: Adjudication,
    client_key: uuid.UUID,
    revision: int,
    answer: dict[str, Any],
    seconds: float,
    raw_seconds: float = 0,
    seen: str | None = None,
    waited: float = 0,
) -> tuple[Decision, bool]:
    """Record a decision once, whatever the network does; the second value is False for one that had arrived before."""
    parsed = answer_parsed(facts_decided(adjudication), answer)
    with transaction.atomic():
        study = adjudication.adjudicator.study
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        found = _for_deciding(adjudication)
        again = found.decisions.filter(client_key=client_key).first()
        if again:
            return again, False
        desk = _desk(found, revision)
        parsed = answer_complete(desk.facts, desk.exhibit, desk.answer, parsed)
        submit_check(desk, seen, waited, parsed)
        now = timezone.now()
        decision = Decision.objects.create(
            adjudication=found,
            revision=revision,
            client_key=client_key,
            shown_at=min(found.shown_at or now, now),
            submitted_at=now,
            **answer_stored(parsed, (seconds, raw_seconds), shown_at=found.shown_at, now=now),
        )
        Adjudication.objects.filter(pk=found.pk).update(
            decided_at=found.decided_at or now, draft=None, draft_revision=0
        )
        # Results that use decisions, and reports that count them, are made anew.
        Study.objects.filter(pk=study.pk).update(results_version=F("results_version") + 1)
        audit_write(
            study=study,
            action="adjudication.decide",
            target=f"adjudicator {adjudication.adjudicator.pseudonym}/{found.number}",
            after={"revision": revision},
        )
        return decision, True


def _for_deciding(adjudication: Adjudication) -> Adjudication:
    """The adjudication as it is now, locked; its person is taken as given. A closed study can still be decided about."""
    rows = Adjudication.objects.select_for_update(of=("self",)).select_related("subject")
    found = rows.filter(pk=adjudication.pk).first()
    if found is None:
        raise Closed(gettext("This item is no longer yours to decide."))
    found.adjudicator = adjudication.adjudicator
    if found.subject.superseded:
        raise Closed(gettext("This item is no longer yours to decide."))
    if found.shown_at is None:
        raise Conflict(gettext("This item is not the one whose turn it is."))
    return found


def _desk(adjudication: Adjudication, revision: int) -> Desk:
    """The piece as its adjudicator has it, for ``revision``, which must be the next one."""
    desk = desk_deciding(adjudication)
    revision_check(desk, revision, is_final=not desk.facts.kind.revisable)
    return desk


@transaction.atomic
def adjudicators_forget(*, studies: Any) -> int:
    """With the names of assessors those of adjudicators go (``services/retention.py``)."""
    gone: dict[str, Any] = {"name": F("pseudonym"), "token_hash": None, "last_seen_at": None}
    forgotten = 0
    for study in studies:
        people = Adjudicator.objects.filter(study=study).exclude(**gone).update(**gone)
        if people:
            audit_write(study=study, action="adjudicator.forget", after={"adjudicators": people})
        forgotten += people
    return forgotten

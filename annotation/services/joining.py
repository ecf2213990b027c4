"""Joining a study by its one link."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Refused
from annotation.joining import OUTCOMES, JoinRules
from annotation.models import Assessor, JoinLink, Study
from annotation.models.joining import join_code
from annotation.overtaken import refuse_overtaken
from annotation.selectors.joining import group_free, join_refusal, joined_by_group, known_member, rules_of
from annotation.selectors.plan import welcome_read_ahead
from annotation.services.assessors import assessor_link, assessors_create
from annotation.services.audit import audit_write
from annotation.study_files.plain import sentences
from annotation.study_files.schema import AssessorRow
from annotation.words import gettext


@transaction.atomic
def join_link_set(
    *, study: Study, rules: dict[str, Any], is_open: bool = True, seen: str | None = None
) -> JoinLink:
    """Make the join link of a study, or change what it says; its address stays. ``seen``: the fingerprint of ``link_says`` before."""
    try:
        checked = JoinRules.model_validate(rules)
    except ValidationError as problem:
        raise Refused(" ".join(sentence for _, sentence in sentences(problem, JoinRules))) from None
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    refuse_overtaken(link_says(JoinLink.objects.filter(study=study).first()), seen)
    link, _ = JoinLink.objects.update_or_create(
        study=study, defaults={"rules": checked.model_dump(mode="json"), "is_open": is_open}
    )
    told = checked.model_dump(mode="json", exclude_defaults=True)
    # Not the codes, nor the addresses, which hold them with most panels: viewers read the history, and who has a code gets paid.
    told |= {name: sorted(told[name]) for name in OUTCOMES if name in told}
    audit_write(study=study, action="join.set", after={"open": is_open, **told})
    return link


def link_says(link: JoinLink | None) -> list[Any]:
    return [link.is_open, link.rules] if link else []


@transaction.atomic
def join_link_renew(*, link: JoinLink) -> None:
    """Another address; the old one leads nowhere. Those who have joined keep their places."""
    link.code = join_code()
    link.save(update_fields=["code"])
    audit_write(study=link.study, action="join.renew")


def assessor_join(*, link: JoinLink, given: dict[str, str], consented: bool) -> Assessor:
    """A place for somebody new, or the one that they have; cap and quotas hold however many come at once."""
    welcome_read_ahead(link.study)
    return _join(link, given, consented)


@transaction.atomic
def _join(link: JoinLink, given: dict[str, str], consented: bool) -> Assessor:
    study = link.study
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))
    if known := known_member(link, given):
        return known
    if refusal := join_refusal(link):
        raise Refused(refusal)
    if study.consent and not consented:
        raise Refused(gettext("Please tick the box if you agree; without it you cannot take part."))
    rules = rules_of(link)
    number = study.assessors.filter(joined_at__isnull=False).count() + 1
    taken = set(study.assessors.values_list("name", flat=True))
    name = next(
        one for n in range(number, number + len(taken) + 1) if (one := f"participant-{n:04d}") not in taken
    )
    group = group_free(rules, joined_by_group(study)) if rules.groups else ""
    (assessor,) = assessors_create(study=study, rows=[AssessorRow(name=name, group=group)])
    now = timezone.now()
    assessor.joined_at = now
    assessor.consented_at = now if study.consent else None
    assessor.panel = rules.kept(given)
    assessor.panel_key = rules.identity(given)
    assessor.load_cap = rules.load
    assessor.text_version = study.text_version
    assessor.save()
    assessor_link(assessor=assessor)  # its session needs one; whoever joined comes back by the join link
    return assessor

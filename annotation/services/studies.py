"""Studies: import, opening, closing, who may see them."""

from __future__ import annotations

from typing import IO, Any, TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from annotation.errors import Overtaken, Refused
from annotation.models import (
    AccountLink,
    Assignment,
    JoinLink,
    Judgment,
    Membership,
    Output,
    ProgramAnswer,
    ProgramItem,
    Reference,
    Study,
)
from annotation.overtaken import CHANGED, refuse_overtaken
from annotation.selectors.studies import study_owned
from annotation.services import assessors, dealing
from annotation.services.audit import audit_write
from annotation.services.materials import (
    NewTasks,
    Stock,
    materials_made,
    materials_store,
    tasks_made,
    tasks_store,
    texts_cut,
)
from annotation.services.removal import study_remove
from annotation.services.webhooks import study_closed_tell
from annotation.study_files import read_study
from annotation.study_files.schema import (
    StudyFile,
)
from annotation.units import not_too_many
from annotation.words import phrase

Row = TypeVar("Row", bound=models.Model)

LINK_FIELDS = ("token_hash", "token_made_at", "token_expires_at", "completion_code", "email", "mailed_at")
SLUG_TAKEN = "There is a study “{}” already. Choose another slug, or replace it."
SLUG_UNUSABLE = (
    "The slug “{}” cannot be used here. Choose another one."  # to whom the study is none of their business
)


def study_upload(*, source: IO[bytes], owner: User, replace: bool = False) -> Study:
    """Read a study file that came over the network, and store it for its owner; ``StudyFileProblems`` if it is bad."""
    study_file = read_study(
        source, max_bytes=settings.STUDY_UNPACKED_MAX_BYTES, seconds=settings.STUDY_READING_MAX_SECONDS
    )
    # Somebody else's study of the same slug must not fall to whoever knows its slug.
    replace = replace and study_owned(owner, study_file.slug)
    return study_import(study_file=study_file, owner=owner, replace=replace)


def study_import(*, study_file: StudyFile, owner: User | None = None, replace: bool = False) -> Study:
    """Store a valid study file as a draft: all of it or nothing.

    Texts are cut into units, and rows made, before anything is locked: people judge other studies meanwhile.
    """
    study = _study_made(study_file)
    texts = texts_cut(study_file)
    stock = materials_made(study, study_file.materials, texts, study_file.prefilled)
    return _import(study_file, study, stock, tasks_made(study, study_file, texts, stock), owner, replace)


@transaction.atomic
def _import(
    study_file: StudyFile, study: Study, stock: Stock, tasks: NewTasks, owner: User | None, replace: bool
) -> Study:
    """``study`` and what belongs to it are new, and stored here."""
    # Whoever opens or closes what is to be replaced at this moment comes first: what they were told must hold.
    studies = Study.objects.select_for_update() if replace else Study.objects.all()
    old = studies.filter(slug=study_file.slug).first()
    members: list[Membership] = []
    links: list[dict[str, Any]] = []
    join: JoinLink | None = None
    if old:
        if not replace:
            raise _slug_refused(old.slug, owner)
        _refuse_judged(old)
        if old.state == Study.State.OPEN:
            raise Refused(
                phrase(
                    "“{slug}” is open: people are at work in it, and would lose their drafts. Close it first, or "
                    "choose another slug. More texts can be added to it as a wave.",
                    slug=old.slug,
                )
            )
        members = list(old.memberships.select_related("user"))
        links = list(old.assessors.values("name", *LINK_FIELDS))
        join = JoinLink.objects.filter(study=old).first()
        study_delete(study=old)
    _study_create(study, owner)
    if owner:
        Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
    for membership in members:
        if membership.user != owner:
            Membership.objects.create(study=study, user=membership.user, role=membership.role)
    materials_store(stock)
    tasks_store(tasks)
    assessors.assessors_create(study=study, rows=study_file.assessors)
    for link in links:
        # Links that were given out keep working for whoever is still in the file.
        study.assessors.filter(name=link.pop("name")).update(**link)
    if join:
        JoinLink.objects.create(study=study, code=join.code, is_open=join.is_open, rules=join.rules)
    audit_write(
        study=study, action="study.import", after={"name": study.name, "replaced": old.slug if old else None}
    )
    return study


def _slug_refused(slug: str, owner: User | None) -> Refused:
    """A stranger is not told that there is a study, as far as that can be helped."""
    known = owner is None or Membership.objects.filter(study__slug=slug, user=owner).exists()
    return Refused((SLUG_TAKEN if known else SLUG_UNUSABLE).format(slug))


def _refuse_judged(study: Study) -> None:
    if Judgment.objects.filter(assignment__assessor__study=study).exists():
        raise Refused(phrase("This study has judgments, and judgments are never deleted. Close it instead."))
    if ProgramAnswer.objects.filter(item__program__study=study).exists():
        raise Refused(
            phrase(
                "A program has judged this study, and its answers would be lost. Choose another slug, or delete the study "
                "first: it stays in the bin for a while."
            )
        )


def _lock(study: Study) -> None:
    """One who changes owners or deletes, at a time: two who each see the other as the last owner must not both go."""
    Study.objects.select_for_update().get(pk=study.pk)


def _study_made(study_file: StudyFile) -> Study:
    return Study(
        slug=study_file.slug,
        name=study_file.name,
        language=study_file.language,
        instructions=study_file.instructions,
        consent=study_file.consent,
        contact=study_file.contact,
        seed=study_file.seed,
        design=study_file.design.model_dump(mode="json"),
        settings=study_file.settings.model_dump(mode="json"),
        checks=study_file.checks.model_dump(mode="json", exclude_defaults=True),
    )


def _study_create(study: Study, owner: User | None) -> None:
    try:
        with transaction.atomic():
            study.save()
    except IntegrityError:
        # Somebody else has stored one at the same moment, which the look before could not see.
        raise _slug_refused(study.slug, owner) from None


def study_open(*, study: Study) -> None:
    """Deal the work, and let assessors in. A closed study opens again with the work it had.

    The plan is made before anything is locked: people judge other studies meanwhile.
    """
    _open(study, dealing.planned(study) if study.state == Study.State.DRAFT else None)


@transaction.atomic
def _open(study: Study, planned: dealing.Planned | None) -> None:
    # A double click asks twice, and the study as the second request loaded it may be a draft still.
    study.refresh_from_db(from_queryset=Study.objects.select_for_update())
    if study.state == Study.State.OPEN:
        raise Refused(phrase("The study is open already."))
    if study.state == Study.State.DRAFT:
        dealing.assignments_deal(study=study, planned=planned)
        study.opened_at = timezone.now()
    study.state = Study.State.OPEN
    study.closed_at = None
    study.save(update_fields=["state", "opened_at", "closed_at"])
    audit_write(study=study, action="study.open", after={"state": study.state})


@transaction.atomic
def studies_adopt(*, owner: User) -> None:
    """Studies that have no owner, since a command imported them, get one: without an owner no page shows them."""
    for study in Study.objects.exclude(memberships__role=Membership.Role.OWNER):
        membership_set(study=study, user=owner, role=Membership.Role.OWNER)


@transaction.atomic
def study_close(*, study: Study) -> None:
    """No more judgments; what has been judged stays."""
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(), fields=["state"])
    if study.state != Study.State.OPEN:
        raise Refused(phrase("Only an open study can be closed."))
    study.state = Study.State.CLOSED
    study.closed_at = timezone.now()
    study.save(update_fields=["state", "closed_at"])
    study_closed_tell(study=study)
    audit_write(study=study, action="study.close", after={"state": study.state})


@transaction.atomic
def study_delete(*, study: Study) -> None:
    """Delete a study that nobody has judged; judgments are never deleted."""
    _lock(study)
    # Whoever is submitting at this moment has the assignment locked: wait, and see whether it became a judgment.
    list(
        Assignment.objects.select_for_update(of=("self",))
        .filter(assessor__study=study)
        .order_by("pk")
        .values_list("pk")
    )
    items = ProgramItem.objects.filter(program__study=study).order_by("pk")
    list(items.select_for_update(of=("self",)).values_list("pk"))
    _refuse_judged(study)
    audit_write(study=study, action="study.delete", before={"name": study.name})
    study_remove(study=study)


@transaction.atomic
def units_cut(*, text: Output | Reference, units: list[str], seen: str | None = None) -> None:
    """Cut a text by hand, while the study is a draft. Only white space may change, so that nothing is lost.

    ``seen``: the fingerprint of the units that they were made from.
    """
    # Whoever opens the study at this moment deals what it has before, or afterwards.
    text.study.refresh_from_db(from_queryset=Study.objects.select_for_update(), fields=["state"])
    if text.study.state != Study.State.DRAFT:
        raise Refused(phrase("Units can be cut only before the study opens."))
    if isinstance(text, Output) and text.prefilled:
        raise Refused(
            phrase(
                "This text has spans from the study file, which count within its units. It cannot be cut "
                "again."
            )
        )
    if isinstance(text, Output) and text.citations:
        raise Refused(
            phrase("The study file says what each unit of this text cites. It cannot be cut again.")
        )
    if isinstance(text, Reference) and any(
        contributor["reference"] == text.key
        for contributors in text.study.contentunits.values_list("contributors", flat=True)
        for contributor in contributors
    ):
        raise Refused(
            phrase("Content units of the study file name words of this text. It cannot be cut again.")
        )
    if not type(text)._default_manager.filter(pk=text.pk).exists():  # a table has replaced all texts
        raise Overtaken(CHANGED)
    text.refresh_from_db(fields=["text", "units"])
    refuse_overtaken(text.units, seen)
    units = [unit.strip() for unit in units if unit.strip()]
    not_too_many(units)
    if "".join("".join(units).split()) != "".join("".join(text.units).split()):
        raise Refused(
            phrase("The units together must be the same text as before; only where they are cut may change.")
        )
    before = len(text.units)
    text.units = units
    text.text = "\n".join(units)
    text.units_given = True
    text.save(update_fields=["units", "text", "units_given"])
    audit_write(
        study=text.study,
        action="text.cut",
        target=f"{type(text).__name__.lower()} of {text.item_key}",
        before={"units": before},
        after={"units": len(units)},
    )


@transaction.atomic
def membership_set(*, study: Study, user: User, role: str) -> Membership:
    """Make somebody owner, editor or viewer. A study keeps at least one owner."""
    _lock(study)
    others = study.memberships.filter(role=Membership.Role.OWNER).exclude(user=user)
    if role != Membership.Role.OWNER and not others.exists():
        raise Refused(phrase("A study needs an owner. Make somebody else owner first."))
    before = study.memberships.filter(user=user).values_list("role", flat=True).first()
    membership, _ = Membership.objects.update_or_create(study=study, user=user, defaults={"role": role})
    if before == Membership.Role.OWNER and role != Membership.Role.OWNER:
        invitations_end(by=user, among=study.invitations.all())
    if before != role:
        target = f"experimenter {user.username}"
        audit_write(
            study=study, action="member.set", target=target, before={"role": before}, after={"role": role}
        )
    return membership


@transaction.atomic
def membership_remove(*, study: Study, user: User) -> None:
    _lock(study)
    if not study.memberships.filter(role=Membership.Role.OWNER).exclude(user=user).exists():
        raise Refused(phrase("A study needs an owner. Make somebody else owner first."))
    study.memberships.filter(user=user).delete()
    invitations_end(by=user, among=study.invitations.all())
    audit_write(study=study, action="member.remove", target=f"experimenter {user.username}")


def invitations_end(*, by: User, among: models.QuerySet[AccountLink]) -> None:
    """Whoever may invite no more must not come back, or bring others, by a link that they made before."""
    names = (f"experimenter {by.username}", f"experimenter {by.username} (API)")
    among.filter(user=None, used_at=None, made_by__in=names).delete()

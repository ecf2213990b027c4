"""What is left out of results: of whom, why, and how many judgments that is."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Assessor, Assignment, Document, Exclusion, Judgment, Study, Task, Topic

SHOWN_ENDED = 50
Target = Assessor | Assignment | Document | Topic | Task


def exclusions_of(study: Study, *, ended: bool = False) -> QuerySet[Exclusion]:
    """What is left out now, in the order in which it was; or what was, and is included again."""
    rows = study.exclusions.filter(ended_at__isnull=not ended)
    related = ("assessor", "assignment__assessor", "assignment__subject__task", "document", "topic", "task")
    return rows.select_related(*related).defer("document__text", "document__units", "topic__description")


def exclusions_ended(study: Study) -> QuerySet[Exclusion]:
    """What is included again, the newest first; a page has room for so many."""
    return exclusions_of(study, ended=True).order_by("-ended_at", "-pk")[:SHOWN_ENDED]


def exclusion_find(study: Study, pk: int) -> Exclusion | None:
    return exclusions_of(study).filter(pk=pk).first()


def exclusion_of(study: Study, target: Target) -> Exclusion | None:
    """Why this is left out by itself; None: it is not."""
    return exclusions_of(study).filter(**{target_field(target): target}).first()


def target_field(target: Target) -> str:
    return type(target)._meta.model_name or ""


def is_excluded(assessor: Assessor) -> bool:
    return Exclusion.objects.filter(assessor=assessor, ended_at=None).exists()


def target_words(row: Exclusion, *, names: bool = False) -> str:
    """What is left out: ``assessor A03``, ``judgment A03/17``, ``item d4``, ``task coverage``."""
    if row.assessor:
        return f"assessor {row.assessor.name if names else row.assessor.pseudonym}"
    if row.assignment:
        return f"judgment {judgment_name(row.assignment, names=names)}"
    if row.task:
        return f"task {row.task.name}"
    item = row.document or row.topic
    return f"item {item.key if item else ''}"


def judgment_name(assignment: Assignment, *, names: bool = False) -> str:
    """As in the long table: the assessor, and the position in their line."""
    assessor = assignment.assessor
    return f"{assessor.name if names else assessor.pseudonym}/{assignment.position}"


# --- what somebody names ------------------------------------------------------------------------------------------


def assessor_named(study: Study, name: str) -> Assessor | None:
    """By name, else by pseudonym."""
    people = study.assessors.select_related("study")
    return people.filter(name=name).first() or people.filter(pseudonym=name).first()


def judgment_named(study: Study, name: str) -> Assignment | None:
    """By ``A03/17``: assessor and position, as the long table has them."""
    person, _, position = name.rpartition("/")
    assessor = assessor_named(study, person)
    if assessor is None or not position.isdecimal() or len(position) > 9:
        return None
    return assignments_judged(study).filter(assessor=assessor, position=int(position)).first()


def assignments_judged(study: Study) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(assessor__study=study, state=Assignment.State.DONE)
    return rows.select_related("assessor__study", "subject__task")


def item_named(study: Study, key: str) -> Document | Topic | None:
    return study.documents.filter(key=key).first() or study.topics.filter(key=key).first()


def target_named(study: Study, what: str, name: str) -> Target | None:
    """What somebody means by ``what`` (assessor, judgment, item or task) and a name."""
    name = name.strip()
    if what == "assessor":
        return assessor_named(study, name)
    if what == "judgment":
        return judgment_named(study, name)
    if what == "item":
        return item_named(study, name)
    return study.tasks.filter(name=name).first()


# --- how many -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LeftOut:
    """One exclusion, and the judgments that it keeps out of results; each is counted once, with the first that does."""

    exclusion: Exclusion
    judgments: list[int] = field(default_factory=list)  # their assignments

    @property
    def what(self) -> str:
        return target_words(self.exclusion)

    @property
    def named(self) -> str:
        return target_words(self.exclusion, names=True)


def left_out(study: Study, *, counted: bool = True) -> list[LeftOut]:
    """A fixed number of queries; nothing is read of judgments where nothing is left out. With ``counted`` False also what would count in
    no result anyway: practice, and what was judged by an older key."""
    found = [LeftOut(row) for row in exclusions_of(study)]
    if not found:
        return []
    first = {}
    for entry in reversed(found):
        row = entry.exclusion
        for name in ("assessor", "assignment", "document", "topic", "task"):
            if pk := getattr(row, f"{name}_id"):
                first[name, pk] = entry
    order = {id(entry): index for index, entry in enumerate(found)}
    # Also a key that its builder has open again.
    judged = Judgment.objects.filter(assignment=OuterRef("pk"))
    rows = Assignment.objects.filter(Exists(judged), assessor__study=study, left_out=True)
    rows = rows.filter(counts=True) if counted else rows
    for pk, *keys in rows.values_list(
        "pk",
        "assessor",
        "subject__document",
        "subject__output__document",
        "subject__topic",
        "subject__output__topic",
        "subject__task",
    ).iterator():
        names = ("assessor", "document", "document", "topic", "topic", "task")
        hits = [first[key] for key in [*zip(names, keys, strict=True), ("assignment", pk)] if key in first]
        if hits:
            min(hits, key=lambda entry: order[id(entry)]).judgments.append(pk)
    return found


def items_left_out(study: Study) -> set[str]:
    """The keys of items that are left out."""
    rows = study.exclusions.filter(ended_at=None)
    keys = rows.values_list("document__key", "topic__key")
    return {key for pair in keys for key in pair if key}

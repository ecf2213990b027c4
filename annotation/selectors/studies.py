"""What an experimenter's pages read of a study and its materials; progress and people have modules of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from django.contrib.auth.models import User
from django.db.models import (
    Count,
    ExpressionWrapper,
    F,
    FloatField,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce, NullIf

from annotation.models import (
    Assignment,
    Document,
    Judgment,
    Membership,
    MetricScore,
    Output,
    Reference,
    Study,
    Subject,
    System,
    Topic,
)

Item = TypeVar("Item", Document, Topic)

STUDY_SORTS = {
    "name": ("name", "pk"),
    "state": ("state", "name", "pk"),
    "progress": ("progress", "name", "pk"),
    "last": ("last_judgment", "name", "pk"),
    "created": ("created_at", "pk"),
}


def system_names(study: Study) -> dict[str, str]:
    """What the systems are called, by key."""
    return dict(study.systems.values_list("key", "name"))


def archived_count(user: User) -> int:
    return Study.objects.filter(memberships__user=user, deleted_at=None, archived_at__isnull=False).count()


def binned(user: User) -> QuerySet[Study]:
    """Studies of theirs that they, or another owner, have deleted; the newest first."""
    mine = Study.objects.filter(memberships__user=user, memberships__role=Membership.Role.OWNER)
    return mine.filter(deleted_at__isnull=False).order_by("-deleted_at", "-pk")


def binned_count(user: User) -> int:
    return binned(user).count()


def binned_find(user: User, pk: int) -> Study | None:
    return binned(user).filter(pk=pk).first()


def study_rows(user: User, *, archived: bool = False) -> QuerySet[Study]:
    """The studies of an experimenter, those in use or those that are archived, with their role, judgments done and wanted, and the last judgment."""
    return (
        Study.objects.filter(memberships__user=user, deleted_at=None, archived_at__isnull=not archived)
        .defer("instructions", "consent")
        .annotate(
            role=F("memberships__role"),
            done=_per_study(
                Assignment.objects.filter(state=Assignment.State.DONE, counts=True, left_out=False),
                "assessor__study",
                Count("pk"),
            ),
            wanted=_per_study(
                Subject.objects.filter(counts=True, left_out=False), "task__study", Sum("wanted")
            ),
            last_judgment=_newest_judgment(),
        )
        .annotate(
            progress=ExpressionWrapper(F("done") * 1.0 / NullIf(F("wanted"), 0), output_field=FloatField())
        )
    )


def _per_study(rows: QuerySet, path: str, number: Count | Sum) -> Coalesce:
    counted = rows.filter(**{path: OuterRef("pk")}).order_by().values(path).annotate(n=number).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _newest_judgment() -> Subquery:
    path = "assignment__assessor__study"
    newest = Judgment.objects.filter(**{path: OuterRef("pk")}, assignment__counts=True)
    return Subquery(newest.order_by().values(path).annotate(last=Max("submitted_at")).values("last"))


def studies_newest_first(user: User) -> QuerySet[Study]:
    return study_rows(user).order_by("-created_at", "-pk")


def study_row(user: User, study: Study) -> Study:
    """This study with its numbers."""
    return study_rows(user, archived=study.archived_at is not None).get(pk=study.pk)


@dataclass(frozen=True)
class StudySize:
    systems: int
    outputs: int
    assessors: int


def study_size(study: Study) -> StudySize:
    return StudySize(study.systems.count(), study.outputs.count(), study.assessors.count())


def has_outputs(study: Study) -> bool:
    return study.outputs.exists()


def membership_find(user: User, slug: str) -> Membership | None:
    """What the user is in a study, with the study; None also where there is no such study."""
    rows = Membership.objects.select_related("study").filter(user=user, study__deleted_at=None)
    # Addresses from before a study was renamed lead to it, unless another one has that slug now.
    return rows.filter(study__slug=slug).first() or rows.filter(study__aliases__slug=slug).first()


def study_owned(user: User, slug: str) -> bool:
    """Whether this study is the user's to replace."""
    return Membership.objects.filter(user=user, study__slug=slug, role=Membership.Role.OWNER).exists()


def has_judgments(study: Study) -> bool:
    return Judgment.objects.filter(assignment__assessor__study=study).exists()


# --- materials ----------------------------------------------------------------------------------------------------


def systems_of(study: Study) -> list[System]:
    return list(study.systems.all())


def system_rows(study: Study) -> QuerySet[System]:
    return study.systems.annotate(answers=Count("outputs"))


def metric_scores(study: Study, metric: str = "") -> QuerySet[MetricScore]:
    """Automatic scores that came with the study or were sent later, of all metrics or of one."""
    return study.metricscores.filter(metric=metric) if metric else study.metricscores.all()


def document_rows(study: Study, search: str = "") -> QuerySet[Document]:
    """Documents with the number of their references and outputs, without the texts."""
    rows = study.documents.select_related("topic").defer("text", "topic__description")
    return _found(rows, search).annotate(
        reference_count=_texts_about(Reference, "document"), output_count=_texts_about(Output, "document")
    )


def topic_rows(study: Study, search: str = "") -> QuerySet[Topic]:
    """Topics with the number of their references and outputs."""
    return _found(study.topics.all(), search).annotate(
        reference_count=_texts_about(Reference, "topic"), output_count=_texts_about(Output, "topic")
    )


def _found(rows: QuerySet[Item], search: str) -> QuerySet[Item]:
    return rows.filter(Q(key__icontains=search) | Q(title__icontains=search)) if search else rows


def _texts_about(model: type[Reference] | type[Output], kind: str) -> Coalesce:
    texts = model._default_manager.filter(**{kind: OuterRef("pk")}).order_by().values(kind)
    return Coalesce(Subquery(texts.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def has_documents(study: Study) -> bool:
    return study.documents.exists()


def has_topics(study: Study) -> bool:
    return study.topics.exists()


def item_find(study: Study, kind: str, pk: int) -> Document | Topic | None:
    """A document or a topic of this study; of another study it does not exist here."""
    if kind == "document":
        return study.documents.filter(pk=pk).first()
    if kind == "topic":
        return study.topics.filter(pk=pk).first()
    return None


def item_references(item: Document | Topic) -> QuerySet[Reference]:
    return item.references.all()


def item_outputs(item: Document | Topic) -> QuerySet[Output]:
    return item.outputs.select_related("system").order_by("system__key", "kind", "pk")


def text_find(study: Study, kind: str, pk: int) -> Output | Reference | None:
    """An output or a reference of this study; of another study it does not exist here."""
    if kind == "output":
        return study.outputs.select_related("study", "system", "document", "topic").filter(pk=pk).first()
    if kind == "reference":
        return study.references.select_related("study", "document", "topic").filter(pk=pk).first()
    return None

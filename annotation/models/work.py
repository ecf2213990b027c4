"""The work: who judges what, and what they decided. Judgments are append-only."""

from __future__ import annotations

import secrets
from typing import Any

from django.db import models
from django.utils import timezone

from annotation.errors import Refused
from annotation.models.materials import Control, ControlItem, Document, Output, Reference, Topic
from annotation.models.study import Study, Task


def public_id() -> str:
    """A name for addresses that says nothing about what is behind it."""
    return secrets.token_urlsafe(12)


class Assessor(models.Model):
    """A person who judges, known by a personal link. ``author`` is the author id of texts this person wrote."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="assessors")
    name = models.CharField(max_length=120)
    pseudonym = models.CharField(max_length=20)
    group = models.CharField(max_length=80, blank=True)
    author = models.CharField(max_length=200, blank=True)
    token_hash = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - null: no link, or revoked
    token_made_at = models.DateTimeField(null=True)
    token_expires_at = models.DateTimeField(null=True)  # null: never
    started_at = models.DateTimeField(null=True)  # read the instructions, and consented if asked
    text_version = models.PositiveIntegerField(default=1)  # of instructions and consent, as last read
    last_seen_at = models.DateTimeField(null=True)
    completion_code = models.CharField(max_length=20)
    email = models.EmailField(blank=True)
    mailed_at = models.DateTimeField(null=True)  # when the link was last sent
    joined_at = models.DateTimeField(null=True)  # came by the study's join link
    consented_at = models.DateTimeField(null=True)  # before joining; else beginning is consenting
    panel = models.JSONField(default=dict)  # parameters of the address they came with
    panel_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 - who they are there; null: nobody says
    load_cap = models.PositiveIntegerField(null=True)  # judgments at most; null: as many as there are
    paused_at = models.DateTimeField(null=True)
    pause_message = models.CharField(max_length=500, blank=True)
    checks_failed_at = models.DateTimeField(null=True)  # by the study's own rule (``services/checking.py``)
    checks_failed_why = models.CharField(max_length=300, blank=True)  # for the experimenter
    stopped_at = models.DateTimeField(null=True)  # gets nothing more; what is undone goes to others
    notice = models.CharField(
        max_length=500, blank=True
    )  # to be read once, such as that work was handed on to them
    answers_unread = models.PositiveIntegerField(default=0)  # of the experimenter, kept with the replies

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "panel_key"], name="one_place_per_panel_member"),
            models.UniqueConstraint(fields=["study", "name"], name="assessor_names_are_unique"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="assessor_pseudonyms_are_unique"),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class Subject(models.Model):
    """What is judged, whoever judges it: an output, a set of outputs, an output with a reference, a document, a topic …"""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="subjects")
    phase = models.CharField(max_length=40, blank=True)
    output = models.ForeignKey(
        Output, on_delete=models.CASCADE, null=True
    )  # the only one; of a set, see ``members``
    reference = models.ForeignKey(Reference, on_delete=models.CASCADE, null=True)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True)
    set_id = models.CharField(max_length=20, blank=True)  # of a set: s1, s2 … within task and item
    shown = models.JSONField(default=dict)  # what only this kind knows, and a page may show
    noted = models.JSONField(default=dict)  # what only this kind knows, and only the export tells
    practice = models.BooleanField(default=False)
    counts = models.BooleanField(
        default=True
    )  # False: practice, or getting ready, such as reading a document first
    key = models.JSONField(null=True)  # expected answer of a practice subject
    control_item = models.ForeignKey(ControlItem, on_delete=models.CASCADE, null=True)
    control = models.CharField(max_length=10, choices=Control.choices, blank=True, default=Control.NONE)
    order = models.PositiveIntegerField()  # in a pool: the seeded order among equally judged subjects
    wanted = models.PositiveIntegerField(default=1)  # judgments wanted, by different assessors
    taken = models.PositiveIntegerField(
        default=0
    )  # judged or leased and not left out, kept in the same transaction as assignments
    left_out = models.BooleanField(default=False)  # its item or task is excluded (``services/exclusions.py``)

    superseded = models.BooleanField(
        default=False
    )  # there is a newer version of it, by a newer key; what was judged here counts no more

    class Meta:
        ordering = ["order"]
        indexes = [models.Index(fields=["task", "practice", "taken", "order"], name="pool_order")]

    def __str__(self) -> str:
        return f"subject {self.pk} of {self.task_id}"


class SetMember(models.Model):
    """An output of a set. Outputs with the same text have the same ``index``: they are shown once, and judged as one."""

    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="members")
    output = models.ForeignKey(Output, on_delete=models.CASCADE)
    index = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["index", "id"]
        constraints = [
            models.UniqueConstraint(fields=["subject", "output"], name="an_output_once_per_set"),
        ]

    def __str__(self) -> str:
        return f"{self.output_id} in {self.subject_id}"


class Assignment(models.Model):
    """One subject shown to one assessor at one position."""

    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        ABANDONED = "abandoned"  # its lease ran out, or somebody else took it over

    public_id = models.CharField(max_length=16, unique=True, default=public_id)
    assessor = models.ForeignKey(Assessor, on_delete=models.CASCADE, related_name="assignments")
    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="assignments")
    position = models.PositiveIntegerField()
    counts = models.BooleanField(default=True)  # the subject's, kept here so that progress reads one index
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    dealt_at = models.DateTimeField(default=timezone.now)
    shown_at = models.DateTimeField(null=True)
    lease_ends_at = models.DateTimeField(null=True)
    left_out = models.BooleanField(default=False)  # of results: its assessor, its judgment or its subject is
    met = models.FloatField(
        null=True
    )  # how much of what practice, gold or attention expects the newest answer meets, from 0 to 1
    revisions_before = models.PositiveIntegerField(default=0)  # judgments of earlier versions of the subject
    places = models.JSONField(default=list)  # of a set: the index of the text at each place; empty otherwise

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["assessor", "subject"], name="a_subject_once_per_assessor"),
            models.UniqueConstraint(fields=["assessor", "position"], name="one_assignment_per_position"),
        ]
        indexes = [
            models.Index(fields=["assessor", "state", "position"], name="assignment_next"),
            models.Index(fields=["assessor", "counts", "state"], name="assignment_progress"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Draft(models.Model):
    """Half-finished work, saved as the assessor goes."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    revision = (
        models.PositiveIntegerField()
    )  # the judgment that it is to become; of an older one it counts no more
    answer = models.JSONField()
    seconds = models.FloatField(default=0)  # active so far
    raw_seconds = models.FloatField(default=0)  # with the page open so far, idle or not
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft of {self.assignment_id}"


class Judgment(models.Model):
    """What the assessor decided. A correction is a new revision; nothing is changed or deleted."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    revision = models.PositiveIntegerField()
    client_key = models.UUIDField()  # made by the browser, once per submit
    answer = models.JSONField()  # the kind's Answer
    shown_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    seconds = models.FloatField(null=True)  # active, without idle and hidden time; null: made elsewhere
    raw_seconds = models.FloatField(null=True)  # with the page open, idle or not; null: nobody counted them
    text_version = models.PositiveIntegerField(default=1)  # of the instructions that the assessor had read
    imported = models.BooleanField(default=False)  # made elsewhere

    class Meta:
        ordering = ["assignment_id", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="one_judgment_per_revision"),
            models.UniqueConstraint(fields=["assignment", "client_key"], name="one_judgment_per_submit"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} r{self.revision}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Refused("A judgment is never changed; a correction is a new revision.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise Refused("A judgment is never deleted.")


class Flag(models.Model):
    """An assessor's word to the experimenter: on a broken item, or on anything else."""

    assessor = models.ForeignKey(Assessor, on_delete=models.CASCADE, related_name="flags")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, null=True, related_name="flags")
    comment = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"flag {self.pk}"

"""A study, who may see it, and its tasks."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.languages import document_language


class Study(models.Model):
    """What an experimenter sets up: materials, tasks, a design, assessors."""

    class State(models.TextChoices):
        DRAFT = "draft"
        OPEN = "open"
        CLOSED = "closed"

    slug = models.SlugField(unique=True, max_length=80)
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=35, default="en")  # BCP 47
    instructions = models.TextField(blank=True)  # Markdown
    consent = models.TextField(blank=True)  # Markdown; asked for only if there is some
    contact = models.CharField(max_length=200, blank=True)
    seed = models.BigIntegerField()
    design = models.JSONField(default=dict)  # annotation.designs.Design
    settings = models.JSONField(default=dict)  # annotation.study_files.schema.Settings
    checks = models.JSONField(default=dict)  # annotation.checks.Checks
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    text_version = models.PositiveIntegerField(default=1)  # of instructions and consent, see ``StudyText``
    wave = models.PositiveIntegerField(
        default=1
    )  # how often work was dealt: once, and once more for each addition
    deadline_at = models.DateTimeField(null=True)  # after it nothing more is handed out
    paused_at = models.DateTimeField(null=True)
    pause_message = models.CharField(max_length=500, blank=True)
    archived_at = models.DateTimeField(null=True)  # out of the way in the list of studies
    mail = models.JSONField(default=dict)  # subject and body, as they were sent last
    deleted_at = models.DateTimeField(
        null=True
    )  # in the bin: hidden everywhere, and gone for good after a while
    deleted_by = models.CharField(max_length=200, blank=True)
    deleted_slug = models.CharField(
        max_length=80, blank=True
    )  # what it was called; the slug itself is free again
    results_version = models.PositiveIntegerField(default=0)  # counts what was left out or included again
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.slug

    @property
    def source_language(self) -> str:
        """Of documents, if its settings name one."""
        return self.settings.get("source_language", "")

    @property
    def document_language(self) -> str:
        return document_language(self.language, self.source_language)


class StudyText(models.Model):
    """A version of instructions and consent. There is a row for each once there is more than one; none is changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="texts")
    number = models.PositiveIntegerField()
    instructions = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=200)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="text_versions_are_numbered")]

    def __str__(self) -> str:
        return f"{self.study_id} v{self.number}"


class SlugAlias(models.Model):
    """A slug that a study had before: addresses that were given out lead on."""

    slug = models.SlugField(unique=True, max_length=80)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="aliases")

    def __str__(self) -> str:
        return f"{self.slug} of {self.study_id}"


class Membership(models.Model):
    """Which experimenter may do what in a study: a viewer reads, an editor also changes it, an owner also decides who
    may, and what goes for good: the study, or a person's data."""

    class Role(models.TextChoices):
        OWNER = "owner"
        EDITOR = "editor"
        VIEWER = "viewer"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "user"], name="one_role_per_study_and_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.study_id}"

    def may(self, role: str) -> bool:
        """Whether they may do what this role may: who may do more may do less, too."""
        ranks = [self.Role.VIEWER, self.Role.EDITOR, self.Role.OWNER]
        return ranks.index(self.Role(self.role)) >= ranks.index(self.Role(role))


class Task(models.Model):
    """One protocol within a study: its kind (a line of the registry) and its configuration."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="tasks")
    name = models.SlugField(max_length=80)
    kind = models.CharField(max_length=40)
    position = models.PositiveIntegerField()
    config = models.JSONField(default=dict)  # the kind's Config
    design = models.JSONField(null=True)  # annotation.designs.Design, if other than the study's
    checks = models.JSONField(null=True)  # annotation.checks.CheckItems, if other than the study's
    # Whose key goes on, of those that several people have built: reference or item → author id, else pseudonym.
    choices = models.JSONField(default=dict)
    phase = models.CharField(max_length=40, blank=True)  # of the kind's phases, the newest that was opened

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["study", "name"], name="task_names_are_unique")]

    def __str__(self) -> str:
        return f"{self.study_id}/{self.name}"

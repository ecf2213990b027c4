"""The texts of a study. ``key`` is the experimenter's own id; texts are cut into units once, at import."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study, Task


class Material(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="%(class)ss")

    class Meta:
        abstract = True
        ordering = ["id"]  # the order of the file


class Topic(Material):
    """What several documents are about; for relevance prediction, an event."""

    key = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    gold = models.JSONField(default=dict)  # document key → relevant or not

    class Meta(Material.Meta):
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="topic_keys_are_unique")]

    def __str__(self) -> str:
        return self.key


class Document(Material):
    """A source text."""

    key = models.CharField(max_length=200)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True, related_name="documents")
    title = models.TextField(blank=True)
    text = models.TextField()
    units = models.JSONField(default=list)  # strings, in order
    units_given = models.BooleanField(default=False)  # brought by the file, not cut by the splitter

    class Meta(Material.Meta):
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="document_keys_are_unique")]

    def __str__(self) -> str:
        return self.key


class System(Material):
    """Whoever produced outputs: a machine, a baseline or a human author. Assessors never meet this row."""

    class Type(models.TextChoices):
        SYSTEM = "system"
        BASELINE = "baseline"
        HUMAN = "human"

    key = models.CharField(max_length=200)
    name = models.CharField(max_length=200, blank=True)
    type = models.CharField(max_length=10, choices=Type.choices, default=Type.SYSTEM)

    class Meta(Material.Meta):
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="system_keys_are_unique")]

    def __str__(self) -> str:
        return self.key


class ItemText(Material):
    """A text that answers an item, the document or the topic that it is about."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True, related_name="%(class)ss")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True, related_name="%(class)ss")
    author = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    units = models.JSONField(default=list)  # strings, in order
    units_given = models.BooleanField(
        default=False
    )  # brought by the file or cut by hand, not by the splitter

    class Meta(Material.Meta):
        abstract = True

    @property
    def item_key(self) -> str:
        item = self.document or self.topic
        return item.key if item else ""


class Reference(ItemText):
    """A human-made text to compare with; "model summary" in DUC."""

    key = models.CharField(max_length=200)

    class Meta(ItemText.Meta):
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="reference_keys_are_unique")]

    def __str__(self) -> str:
        return self.key


class Output(ItemText):
    """The text that a system produced for a document or topic."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="outputs")
    kind = models.CharField(max_length=80, blank=True)  # of surrogate, e.g. HEAD
    target = models.PositiveIntegerField(null=True)  # length asked for
    prefilled = models.JSONField(
        default=list
    )  # errors that somebody has marked already, as in the study file
    citations = models.JSONField(default=list)  # for each unit those of the document (from 1) that it cites

    class Meta(ItemText.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["system", "document", "kind"],
                condition=models.Q(document__isnull=False),
                name="one_output_per_system_document_kind",
            ),
            models.UniqueConstraint(
                fields=["system", "topic", "kind"],
                condition=models.Q(document__isnull=True),
                name="one_output_per_system_topic_kind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_id} on {self.document_id or self.topic_id}"


class PracticeItem(models.Model):
    """An output to practise on, with the expected answer if feedback is wanted."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="practice_items")
    output = models.ForeignKey(Output, on_delete=models.CASCADE)
    reference = models.ForeignKey(Reference, on_delete=models.CASCADE, null=True)
    key = models.JSONField(null=True)  # part of the kind's Answer

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"practice of {self.task_id}"


class Control(models.TextChoices):
    """What a control item is there for; “” is none."""

    NONE = ""
    GOLD = "gold"  # the right answer is known
    REPEAT = "repeat"  # the same again
    DEGRADED = "degraded"  # made worse on purpose
    ATTENTION = "attention"  # says itself what to answer


WITH_ORIGINAL = frozenset({Control.REPEAT, Control.DEGRADED})  # go to whoever judges the output as it is, too


class ControlItem(models.Model):
    """An output to control assessors with, as it is or with another text; ``expect`` says what a careful one answers."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="control_items")
    type = models.CharField(max_length=10, choices=Control.choices)
    output = models.ForeignKey(Output, on_delete=models.CASCADE)
    reference = models.ForeignKey(Reference, on_delete=models.CASCADE, null=True)
    text = models.TextField(blank=True)  # in place of the output's; empty: the output's own
    units = models.JSONField(default=list)
    units_given = models.BooleanField(default=False)
    expect = models.JSONField(null=True)
    made = models.BooleanField(default=False)  # by the program, as ``checks`` of the study ask for

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.type} of {self.task_id}"


class Question(Material):
    """A question about a story, imported for cross comprehension, with the answer that its author expects."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="questions")
    author = models.CharField(max_length=200)
    question = models.TextField()
    answer = models.TextField()

    def __str__(self) -> str:
        return f"{self.author} on {self.document_id}"


class ContentUnit(Material):
    """A unit of content that the study file brings along: of a reference, or of an item a nugget or a unit of its pyramid."""

    key = models.CharField(max_length=200)
    reference = models.ForeignKey(Reference, on_delete=models.CASCADE, null=True)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True)
    text = models.TextField()
    status = models.CharField(max_length=10, blank=True)
    comment = models.TextField(blank=True)
    contributors = models.JSONField(default=list)  # as ContributorRow has them

    def __str__(self) -> str:
        return self.key


class MetricScore(Material):
    """A score computed elsewhere, from the study file's ``metric_scores``."""

    metric = models.CharField(max_length=200)
    system = models.CharField(max_length=200)
    item = models.CharField(max_length=200, blank=True)
    score = models.FloatField(null=True)  # empty where the metric is undefined
    higher_is_better = models.BooleanField(default=True)

    class Meta(Material.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["study", "metric", "system", "item"], name="one_score_per_metric_system_item"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.system} {self.item}"

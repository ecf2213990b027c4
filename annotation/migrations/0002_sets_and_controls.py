"""Sets of outputs, control items, and two places for what a kind notes: what pages may show, and what only the export tells."""

import django.db.models.deletion
from django.db import migrations, models

# What each kind had among its details that no page may show.
NOTED = {
    "relevance": ("kind", "topic", "gold"),
    "cross_comprehension": ("summary_author", "question_author", "number"),
}
BATCH = 500


def details_split(apps, schema_editor):
    Subject = apps.get_model("annotation", "Subject")
    for kind, names in NOTED.items():
        rows = Subject.objects.filter(task__kind=kind).exclude(shown={}).only("pk", "shown", "noted")
        batch = []
        for subject in rows.iterator(chunk_size=BATCH):
            subject.noted = {name: subject.shown[name] for name in names if name in subject.shown}
            subject.shown = {name: value for name, value in subject.shown.items() if name not in names}
            if kind == "relevance":
                subject.shown["full"] = subject.noted["kind"] == "full"
            batch.append(subject)
            if len(batch) == BATCH:
                Subject.objects.bulk_update(batch, ["shown", "noted"])
                batch = []
        Subject.objects.bulk_update(batch, ["shown", "noted"])


def details_join(apps, schema_editor):
    Subject = apps.get_model("annotation", "Subject")
    for subject in Subject.objects.exclude(noted={}).iterator(chunk_size=BATCH):
        shown = {name: value for name, value in subject.shown.items() if name != "full"}
        Subject.objects.filter(pk=subject.pk).update(shown=shown | subject.noted)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ControlItem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("", "None"),
                            ("gold", "Gold"),
                            ("repeat", "Repeat"),
                            ("degraded", "Degraded"),
                            ("attention", "Attention"),
                        ],
                        max_length=10,
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("units", models.JSONField(default=list)),
                ("units_given", models.BooleanField(default=False)),
                ("expect", models.JSONField(null=True)),
                (
                    "output",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="annotation.output"),
                ),
                (
                    "reference",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, to="annotation.reference"
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="control_items",
                        to="annotation.task",
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.RenameField(model_name="subject", old_name="details", new_name="shown"),
        migrations.AddField(model_name="subject", name="noted", field=models.JSONField(default=dict)),
        migrations.AddField(
            model_name="subject",
            name="set_id",
            field=models.CharField(blank=True, max_length=20, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="subject",
            name="control_item",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, to="annotation.controlitem"
            ),
        ),
        migrations.CreateModel(
            name="SetMember",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("index", models.PositiveSmallIntegerField()),
                (
                    "output",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="annotation.output"),
                ),
                (
                    "subject",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="members",
                        to="annotation.subject",
                    ),
                ),
            ],
            options={"ordering": ["index", "id"]},
        ),
        migrations.AddConstraint(
            model_name="setmember",
            constraint=models.UniqueConstraint(fields=("subject", "output"), name="an_output_once_per_set"),
        ),
        migrations.RemoveField(model_name="assignment", name="details"),
        migrations.AddField(model_name="assignment", name="places", field=models.JSONField(default=list)),
        migrations.RunPython(details_split, details_join, elidable=False),
    ]

"""How far people differ on a piece is kept once, by the queue of disagreement. What the monitor had kept is made anew by the worker."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def forget(apps: Any, schema_editor: Any) -> None:
    apps.get_model("annotation", "Monitor").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0018_discussion")]

    operations = [
        migrations.DeleteModel(name="MonitorPiece"),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]

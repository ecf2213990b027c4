"""What a study is built of in the browser, before it is a whole one."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study


class TextTable(models.Model):
    """The table that the texts of a draft come from: as it was sent, what its columns are, and what that comes to."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="text_table")
    cells = (
        models.BinaryField()
    )  # annotation.tables.Grid, as packed JSON: tens of thousands of rows are one write
    roles = models.JSONField()  # one for each column
    summary = models.JSONField()  # annotation.selectors.building.summary_of
    version = models.PositiveIntegerField(
        default=1
    )  # two may be at it: a change names the version that it saw
    used_version = models.PositiveIntegerField(default=0)  # the one that the study's texts were last made of

    def __str__(self) -> str:
        return f"texts of {self.study_id}"

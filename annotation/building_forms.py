"""What experimenters type and send while they build a study. The rules are the services' business."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.forms import too_large
from annotation.study_files.draft import language_tag

ENDINGS = ".csv,.tsv,.xlsx,.json,.jsonl,.txt,.zip"


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several."""

    widget = SeveralFiles(attrs={"accept": ENDINGS})

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(one, initial) for one in data or [] if one]


class TableForm(forms.Form):
    """A table of texts, uploaded or pasted."""

    tables = FilesField(
        label="Files",
        required=False,
        help_text="CSV, TSV, XLSX, JSON, JSONL, or a text file with one text per line; one table, or a file for each system.",
        error_messages={"empty": "The file is empty."},
    )
    pasted = forms.CharField(
        label="Or paste cells from a spreadsheet",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text="With the names of the columns in the first row, if there are any.",
    )

    def __init__(self, *args: Any, limit: int, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.limit = limit

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        files, pasted = cleaned.get("tables") or [], (cleaned.get("pasted") or "").strip()
        if self.errors:
            return cleaned
        if not files and not pasted:
            self.add_error("tables", "Choose a file, or paste your table below.")
        elif files and pasted:
            self.add_error("pasted", "Give either files or pasted cells, not both.")
        elif (size := sum(file.size for file in files)) > self.limit:
            self.add_error("tables", too_large(size, self.limit))
        return cleaned

    def contents(self) -> list[tuple[str, bytes]]:
        """Name and bytes of each file; what was pasted has no name."""
        files = self.cleaned_data["tables"]
        if files:
            return [(file.name, file.read()) for file in files]
        return [("", self.cleaned_data["pasted"].encode())]


class NewStudyForm(TableForm):
    name = forms.CharField(
        label="Name of the study",
        max_length=200,
        required=False,  # a study file has its own
        help_text="Assessors read it. It can be changed later.",
    )
    language = forms.CharField(
        label="Language of the texts",
        initial="en",
        max_length=35,
        help_text="A tag such as en, de or pt-BR. It decides how texts are cut into sentences.",
    )
    field_order = ("name", "language", "tables", "pasted")

    def clean_name(self) -> str:
        name = " ".join(self.cleaned_data["name"].split())
        if not name.isprintable():
            raise forms.ValidationError("The name holds a sign that cannot be printed.")
        return name

    def clean_language(self) -> str:
        try:
            return language_tag(self.cleaned_data["language"].strip())
        except ValueError as error:
            raise forms.ValidationError(f"This {error}.") from None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("name") and "name" not in self.errors and not self.is_study_file():
            self.add_error("name", "Give the study a name.")
        return cleaned

    def is_study_file(self) -> bool:
        files = self.cleaned_data.get("tables") or []
        return len(files) == 1 and files[0].name.lower().endswith(".zip")

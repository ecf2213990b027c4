"""What experimenters type and send. Rules of a study are the services' business; here are only the fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone

from annotation.account_forms import PasswordForm
from annotation.joining import OUTCOMES, JoinRules
from annotation.models import ApiToken, Assessor, Study
from annotation.study_files.schema import AssessorRow
from annotation.words import phrase, phrase_lazy

LONGEST_ADDRESS = 254  # as the table has room for
WITH_ADDRESS = re.compile(r"(.*\S)\s*<([^<>\s]+@[^<>\s]+)>")


class StudyUploadForm(forms.Form):
    file = forms.FileField(
        label=phrase_lazy("Study file"),
        help_text=phrase_lazy("A zip with study.yaml and its materials."),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
        error_messages={
            "required": phrase_lazy("Choose a file first."),
            "empty": phrase_lazy("The file is empty."),
        },
    )
    replace = forms.BooleanField(
        label=phrase_lazy("Replace my study with the same slug, if nobody has judged it"), required=False
    )

    def __init__(self, *args: Any, limit: int, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.limit = limit

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > self.limit:
            raise forms.ValidationError(too_large(file.size, self.limit))
        return file


def too_large(size: int, limit: int) -> str:
    return phrase(
        "The file has {size} MB; a study file may have {limit} MB. A larger one can be imported on "
        "the server: {manage_command} import_study PATH.",
        size=f"{size / 1024**2:,.0f}",
        limit=limit // 1024**2,
        manage_command=settings.MANAGE_COMMAND,
    )


class AssessorsForm(forms.Form):
    names = forms.CharField(
        label=phrase_lazy("Names"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=phrase_lazy(
            "One per line, with a mail address after it if links are to be mailed: Ada "
            "<ada@example.org>. Assessors appear under a pseudonym in exports."
        ),
        error_messages={"required": phrase_lazy("Write at least one name.")},
    )
    group = forms.CharField(
        label=phrase_lazy("Group"),
        required=False,
        max_length=80,
        help_text=phrase_lazy("For designs with groups."),
    )
    author = forms.CharField(
        label=phrase_lazy("Author id"),
        required=False,
        max_length=200,
        help_text=phrase_lazy(
            "If this person wrote some of the texts: the id of the author in the study file. Nobody "
            "judges an output of their own."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.emails: dict[str, str] = {}  # by name

    def clean_names(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["names"].splitlines() if line.strip()]
        names = []
        for line in lines:
            found = WITH_ADDRESS.fullmatch(line)
            names.append(found[1] if found else line)
            if found:
                self.emails[found[1]] = forms.EmailField(max_length=LONGEST_ADDRESS).clean(found[2])
        longest = AssessorRow.model_fields["name"].metadata[-1].max_length
        if any(len(name) > longest for name in names):
            raise forms.ValidationError(phrase("A name may have {longest} letters.", longest=longest))
        if len(set(names)) < len(names):
            raise forms.ValidationError(phrase("A name is there twice."))
        return names

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("author") and len(cleaned.get("names", [])) > 1:
            self.add_error("author", phrase("Several people cannot be the same author: add this one alone."))
        return cleaned


class ExclusionForm(forms.Form):
    what = forms.ChoiceField(
        label=phrase_lazy("Leave out"),
        choices=[
            ("assessor", phrase_lazy("a person: all that they have judged")),
            ("judgment", phrase_lazy("one judgment")),
            ("item", phrase_lazy("an item: whatever was judged of it")),
            ("task", phrase_lazy("a task as a whole")),
        ],
    )
    name = forms.CharField(
        label=phrase_lazy("Which one"),
        max_length=220,
        help_text=phrase_lazy(
            "A person’s name or pseudonym; the id of a document or topic; the name of a task. One "
            "judgment is person/place, such as A03/17: the columns assessor and position of the export."
        ),
        error_messages={"required": phrase_lazy("Say which one.")},
    )
    reason = forms.CharField(
        label=phrase_lazy("Reason"),
        max_length=500,
        help_text=phrase_lazy("It stands in the report and in the export."),
        error_messages={
            "required": phrase_lazy("Say why: the reason stands in the report and in the export.")
        },
    )


class DisagreementForm(forms.Form):
    by = forms.ChoiceField(
        label=phrase_lazy("Disagreement is"),
        choices=[
            ("spread", phrase_lazy("how far two people are apart, as a share of the scale")),
            ("alpha", phrase_lazy("what a piece adds to α: 1 is chance")),
        ],
    )
    threshold = forms.FloatField(
        label=phrase_lazy("From"),
        required=False,
        min_value=0.01,
        max_value=100,
        help_text=phrase_lazy("Empty: what is usual for each task."),
    )


class AdjudicatorsForm(forms.Form):
    names = forms.CharField(
        label=phrase_lazy("Names"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=phrase_lazy(
            "One a line. Somebody who judged nothing in this study: they see what others judged."
        ),
        error_messages={"required": phrase_lazy("Write at least one name.")},
    )

    def clean_names(self) -> list[str]:
        names = [" ".join(line.split()) for line in self.cleaned_data["names"].splitlines()]
        found = list(dict.fromkeys(name for name in names if name))
        if not found:
            raise forms.ValidationError(phrase("Write at least one name."))
        return found


class GiveForm(forms.Form):
    adjudicator = forms.IntegerField(min_value=1)


class ReplyForm(forms.Form):
    asks_about_names = False  # whether a system is named, and whoever writes must say that it is meant
    comment = forms.CharField(
        label=phrase_lazy("Answer"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 2}),
        error_messages={"required": phrase_lazy("Write a few words first.")},
    )
    names = forms.BooleanField(label=phrase_lazy("Send it all the same"), required=False)


class CapForm(forms.Form):
    judgments = forms.IntegerField(
        label=phrase_lazy("Judgments at most"),
        required=False,
        min_value=1,
        max_value=100_000,
        help_text=phrase_lazy("Empty: no cap."),
    )


class EmailForm(forms.Form):
    email = forms.EmailField(label=phrase_lazy("Mail address"), required=False, max_length=LONGEST_ADDRESS)


class EraseForm(forms.Form):
    judgments = forms.ChoiceField(
        label=phrase_lazy("Their judgments"),
        choices=[
            ("erase", phrase_lazy("go; others judge again")),
            ("keep", phrase_lazy("stay, without any trace of who made them")),
        ],
    )
    name = forms.CharField(label=phrase_lazy("Type the name to erase it"), max_length=120)

    def __init__(self, *args: Any, assessor: Assessor, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.assessor = assessor

    def clean_name(self) -> str:
        if self.cleaned_data["name"].strip() != self.assessor.name:
            raise forms.ValidationError(
                phrase("This is not the name. It is “{name}”.", name=self.assessor.name)
            )
        return self.cleaned_data["name"]


class JoinForm(forms.Form):
    is_open = forms.BooleanField(label=phrase_lazy("People can join"), required=False)
    cap = forms.IntegerField(
        label=phrase_lazy("Places in all"),
        required=False,
        min_value=1,
        help_text=phrase_lazy("Empty: no cap."),
    )
    load = forms.IntegerField(
        label=phrase_lazy("Judgments for each"),
        required=False,
        min_value=1,
        help_text=phrase_lazy("Empty: as many as there are."),
    )
    opens_at = forms.DateTimeField(
        label=phrase_lazy("Opens at"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=phrase_lazy("In the server’s time. Empty: at once."),
    )
    groups = forms.CharField(
        label=phrase_lazy("Groups and their places"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=phrase_lazy(
            "One per line, such as “native: 20”. Whoever comes is put where the largest share is free."
        ),
    )
    parameters = forms.CharField(
        label=phrase_lazy("Parameters to keep"),
        required=False,
        help_text=phrase_lazy(
            "Names in the address of a panel, such as PROLIFIC_PID STUDY_ID SESSION_ID. The first says "
            "who somebody is: the same person finds the same place."
        ),
    )
    finished_url = forms.CharField(
        label=phrase_lazy("At the end: finished, address"),
        required=False,
        max_length=1000,
        help_text=phrase_lazy(
            "Where they go back to; {PROLIFIC_PID} stands for a parameter, {code} for their own code."
        ),
    )
    finished_code = forms.CharField(
        label=phrase_lazy("At the end: finished, code"),
        required=False,
        max_length=100,
        help_text=phrase_lazy("Empty: a code of their own."),
    )
    failed_url = forms.CharField(
        label=phrase_lazy("Failed the checks, address"), required=False, max_length=1000
    )
    failed_code = forms.CharField(
        label=phrase_lazy("Failed the checks, code"), required=False, max_length=100
    )
    no_work_url = forms.CharField(label=phrase_lazy("No work left, address"), required=False, max_length=1000)
    no_work_code = forms.CharField(label=phrase_lazy("No work left, code"), required=False, max_length=100)

    @classmethod
    def of(cls, rules: JoinRules | None = None, is_open: bool = True) -> JoinForm:
        """The form as the rules are now."""
        rules = rules or JoinRules()
        initial: dict[str, Any] = {
            "is_open": is_open,
            "cap": rules.cap,
            "load": rules.load,
            "opens_at": timezone.localtime(rules.opens_at) if rules.opens_at else None,
            "groups": "\n".join(f"{one.group}: {one.places}" for one in rules.groups),
            "parameters": " ".join(rules.parameters),
        }
        for name in OUTCOMES:
            given = getattr(rules, name)
            initial |= {f"{name}_url": given.url, f"{name}_code": given.code}
        return cls(initial=initial)

    def clean_groups(self) -> list[dict[str, Any]]:
        found = []
        for line in filter(None, (line.strip() for line in self.cleaned_data["groups"].splitlines())):
            name, _, places = line.rpartition(":")
            if not name.strip() or not places.strip().isdecimal() or len(places) > 20:
                raise forms.ValidationError(
                    phrase("“{line}” is no group with its places, such as “native: 20”.", line=line[:60])
                )
            found.append({"group": name.strip(), "places": int(places)})
        return found

    def rules(self) -> dict[str, Any]:
        """As ``JoinRules`` wants them."""
        given = self.cleaned_data
        plain = {name: given[name] for name in ("cap", "load", "opens_at")}
        outcomes = {name: {"url": given[f"{name}_url"], "code": given[f"{name}_code"]} for name in OUTCOMES}
        names = given["parameters"].replace(",", " ").split()
        return {**plain, "groups": given["groups"], "parameters": names, **outcomes}


class MailForm(forms.Form):
    who = forms.ChoiceField(
        label=phrase_lazy("To"),
        choices=[
            ("new", phrase_lazy("those who have no link yet")),
            ("slow", phrase_lazy("those who have a link and work to do, and were not here lately")),
            ("all", phrase_lazy("everybody with a mail address")),
        ],
    )
    days = forms.IntegerField(
        label=phrase_lazy("Not here for so many days"), initial=3, min_value=0, max_value=365, required=False
    )
    subject = forms.CharField(label=phrase_lazy("Subject"), max_length=200)
    body = forms.CharField(
        label=phrase_lazy("Text"), widget=forms.Textarea(attrs={"rows": 12}), max_length=10_000
    )


class TokenForm(PasswordForm):
    """A token is a way in that outlives the browser in which it was made."""

    name = forms.CharField(
        label=phrase_lazy("Name of a new token"),
        max_length=80,
        help_text=phrase_lazy("What it is for, such as the program that will use it."),
        error_messages={"required": phrase_lazy("Give the token a name.")},
    )
    scope = forms.ChoiceField(
        label=phrase_lazy("It may"),
        required=False,
        choices=[
            (ApiToken.Scope.WRITE, phrase_lazy("read and change")),
            (ApiToken.Scope.READ, phrase_lazy("only read")),
        ],
    )
    days = forms.TypedChoiceField(
        label=phrase_lazy("It ends"),
        required=False,
        coerce=int,
        empty_value=365,  # type: ignore[arg-type]
        choices=[
            (365, phrase_lazy("after a year")),
            (90, phrase_lazy("after 90 days")),
            (30, phrase_lazy("after 30 days")),
            (0, phrase_lazy("never")),
        ],
    )
    field_order = ("name", "scope", "days", "password")


class UnitsForm(forms.Form):
    units = forms.CharField(
        label=phrase_lazy("Units, one per line"),
        widget=forms.Textarea(attrs={"rows": 16, "class": "reading", "spellcheck": "false"}),
        strip=False,
        error_messages={"required": phrase_lazy("The units together must be the same text as before.")},
    )

    def clean_units(self) -> list[str]:
        return self.cleaned_data["units"].splitlines()


class DetailsForm(forms.Form):
    name = forms.CharField(label=phrase_lazy("Name"), max_length=200)
    contact = forms.CharField(
        label=phrase_lazy("Contact"),
        max_length=200,
        required=False,
        help_text=phrase_lazy("Assessors read it under every page of words."),
    )
    deadline_at = forms.DateTimeField(
        label=phrase_lazy("Deadline"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=phrase_lazy(
            "In the server’s time. After it nothing more is handed out; what is on a screen can still be "
            "sent."
        ),
        error_messages={"invalid": phrase_lazy("Write a day and a time, such as 2027-03-01 18:00.")},
    )


class TextsForm(forms.Form):
    instructions = forms.CharField(
        label=phrase_lazy("Instructions"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text=phrase_lazy("Markdown."),
    )
    consent = forms.CharField(
        label=phrase_lazy("Consent"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=phrase_lazy("Markdown. Empty: none is asked for. A changed consent is asked for again."),
    )


class PauseForm(forms.Form):
    message = forms.CharField(
        label=phrase_lazy("What assessors read meanwhile"),
        max_length=500,
        required=False,
        help_text=phrase_lazy("Such as when it goes on."),
    )


class OverlapForm(forms.Form):
    to = forms.IntegerField(label=phrase_lazy("Judgments of each piece"), min_value=1, max_value=1000)
    task = forms.ChoiceField(label=phrase_lazy("Of"), required=False)

    def __init__(self, *args: Any, tasks: Sequence[str], **kwargs: Any):
        super().__init__(*args, **kwargs)
        field = self.fields["task"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", phrase("all tasks without a design of their own")),
            *((name, name) for name in tasks),
        ]


class WaveForm(forms.Form):
    file = forms.FileField(
        label=phrase_lazy("Study file"),
        help_text=phrase_lazy(
            "A zip with study.yaml. What the study has already must be the same in it; what is new is added."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
        error_messages={
            "required": phrase_lazy("Choose a file first."),
            "empty": phrase_lazy("The file is empty."),
        },
    )


class DuplicateForm(forms.Form):
    name = forms.CharField(label=phrase_lazy("Name of the copy"), max_length=200)
    slug = forms.CharField(label=phrase_lazy("Its slug"), max_length=80)
    people = forms.BooleanField(
        label=phrase_lazy("With the same people (who need new links)"), required=False
    )


class RenameForm(forms.Form):
    slug = forms.CharField(
        label=phrase_lazy("Slug"),
        max_length=80,
        help_text=phrase_lazy("Part of addresses and exports. Old addresses lead on to the new ones."),
    )


class StudyDeleteForm(forms.Form):
    name = forms.CharField(label=phrase_lazy("Type the name of the study to delete it"), max_length=200)

    def __init__(self, *args: Any, study: Study, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.study = study

    def clean_name(self) -> str:
        if self.cleaned_data["name"].strip() != self.study.name.strip():
            raise forms.ValidationError(phrase("This is not the name. It is “{name}”.", name=self.study.name))
        return self.cleaned_data["name"]

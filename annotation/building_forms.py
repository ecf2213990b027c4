"""What experimenters type and send while they build a study. The rules are the services' business."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms

from annotation.checks import KNOWN_ANSWERS, MOST, Checks
from annotation.forms import too_large
from annotation.languages import language_tag, optional_language_tag
from annotation.words import phrase, phrase_lazy

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
        label=phrase_lazy("Files"),
        required=False,
        help_text=phrase_lazy(
            "CSV, TSV, XLSX, JSON, JSONL, or a text file with one text per line; one table, or a file "
            "for each system."
        ),
        error_messages={"empty": phrase_lazy("The file is empty.")},
    )
    pasted = forms.CharField(
        label=phrase_lazy("Or paste cells from a spreadsheet"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=phrase_lazy("With the names of the columns in the first row, if there are any."),
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
            self.add_error("tables", phrase("Choose a file, or paste your table below."))
        elif files and pasted:
            self.add_error("pasted", phrase("Give either files or pasted cells, not both."))
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
        label=phrase_lazy("Name of the study"),
        max_length=200,
        required=False,  # a study file has its own
        help_text=phrase_lazy("Assessors read it. It can be changed later."),
    )
    language = forms.CharField(
        label=phrase_lazy("Language of the texts"),
        initial="en",
        max_length=35,
        help_text=phrase_lazy("A tag such as en, de or pt-BR. It decides how texts are cut into sentences."),
    )
    source_language = forms.CharField(
        label=phrase_lazy("Language of the sources, if another"),
        required=False,
        max_length=35,
        help_text=phrase_lazy("For translations, such as de. Empty: the same."),
    )
    field_order = ("name", "language", "source_language", "tables", "pasted")

    def clean_name(self) -> str:
        return _line(self.cleaned_data["name"])

    def clean_language(self) -> str:
        return _tag(language_tag, self.cleaned_data["language"])

    def clean_source_language(self) -> str:
        return _tag(optional_language_tag, self.cleaned_data["source_language"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("name") and "name" not in self.errors and not self.is_study_file():
            self.add_error("name", phrase("Give the study a name."))
        return cleaned

    def is_study_file(self) -> bool:
        files = self.cleaned_data.get("tables") or []
        return len(files) == 1 and files[0].name.lower().endswith(".zip")


CONSENT = """## What this is about

We study how good texts are that computer systems have written. You will read texts and answer questions about them.

## What happens with your answers

Your answers are stored under a pseudonym and used for research. Published results do not show who gave which answer; the
answers themselves may be published, without your name.

## Your rights

Taking part is voluntary. You can stop at any time, without giving a reason, and have your answers deleted. If you have
questions, write to us: the address is on this page.

By going on you say that you have read this, that you are at least 18 years old, and that you want to take part.
"""


class WordsForm(forms.Form):
    """What assessors read before they begin."""

    name = forms.CharField(label=phrase_lazy("Name of the study"), max_length=200)
    contact = forms.CharField(
        label=phrase_lazy("Contact"),
        max_length=200,
        required=False,
        help_text=phrase_lazy("One line: whom assessors can ask."),
    )
    instructions = forms.CharField(
        label=phrase_lazy("Instructions"),
        required=False,
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "true"}),
        help_text=phrase_lazy(
            "Markdown: # heading, **bold**, - list. Assessors read them first, and can look again at any "
            "time."
        ),
    )
    consent = forms.CharField(
        label=phrase_lazy("Consent"),
        required=False,
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "true"}),
        help_text=phrase_lazy("Markdown. If there is some, assessors must agree before they begin."),
    )

    def clean_name(self) -> str:
        return _line(self.cleaned_data["name"])

    def clean_contact(self) -> str:
        return _line(self.cleaned_data["contact"])

    def clean_instructions(self) -> str:
        return _lines(self.cleaned_data["instructions"])

    def clean_consent(self) -> str:
        return _lines(self.cleaned_data["consent"])


def _tag(checked: Callable[[str], str], given: str) -> str:
    try:
        return checked(given.strip())
    except ValueError as error:
        raise forms.ValidationError(phrase("This {error}.", error=error)) from None


def _line(text: str) -> str:
    line = " ".join(text.split())
    if not line.isprintable():
        raise forms.ValidationError(phrase("This holds a sign that cannot be printed."))
    return line


def _lines(text: str) -> str:
    """As a study file would hold it: line feeds alone, one at the end."""
    lines = text.replace("\r\n", "\n").strip()
    return f"{lines}\n" if lines else ""


ORDERS = (
    ("random", phrase_lazy("at random, in an order of their own; everybody meets each system equally often")),
    ("blocked", phrase_lazy("document by document: whoever has read one judges every system on it")),
    (
        "latin-square",
        phrase_lazy("nobody meets a document twice, and everybody meets each system equally often"),
    ),
    ("fixed", phrase_lazy("in the order of the table, in turns")),
    ("model-author", phrase_lazy("whoever wrote the model judges it, as in DUC")),
)


class DesignForm(forms.Form):
    assessors_per_item = forms.IntegerField(
        label=phrase_lazy("How many people judge each piece"),
        min_value=1,
        max_value=1000,
        help_text=phrase_lazy("Two or more let agreement be told."),
    )
    order = forms.ChoiceField(label=phrase_lazy("Who gets what"), choices=ORDERS, widget=forms.RadioSelect)
    interleave = forms.BooleanField(
        label=phrase_lazy("In the order of the table, let systems take turns"), required=False
    )
    pool = forms.BooleanField(
        label=phrase_lazy(
            "An open pool: nothing is dealt beforehand, whoever asks gets the piece with the fewest judgments"
        ),
        required=False,
    )


METHODS = (
    ("drop", phrase_lazy("leave words out")),
    ("shuffle", phrase_lazy("put words in another order")),
    ("replace", phrase_lazy("take words from another text on the same document")),
)
CHECKED = (
    ("gold", phrase_lazy("gold: the answer is known")),
    ("attention", phrase_lazy("attention checks")),
    ("repeat", phrase_lazy("repeats: the same answer as the first time")),
    ("degraded", phrase_lazy("texts made worse: a lower grade than the original’s")),
)
ON_FAILURE = (
    ("pause", phrase_lazy("is paused until you let them go on; their work waits")),
    (
        "stop",
        phrase_lazy(
            "is stopped; what is undone goes to others, and the join link’s outcome for failed checks is "
            "theirs"
        ),
    ),
    ("nothing", phrase_lazy("goes on; it is only noted on their page and in the history")),
)


class ChecksForm(forms.Form):
    """Check items in percent of a person's pieces, and what follows for who fails."""

    repeats = forms.FloatField(
        label=phrase_lazy("Repeats, in percent"),
        min_value=0,
        max_value=100 * MOST,
        help_text=phrase_lazy(
            "So much of what somebody judges comes once more, long after: does the person agree with "
            "themselves?"
        ),
    )
    degraded = forms.FloatField(
        label=phrase_lazy("Texts made worse, in percent"),
        min_value=0,
        max_value=100 * MOST,
        help_text=phrase_lazy(
            "So much comes again with its text spoilt: does the person see it? Six and six is usual."
        ),
    )
    methods = forms.MultipleChoiceField(
        label=phrase_lazy("How texts are made worse"),
        choices=METHODS,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": phrase_lazy("Choose at least one way.")},
    )
    warm_up = forms.FloatField(
        label=phrase_lazy("Practice is passed with, in percent of its keys"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=phrase_lazy("Nothing: it need not be passed."),
    )
    tries = forms.IntegerField(label=phrase_lazy("Tries"), required=False, min_value=1, max_value=20)
    agreement = forms.FloatField(
        label=phrase_lazy("Check items are passed with, in percent"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=phrase_lazy("Of what check items of the types below expect. Nothing: no rule."),
    )
    of = forms.MultipleChoiceField(
        label=phrase_lazy("Which check items count for that"),
        choices=CHECKED,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=phrase_lazy(
            "Honest people give the same answer again about every second time on five steps: ask for "
            "less if repeats count."
        ),
    )
    after = forms.IntegerField(
        label=phrase_lazy("Not before so many of them"), required=False, min_value=1, max_value=1000
    )
    on_failure = forms.ChoiceField(
        label=phrase_lazy("Whoever fails"), choices=ON_FAILURE, widget=forms.RadioSelect, required=False
    )
    message = forms.CharField(
        label=phrase_lazy("What they read then"),
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "true"}),
    )

    @staticmethod
    def shown(checks: Checks, *, known: bool) -> dict[str, Any]:
        """What is stored, as the form has it. ``known``: there are items with a known answer, which a new rule would go by."""
        warm_up, agreement = checks.warm_up, checks.agreement
        return {
            "repeats": _percent(checks.repeats),
            "degraded": _percent(checks.degraded),
            "methods": list(checks.methods),
            "warm_up": _percent(warm_up.share) if warm_up else None,
            "tries": warm_up.tries if warm_up else 1,
            "agreement": _percent(agreement.share) if agreement else None,
            "of": list(agreement.of)
            if agreement
            else [name for name, _ in CHECKED if known == (name in KNOWN_ANSWERS)],
            "after": agreement.after if agreement else 3,
            "on_failure": checks.on_failure,
            "message": checks.message,
        }

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if given.get("agreement") and not given.get("of"):
            self.add_error("of", phrase("Choose at least one type, or leave the share empty."))
        return given

    def clean_message(self) -> str:
        return _line(self.cleaned_data["message"])

    def checks(self, stored: Checks) -> dict[str, Any]:
        """What is asked for now; what the form does not ask stays."""
        given = self.cleaned_data
        warm_up, agreement = given["warm_up"], given["agreement"]
        return {
            **stored.model_dump(),
            "repeats": round(given["repeats"] / 100, 6),
            "degraded": round(given["degraded"] / 100, 6),
            "methods": [name for name, _ in METHODS if name in given["methods"]],
            "warm_up": {"share": round(warm_up / 100, 6), "tries": given["tries"] or 1} if warm_up else None,
            "agreement": {
                "share": round(agreement / 100, 6),
                "after": given["after"] or 3,
                "of": [name for name, _ in CHECKED if name in given["of"]],
            }
            if agreement
            else None,
            "on_failure": given["on_failure"] or stored.on_failure,
            "message": given["message"],
        }


def _percent(share: float) -> str:
    """As people type it.

    >>> _percent(0.06), _percent(0.125)
    ('6', '12.5')
    """
    return f"{round(100 * share, 4):g}"


class OutlookForm(forms.Form):
    """What is not known yet, and only assumed: nothing of it is stored."""

    people = forms.IntegerField(
        label=phrase_lazy("If there are so many assessors"), min_value=1, max_value=100_000
    )
    spread = forms.IntegerField(
        label=phrase_lazy("and judgments of one system spread over so many percent of the scale"),
        min_value=1,
        max_value=100,
        help_text=phrase_lazy("One standard deviation. A quarter of the scale is usual."),
    )

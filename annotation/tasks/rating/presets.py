"""The presets of ratings: what a study file gets with ``preset: NAME``."""

from __future__ import annotations

from typing import Any

from annotation.words import gettext_noop as _


def _steps(*labels: str, values: tuple[float, ...]) -> list[dict[str, Any]]:
    return [{"value": value, "label": label} for value, label in zip(values, labels, strict=True)]


ONE_TO_FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)
QUALITY_STEPS = _steps(
    _("very poor"), _("poor"), _("barely acceptable"), _("good"), _("very good"), values=ONE_TO_FIVE
)
A_TO_E = _steps("A", "B", "C", "D", "E", values=(1.0, 0.75, 0.5, 0.25, 0.0))


def _five(name: str, title: str, question: str) -> dict[str, Any]:
    return {"name": name, "title": title, "question": question, "steps": QUALITY_STEPS}


def _letters(name: str, title: str, question: str) -> dict[str, Any]:
    return {"name": name, "title": title, "question": question, "steps": A_TO_E}


PRESETS: dict[str, dict[str, Any]] = {
    "tides": {
        "beside": "reference",
        "criteria": [
            {
                "name": "fluency",
                "title": _("Fluency"),
                "question": _("How good is the language of this text, whatever it says?"),
                "steps": _steps(
                    _("incomprehensible"),
                    _("disfluent"),
                    _("non-native"),
                    _("good"),
                    _("flawless"),
                    values=ONE_TO_FIVE,
                ),
                "alone": True,
            },
            {
                "name": "adequacy",
                "title": _("Adequacy"),
                "question": _("How much of the reference’s meaning does this text express?"),
                "steps": _steps(_("none"), _("little"), _("much"), _("most"), _("all"), values=ONE_TO_FIVE),
            },
        ],
    },
    "duc2004": {
        "beside": "nothing",
        "guideline": _("A is the best answer to each question and E the worst."),
        "criteria": [
            _letters(
                "build-up",
                _("Build-up"),
                _("Does the text build from sentence to sentence into a coherent whole?"),
            ),
            _letters(
                "useless-text",
                _("Useless text"),
                _("How little useless, confusing or repetitive text is there to cut?"),
            ),
            _letters("repetition", _("Repetition"), _("How free is the text of things said again?")),
            _letters(
                "referents", _("Referents"), _("How clear is it who or what nouns and pronouns stand for?")
            ),
            _letters(
                "over-explicit",
                _("Over-explicit mentions"),
                _("How rarely are people and things named again in full where a short mention would do?"),
            ),
            _letters(
                "grammaticality", _("Grammaticality"), _("How free is the text of ungrammatical sentences?")
            ),
            _letters(
                "formatting",
                _("Formatting"),
                _("How free is the text of datelines, stray capitals and other formatting faults?"),
            ),
        ],
    },
    "duc2005": {
        "beside": "nothing",
        "criteria": [
            _five(
                "grammaticality",
                _("Grammaticality"),
                _("No datelines, formatting faults or ungrammatical sentences that make it hard to read."),
            ),
            _five(
                "non-redundancy",
                _("Non-redundancy"),
                _("Nothing is repeated without need: no sentences, facts or full names."),
            ),
            _five(
                "referential-clarity",
                _("Referential clarity"),
                _("It is easy to tell who or what each pronoun and noun stands for."),
            ),
            _five("focus", _("Focus"), _("Every sentence bears on the rest of the text.")),
            _five(
                "structure-coherence",
                _("Structure and coherence"),
                _("The text is well organised: a body of information, not a heap."),
            ),
        ],
    },
    "summeval": {
        "beside": "source",
        "criteria": [
            _five("coherence", _("Coherence"), _("Do all sentences together make a well-structured whole?")),
            _five("consistency", _("Consistency"), _("Does the text say only what the source says?")),
            _five("fluency", _("Fluency"), _("Is each sentence well written and free of faults?")),
            _five(
                "relevance", _("Relevance"), _("Is it the important content of the source, and nothing else?")
            ),
        ],
    },
    "qa-correctness": {
        "beside": "question",
        "guideline": _(
            "A flooded answer, the right content with unrelated text around it, is only somehow related."
        ),
        "criteria": [
            {
                "name": "correctness",
                "title": _("Correctness"),
                "question": _("Does the text answer the question?"),
                "steps": _steps(_("wrong"), _("somehow related"), _("correct"), values=(0.0, 0.5, 1.0)),
            }
        ],
    },
    "direct-assessment": {
        "beside": "reference",
        "criteria": [
            {
                "name": "adequacy",
                "title": _("Adequacy"),
                "question": _("How well does this text express the meaning of the text beside it?"),
                "slider": {"low": 0, "high": 100, "low_label": _("not at all"), "high_label": _("perfectly")},
            }
        ],
    },
}

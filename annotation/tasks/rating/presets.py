"""The presets of ratings: what a study file gets with ``preset: NAME``."""

from __future__ import annotations

from typing import Any


def _steps(*labels: str, values: tuple[float, ...]) -> list[dict[str, Any]]:
    return [{"value": value, "label": label} for value, label in zip(values, labels, strict=True)]


ONE_TO_FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)
QUALITY_STEPS = _steps("very poor", "poor", "barely acceptable", "good", "very good", values=ONE_TO_FIVE)
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
                "title": "Fluency",
                "question": "How good is the language of this text, whatever it says?",
                "steps": _steps(
                    "incomprehensible", "disfluent", "non-native", "good", "flawless", values=ONE_TO_FIVE
                ),
                "alone": True,
            },
            {
                "name": "adequacy",
                "title": "Adequacy",
                "question": "How much of the reference’s meaning does this text express?",
                "steps": _steps("none", "little", "much", "most", "all", values=ONE_TO_FIVE),
            },
        ],
    },
    "duc2004": {
        "beside": "nothing",
        "guideline": "A is the best answer to each question and E the worst.",
        "criteria": [
            _letters(
                "build-up", "Build-up", "Does the text build from sentence to sentence into a coherent whole?"
            ),
            _letters(
                "useless-text",
                "Useless text",
                "How little useless, confusing or repetitive text is there to cut?",
            ),
            _letters("repetition", "Repetition", "How free is the text of things said again?"),
            _letters("referents", "Referents", "How clear is it who or what nouns and pronouns stand for?"),
            _letters(
                "over-explicit",
                "Over-explicit mentions",
                "How rarely are people and things named again in full where a short mention would do?",
            ),
            _letters("grammaticality", "Grammaticality", "How free is the text of ungrammatical sentences?"),
            _letters(
                "formatting",
                "Formatting",
                "How free is the text of datelines, stray capitals and other formatting faults?",
            ),
        ],
    },
    "duc2005": {
        "beside": "nothing",
        "criteria": [
            _five(
                "grammaticality",
                "Grammaticality",
                "No datelines, formatting faults or ungrammatical sentences that make it hard to read.",
            ),
            _five(
                "non-redundancy",
                "Non-redundancy",
                "Nothing is repeated without need: no sentences, facts or full names.",
            ),
            _five(
                "referential-clarity",
                "Referential clarity",
                "It is easy to tell who or what each pronoun and noun stands for.",
            ),
            _five("focus", "Focus", "Every sentence bears on the rest of the text."),
            _five(
                "structure-coherence",
                "Structure and coherence",
                "The text is well organised: a body of information, not a heap.",
            ),
        ],
    },
    "summeval": {
        "beside": "source",
        "criteria": [
            _five("coherence", "Coherence", "Do all sentences together make a well-structured whole?"),
            _five("consistency", "Consistency", "Does the text say only what the source says?"),
            _five("fluency", "Fluency", "Is each sentence well written and free of faults?"),
            _five("relevance", "Relevance", "Is it the important content of the source, and nothing else?"),
        ],
    },
    "qa-correctness": {
        "beside": "question",
        "guideline": "A flooded answer, the right content with unrelated text around it, is only somehow related.",
        "criteria": [
            {
                "name": "correctness",
                "title": "Correctness",
                "question": "Does the text answer the question?",
                "steps": _steps("wrong", "somehow related", "correct", values=(0.0, 0.5, 1.0)),
            }
        ],
    },
    "direct-assessment": {
        "beside": "reference",
        "criteria": [
            {
                "name": "adequacy",
                "title": "Adequacy",
                "question": "How well does this text express the meaning of the text beside it?",
                "slider": {"low": 0, "high": 100, "low_label": "not at all", "high_label": "perfectly"},
            }
        ],
    },
}

"""A made study: four systems that keep more or less of six reference texts, and two assessors with scales of their own."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from metrics.report import Options, build_report
from tests.metrics.human.rows import table

SYSTEMS = ["best", "good", "fair", "poor", "none"]
ITEMS = [f"d{k}" for k in range(8)]
WORDS = [
    "river",
    "bridge",
    "council",
    "engineer",
    "morning",
    "repair",
    "storm",
    "market",
    "farmer",
    "harvest",
    "price",
    "winter",
    "school",
    "teacher",
    "window",
    "garden",
    "letter",
    "station",
    "train",
    "ticket",
    "harbour",
    "vessel",
    "captain",
    "island",
    "forest",
    "hunter",
    "village",
    "doctor",
    "patient",
    "hospital",
    "museum",
    "painter",
    "statue",
    "visitor",
    "festival",
    "singer",
    "stadium",
    "player",
    "season",
    "victory",
    "lawyer",
    "court",
    "verdict",
    "witness",
]

METRICS = [
    "rouge-1-f",
    "rouge-2-stem-r",
    "bleu",
    "wer",
    "chrf",
    *(f"aev-{alpha}-[1-4]-porter-stop" for alpha in ("0", "0.5", "1")),
]


def judgments() -> pd.DataFrame:
    """Marks from 1 to 5 for adequacy and fluency; a2 is one mark stricter wherever the scale allows it.

    Beside them there is practice, a repeated item, an attention check, and one judgment that was revised.
    """
    rng = np.random.default_rng(41)
    rows = []
    for place, system in enumerate(SYSTEMS):
        for item in ITEMS:
            for criterion in ("adequacy", "fluency"):
                mark = int(np.clip(round(4.4 - 0.9 * place + rng.normal(scale=0.6)), 1, 5))
                for assessor, value in (("a1", mark), ("a2", max(1, mark - 1))):
                    rows.append(_row(assessor, system, item, criterion, value, len(rows) // 4 + 1))
    rows += [
        _row("a1", "good", "d0", criterion, 3, 900, control="repeat") for criterion in ("adequacy", "fluency")
    ]
    rows += [
        _row("a1", "", "", "adequacy", 1, 901, control="attention"),
        _row("a2", "fair", "d1", "adequacy", 2, 902, practice=True),
    ]
    rows += [row | {"value": 6 - row["value"], "revision": 2} for row in (rows[0], rows[2])]
    rows.append(rows[1] | {"criterion": "remark", "value": None, "label": "wordy"})
    return table(rows, study="made", task="marks", kind="rating")


def _row(assessor, system, item, criterion, value, position, **more):
    seconds = 10.0 + 2 * position if assessor == "a1" else 30.0
    return {
        "assessor": assessor,
        "system": system,
        "document": item,
        "item": item,
        "criterion": criterion,
        "value": value,
        "revision": 1,
        "position": position,
        "seconds": seconds,
        **more,
    }


def texts() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Outputs and references; of a reference's words a system keeps fewer the further down it stands."""
    rng = np.random.default_rng(7)
    outputs, references = [], []
    for item in ITEMS:
        source = rng.choice(WORDS, size=18, replace=False)
        for number in range(2):
            words = [word if rng.random() < 0.85 else str(rng.choice(WORDS)) for word in source]
            references.append({"item": item, "reference": f"r{number}", "text": " ".join(words)})
        for place, system in enumerate(SYSTEMS):
            kept = [word if rng.random() < 0.9 - 0.18 * place else str(rng.choice(WORDS)) for word in source]
            outputs.append({"system": system, "item": item, "text": " ".join(kept)})
    return pd.DataFrame(outputs), pd.DataFrame(references)


def write_files(folder: Path) -> dict[str, Path]:
    """The study as the files that the commands read."""
    outputs, references = texts()
    files = {name: folder / f"{name}.jsonl" for name in ("outputs", "references")}
    for name, frame in (("outputs", outputs), ("references", references)):
        lines = [json.dumps(row) for row in frame.to_dict("records")]
        files[name].write_text("\n".join(lines) + "\n", encoding="utf-8")
    files["judgments"] = folder / "judgments.csv"
    judgments().to_csv(files["judgments"], index=False)
    return files


FEW_SYSTEMS, FEW_ITEMS = ("s1", "s2", "s3", "s4"), ("1", "2")
GOOD = "the old ferry left the harbour before the storm came"


def few_texts(models, outputs=()):
    """A study of four systems and two items, whose references are these; a text of a system may be given."""
    rows = [
        {"assessor": "a", "system": system, "item": item, "value": 1 + (place + int(item)) % 5}
        for place, system in enumerate(FEW_SYSTEMS)
        for item in FEW_ITEMS
    ]
    made = [
        {
            "system": system,
            "item": item,
            "text": outputs[place]
            if place < len(outputs)
            else f"{' '.join(GOOD.split()[: 3 + place])} {item}",
        }
        for place, system in enumerate(FEW_SYSTEMS)
        for item in FEW_ITEMS
    ]
    references = [
        {"item": item, "reference": str(number), "text": text}
        for item in FEW_ITEMS
        for number, text in enumerate(models)
    ]
    judged = table(rows, kind="rating", criterion="adequacy")
    return judged, {"outputs": pd.DataFrame(made), "references": pd.DataFrame(references)}


def report_of(models, metrics, outputs=()):
    """The report of that study."""
    judged, own = few_texts(models, outputs)
    return build_report(judged, **own, options=Options(metrics=metrics), processes=1)


THREE = (GOOD, GOOD.replace("old", "grey"), GOOD.replace("came", "began"))


def marked_study():
    """Three systems on three documents of two units, errors marked by two people: judgments, attributes, outputs, scores."""
    rows, attributes, outputs, scores = [], [], [], []
    first, second = "A <b>oat</b> sailed.".ljust(20, "."), "It came home at last".ljust(20, ".")
    for item in ("d1", "d2", "d3"):
        for system in ("poor", "fair", "good"):
            outputs.append(
                {"system": system, "item": item, "text": f"{first} {second}", "sentences": [first, second]}
            )
            attributes += [("unit", f"{system}/{item}/{unit}", "characters", "20") for unit in (1, 2)]
            attributes.append(("output", f"{system}/{item}", "tokens", "8"))
            for person in ("p1", "p2"):
                both = {
                    "poor": ("Accuracy/Mistranslation", 5, "major"),
                    "fair": ("Style/Awkward", 1, "minor"),
                }
                found = [("1/0:4", *both[system])] if system in both else []
                found += [("2/10:20", "Style/Awkward", 1, "minor")] if person == "p1" else []
                about = {"assessor": person, "system": system, "item": item, "position": len(rows)}
                for unit in "12":
                    number = sum(place.startswith(f"{unit}/") for place, *_ in found)
                    rows.append(about | {"unit": unit, "criterion": "errors", "value": number})
                for place, category, value, severity in found:
                    rows.append(
                        about | {"unit": place, "criterion": category, "value": value, "label": severity}
                    )
            points = {"poor": 5, "fair": 1, "good": 0}[system] + 0.5
            scores.append({"metric": "taken-off", "system": system, "item": item, "score": -points / 2})
    frame = table(rows, kind="error_spans", task="spans")
    known = pd.DataFrame(attributes, columns=["scope", "id", "name", "value"])
    return frame, known, pd.DataFrame(outputs), pd.DataFrame(scores)

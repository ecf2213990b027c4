"""A release in SummEval's layout, with texts of our own."""

import json

TEXTS = {
    "storm": (
        "The storm closed the port. It opens on Monday.",
        ["The port is shut.", "Ships wait till Monday."],
    ),
    "harvest": (
        "Apples were few. Cider will be dear.",
        ["Few apples, dear cider.", "A poor year\nfor apples."],
    ),
}
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def annotation(*values):
    return dict(zip(CRITERIA, values, strict=True))


def release(*, experts=3, crowd=5, systems=("M0", "M22", "tuned, “best”")):
    """One line per system and document, ratings that differ everywhere."""
    lines = []
    for s, system in enumerate(systems):
        for d, (item, (text, references)) in enumerate(TEXTS.items()):
            marks = [
                annotation(*(1 + (s + 2 * d + 3 * rater + place) % 5 for place in range(4)))
                for rater in range(experts + crowd)
            ]
            lines.append(
                {
                    "id": item,
                    "model_id": system,
                    "decoded": f"Summary {s} of {item}. It’s “short”.",
                    "references": references,
                    "expert_annotations": marks[:experts],
                    "turker_annotations": marks[experts:],
                    "text": text,
                }
            )
    return lines


def jsonl(lines):
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)

"""What a design means, in sentences for whoever chooses it and for the study page."""

from __future__ import annotations

from collections.abc import Collection

from annotation.designs import Design


def describe(design: Design, n_pieces: int, n_people: int) -> str:
    """Who gets what and why, in a sentence or two for the study page."""
    k = design.assessors_per_item
    pieces = "the one piece" if n_pieces == 1 else f"each of the {n_pieces:,} pieces"
    takers = f"{k} of the {n_people:,} assessors" if n_people != 1 else "the one assessor"
    if design.pool:
        text = (
            f"Open pool: whoever asks for work gets the piece with the fewest judgments so far, until {pieces} "
            f"has {_times(k)}; what is left lying goes back to the pool."
        )
    else:
        text = _DESCRIPTIONS[design.order].format(pieces=pieces, takers=takers, k=k)
        text = text[0].upper() + text[1:]
        if design.order != "model-author" and n_people and not design.shared:
            text += f" That is {_about(n_pieces * k, n_people)} each."
    if design.shared:
        number = len(design.shared)
        text += (
            f" Everybody also judges {'the shared item' if number == 1 else f'the {number} shared items'}."
        )
    return text


def describe_confounded(design: Design) -> list[str]:
    """What such a plan cannot tell apart, in sentences for whoever chooses it."""
    found = []
    if design.assessors_per_item == 1 and not design.shared:
        found.append(
            "Nobody judges what another one judged: agreement cannot be told, and a severe assessor cannot be told from poor texts."
        )
    if design.pool:
        found.append("Whoever asks more gets more: scores lean on the quickest assessors.")
    elif design.order == "fixed":
        found.append(
            "Everybody meets the texts in the same order: practice and tiredness fall on the same texts."
            + ("" if design.interleave else " If the table is sorted by system, on the same systems.")
        )
    elif design.order == "blocked":
        found.append(
            "A document's texts are judged one after the other by the same person: they are compared with each other more than with "
            "a fixed standard."
        )
    elif design.order == "model-author":
        found.append(
            "Whoever wrote a model judges by it: a model's style and its author's severity go together."
        )
    return found


def describe_sets() -> str:
    """Where the texts of a set stand, in a sentence for the study page."""
    return (
        "Within a set the texts stand in an order that is drawn for each assessor, every system at every place equally "
        "often."
    )


def describe_meetings(met: Collection[int]) -> str:
    """How often two systems meet in sets, least and most, in a sentence for the study page."""
    if not met:
        return ""
    least, most = min(met), max(met)
    times = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    sets = "set" if least == most == 1 else "sets"
    return f"Any two systems meet in {times} {sets}."


_DESCRIPTIONS = {
    "random": (
        "{pieces} goes to {takers}, drawn at random with equal loads, and everybody meets each system equally often as far as "
        "that comes out; everybody has an order of their own in which the same item does not come twice in a row if that can be "
        "helped."
    ),
    "fixed": "{pieces} goes to {takers} in turns; everybody keeps the order of the file.",
    "blocked": (
        "{pieces} goes to {takers}; all pieces of an item stay together, so that whoever has read it judges every "
        "system on it. Blocks, and pieces within a block, come in random order."
    ),
    "latin-square": (
        "{pieces} goes to {takers}; nobody meets an item twice, and everybody meets each system equally often, so "
        "that neither assessors nor items favour a system."
    ),
    "model-author": "{pieces} goes to the assessor who wrote its model, in random order, as in DUC.",
}


def handed_on(design: Design | None, away: str) -> str:
    """What becomes of undone work, in a sentence; ``design`` None: everybody gets everything, as a protocol may say."""
    if design is None:
        return (
            "Since everybody gets everything, nobody takes over from another; whoever joins later gets all of it, in the "
            f"place of somebody {away} if there is one."
        )
    return "" if design.pool else f"What somebody {away} leaves undone {_HANDED_ON[design.order]}"


_HANDED_ON = {
    "random": "goes to others, piece by piece.",
    "fixed": "goes to others, piece by piece.",
    "blocked": "goes to others item by item: what is left of an item stays together, for somebody who has not met it.",
    "latin-square": (
        "goes piece by piece to somebody who has not met the item; if everybody meets every item, only to people who "
        "join later."
    ),
    "model-author": (
        "goes to another assessor with the author id of the model’s writer; if there is none, nobody else may do it."
    ),
}


def _times(number: int) -> str:
    return "one judgment" if number == 1 else f"{number} judgments by different assessors"


def _about(total: int, n_people: int) -> str:
    low, over = divmod(total, n_people)
    return f"{low:,} to {low + 1:,} pieces" if over else f"{low:,} piece{'' if low == 1 else 's'}"

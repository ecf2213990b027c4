"""What keeps an answer about error spans from being submitted, each time with the unit and the words that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from annotation.tasks.error_spans.config import ERROR, RESERVED, ErrorSpansAnswer, Span, UnitAnswer
from annotation.tasks.error_spans.scene import Scene, same_error
from annotation.tasks.spans import Marked, overlap, words_of
from annotation.tasks.terms import REASONS_MAX, Missing
from annotation.words import gettext, ngettext
from metrics.cells import Parts


def problems(scene: Scene, answer: ErrorSpansAnswer) -> Iterator[Missing]:
    """In the order of the page. A field is ``place.unit``, with ``.index`` of a span or ``.score`` behind it."""
    if len(answer.outputs) > len(scene.outputs):
        yield Missing(
            "",
            gettext(
                "Judge every text. Texts: {there}; judged: {judged}.",
                there=len(scene.outputs),
                judged=len(answer.outputs),
            ),
        )
        return
    for place in range(len(scene.outputs)):
        given = len(answer.outputs[place].units) if place < len(answer.outputs) else 0
        if given > len(scene.numbers(place)):
            yield Missing(
                "",
                gettext(
                    "Judge every unit. Units: {there}; judged: {judged}.",
                    there=len(scene.numbers(place)),
                    judged=given,
                ),
            )
            return
    injection = scene.injection
    if injection and answer.injected is None:
        name = scene.named(injection.place, injection.unit)
        yield Missing(
            f"{injection.place}.{injection.unit}",
            gettext("{name} is not finished: look at it once more.", name=name),
        )
    for place in range(len(scene.outputs)):
        for number, unit in scene.answered(answer, place):
            yield from _unit_problems(scene, place, number, unit)
        whole = answer.outputs[place].score if place < len(answer.outputs) else None
        yield from _document_problems(scene, place, whole)
    yield from _suggestion_problems(scene, answer)
    preferred = answer.preference
    if scene.config.preference and (preferred.winner is None) != preferred.tie:
        yield Missing("preference", gettext("Say which is better, or that they are equal."))
    if not scene.config.preference and (preferred.tie or preferred.winner is not None):
        yield Missing("preference", gettext("Nobody asks which is better."))


def _unit_problems(scene: Scene, place: int, number: int, unit: UnitAnswer) -> Iterator[Missing]:
    config, field, name = scene.config, f"{place}.{number}", scene.named(place, number)
    live = scene.live(unit)
    alone = live[0] if len(live) < len(unit.spans) else None  # it sets the others aside
    standing: list[tuple[int, Span]] = []  # those that count, and whose words are there
    for index, span in enumerate(unit.spans):
        fault = _place_fault(scene, place, number, span)
        if not fault and (alone is None or span == alone):
            standing.append((index, span))
            fault = _words_fault(scene, span)
        if fault:
            yield Missing(f"{field}.{index}", f"{name}, {_words(scene, place, number, span)}: {fault}.")
    yield from islice(_together_problems(scene, place, number, standing), REASONS_MAX)
    if unit.none and unit.spans:
        yield Missing(field, gettext("{name} has errors, and is said to have none.", name=name))
    if config.max_errors and len(live) > config.max_errors:
        many = ngettext("{name} has {n} error.", "{name} has {n} errors.", len(live), name=name)
        most = ngettext("Keep the most severe one.", "Keep the {n} most severe.", config.max_errors)
        yield Missing(field, f"{many} {most}")
    if unit.score is not None and (
        config.score is None or not config.score.low <= unit.score <= config.score.high
    ):
        yield Missing(
            f"{field}.score",
            gettext("{name}: {score} is not on the scale.", name=name, score=f"{unit.score:g}"),
        )
    if not scene.is_asked(place, number):
        return
    if config.score and unit.score is None:
        yield Missing(f"{field}.score", gettext("{name} has no score.", name=name))
    elif not config.score and not unit.spans and not unit.none:
        yield Missing(field, gettext("{name}: mark errors or say there are none.", name=name))


def _words(scene: Scene, place: int, number: int, span: Span) -> str:
    if span.side == "missing":
        return gettext("something missing")
    return f"“{words_of(scene.text(place, span.side, number), span.parts)}”"


def _place_fault(scene: Scene, place: int, number: int, span: Span) -> str:
    if not scene.has(place, span.side, number):
        return gettext("nothing can be marked here")
    if span.side == "missing":
        if span.parts:
            return gettext("what is missing has no words")
        return (
            "" if scene.config.omission in {"button", "both"} else gettext("nothing can be marked as missing")
        )
    fault = scene.ground(place, span.side, number).fault(span.parts)
    if fault:
        return fault
    whole = ((0, len(scene.text(place, "output", number))),)
    if span.category in scene.config.whole_unit and (span.side != "output" or span.parts != whole):
        return gettext("{category} takes the whole unit", category=span.category)
    return ""


def _words_fault(scene: Scene, span: Span) -> str:
    """What the assessor has yet to say of an error."""
    config = scene.config
    severities = [severity.name for severity in config.severities]
    if severities and not span.severity:
        return gettext("choose the severity")
    if span.severity and span.severity not in severities:
        return gettext("“{severity}” is no severity", severity=span.severity)
    if config.categories and not span.category:
        return gettext("choose the category")
    if config.categories == "free" and (span.category in RESERVED or span.category == ERROR):
        return gettext("“{category}” cannot be a category; use another word", category=span.category)
    if span.category and config.categories != "free" and span.category not in config.named:
        return gettext("“{category}” is no category", category=span.category)
    if config.wants_note(span.category) and not span.note.strip():
        return gettext("say in a note what it is, as it is “{category}”", category=span.category)
    if config.question and span.true is None:
        return gettext("answer “{question}”", question=gettext(config.question))
    return ""


def _together_problems(
    scene: Scene, place: int, number: int, standing: Sequence[tuple[int, Span]]
) -> Iterator[Missing]:
    """Errors that cannot stand beside each other. An answer may have thousands: they are compared only where something is wrong."""
    name = scene.named(place, number)
    same: dict[tuple[str, Parts, str], list[Span]] = {}
    before: dict[str, list[Span]] = {}
    marked: dict[str, Marked] = {}
    for index, span in standing:
        side = span.side
        if side == "missing":
            continue
        alike = same.setdefault((side, span.parts, span.category), [])
        others = alike
        if not scene.config.overlap:
            if side not in marked:
                marked[side] = Marked(len(scene.text(place, side, number)))
            covered = marked[side]
            others = before.setdefault(side, []) if covered.meets(span.parts) else []
            covered.mark(span.parts)
        for other in others:
            yield from _pair_problems(scene, (place, number, index), name, other, span)
        alike.append(span)
        before.setdefault(side, []).append(span)


def _pair_problems(
    scene: Scene, at: tuple[int, int, int], name: str, other: Span, span: Span
) -> Iterator[Missing]:
    place, number, index = at
    if (other.parts, other.category) == (span.parts, span.category):
        words = _words(scene, place, number, span)
        twice = gettext("{name}: {words} is marked twice.", name=name, words=words)
        if span.category:
            twice = gettext(
                "{name}: {words} is marked twice as {category}.",
                name=name,
                words=words,
                category=span.category,
            )
        yield Missing(f"{place}.{number}.{index}", twice)
    elif not scene.config.overlap and overlap(other.parts, span.parts):
        words, first = _words(scene, place, number, span), _words(scene, place, number, other)
        yield Missing(
            f"{place}.{number}.{index}",
            gettext("{name}: {words} overlaps {other}.", name=name, words=words, other=first),
        )


def _document_problems(scene: Scene, place: int, score: float | None) -> Iterator[Missing]:
    config = scene.config
    name = (
        gettext("{text} as a whole", text=chr(ord("A") + place))
        if len(scene.outputs) > 1
        else gettext("The document as a whole")
    )
    if config.document_score and score is None:
        yield Missing(f"{place}.document", gettext("{name} has no score.", name=name))
    elif score is not None and (
        not config.document_score or not config.scale.low <= score <= config.scale.high
    ):
        yield Missing(
            f"{place}.document",
            gettext("{name}: {score} is not on the scale.", name=name, score=f"{score:g}"),
        )


def _suggestion_problems(scene: Scene, answer: ErrorSpansAnswer) -> Iterator[Missing]:
    held: dict[int, tuple[str, Span]] = {}
    for place in range(len(scene.outputs)):
        for number, unit in scene.answered(answer, place):
            for index, span in enumerate(unit.spans):
                if span.suggestion is None:
                    continue
                if span.suggestion >= len(scene.suggested) or span.suggestion in held:
                    yield Missing(
                        f"{place}.{number}.{index}",
                        gettext("{name}: no such suggestion.", name=scene.named(place, number)),
                    )
                held[span.suggestion] = f"{place}.{number}.{index}", span
    for index, (place, number, suggested) in enumerate(scene.suggested):
        name, words = scene.named(place, number), _words(scene, place, number, suggested)
        if index not in held and index not in answer.removed:
            yield Missing(
                f"{place}.{number}",
                gettext("{name}: {words} was suggested; keep it or remove it.", name=name, words=words),
            )
        elif index in held and scene.config.confirm == "each":
            field, span = held[index]
            if not span.kept and same_error(span, suggested):
                yield Missing(
                    field,
                    gettext(
                        "{name}: {words} was suggested; keep it, change it or remove it.",
                        name=name,
                        words=words,
                    ),
                )

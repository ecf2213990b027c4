"""Plausible answers about error spans: the worse a text, the more and the heavier its errors."""

from __future__ import annotations

import random
from collections.abc import Sequence

from annotation.tasks.error_spans.config import (
    ErrorSpansAnswer,
    Injected,
    OutputAnswer,
    Preferred,
    Span,
    UnitAnswer,
)
from annotation.tasks.error_spans.scene import Scene
from annotation.tasks.spans import grown, overlap, word_bounds


def simulated(scene: Scene, qualities: Sequence[float], rng: random.Random) -> ErrorSpansAnswer:
    outputs = []
    removed: list[int] = []
    for place in range(len(scene.outputs)):
        quality = qualities[min(place, len(qualities) - 1)]
        units = [
            _unit(scene, place, number, quality, removed, rng)
            if scene.is_asked(place, number)
            else UnitAnswer()
            for number in scene.numbers(place)
        ]
        score = _score(scene, quality, rng) if scene.config.document_score else None
        outputs.append(OutputAnswer(units=tuple(units), score=score))
    injected = None
    if injection := scene.injection:
        index = injection.unit - scene.window[0]
        found = bool(outputs[injection.place].units[index].spans)
        injected = Injected(output=injection.place, unit=injection.unit, found=found)
    preferred = Preferred()
    if scene.config.preference:
        left, right = (rng.gauss(quality, 0.15) for quality in [*qualities, *qualities][:2])
        preferred = (
            Preferred(tie=True) if abs(left - right) < 0.05 else Preferred(winner=0 if left > right else 1)
        )
    return ErrorSpansAnswer(
        outputs=tuple(outputs), removed=tuple(removed), preference=preferred, injected=injected
    )


def _unit(
    scene: Scene, place: int, number: int, quality: float, removed: list[int], rng: random.Random
) -> UnitAnswer:
    config = scene.config
    spans: list[Span] = []
    for index, suggested in enumerate(scene.suggested):
        if (suggested.place, suggested.unit) != (place, number):
            continue
        if rng.random() < 0.6 and _fits(scene, spans, suggested.span):
            spans.append(
                _described(scene, suggested.span, rng).model_copy(update={"suggestion": index, "kept": True})
            )
        else:
            removed.append(index)
    most = config.max_errors or 5
    for _ in range(round(rng.random() * 4 * (1 - quality))):
        span = _described(scene, _place(scene, place, number, rng), rng)
        if len(spans) < most and _fits(scene, spans, span):
            spans.append(span)
    score = _score(scene, quality, rng) if config.score else None
    return UnitAnswer(spans=tuple(spans), none=not spans and config.score is None, score=score)


def _place(scene: Scene, place: int, number: int, rng: random.Random) -> Span:
    """Some words of the output, now and then of the source or none."""
    chance = rng.random()
    if chance < 0.1 and scene.config.omission in {"button", "both"}:
        return Span(side="missing")
    in_source = chance < 0.2 and scene.has(place, "source", number)
    text = scene.text(place, "source" if in_source else "output", number)
    words = word_bounds(text) or ((0, len(text)),)
    first = rng.randrange(len(words))
    last = min(first + rng.randrange(3), len(words) - 1)
    part = grown(text, words[first][0], words[last][1])
    return Span(parts=(part,), side="source" if in_source else "output")


def _described(scene: Scene, span: Span, rng: random.Random) -> Span:
    """With severity, category and whatever else is asked."""
    config = scene.config
    severity = span.severity or (rng.choice(config.severities).name if config.severities else "")
    category = span.category
    if not category and config.categories:
        ordinary = [name for name in config.named if name not in config.whole_unit]
        category = rng.choice(ordinary) if ordinary else "wording"
    return span.model_copy(
        update={
            "severity": severity,
            "category": category,
            "note": "It reads oddly." if config.wants_note(category) else "",
            "true": rng.random() < 0.3 if config.question else None,
        }
    )


def _fits(scene: Scene, spans: Sequence[Span], span: Span) -> bool:
    for other in spans:
        if other.side == span.side and span.parts:
            if (other.parts, other.category) == (span.parts, span.category):
                return False
            if not scene.config.overlap and overlap(other.parts, span.parts):
                return False
    return True


def _score(scene: Scene, quality: float, rng: random.Random) -> float:
    scale = scene.config.scale
    noisy = min(1.0, max(0.0, rng.gauss(quality, 0.15)))
    return float(round(scale.low + noisy * (scale.high - scale.low)))

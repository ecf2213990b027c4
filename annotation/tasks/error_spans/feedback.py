"""What to tell somebody who practises: which of the expected errors were found, and how scores compare."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.tasks.error_spans.config import ErrorSpansAnswer, Span, UnitAnswer
from annotation.tasks.error_spans.scene import Scene
from annotation.tasks.spans import overlap, words_of
from annotation.tasks.terms import Feedback
from annotation.words import gettext

NEAR = 0.1  # of the scale: a score as near as this is as good as the same


def compared(scene: Scene, answer: ErrorSpansAnswer, key: ErrorSpansAnswer) -> Iterator[Feedback]:
    """Unit by unit, of what the key speaks of."""
    for place in range(len(scene.outputs)):
        given = dict(scene.answered(answer, place))
        for number, expected in scene.answered(key, place):
            name, field = scene.named(place, number), f"{place}.{number}"
            for span in scene.live(expected):
                yield _span_compared(scene, place, number, given[number], span)
            if expected.none:
                right = not given[number].spans
                said = (
                    gettext("{name}: no errors, as we would say.", name=name)
                    if right
                    else gettext("{name}: we would mark no errors here.", name=name)
                )
                yield Feedback(field, right, said)
            if expected.score is not None:
                yield _score_compared(scene, name, field, given[number].score, expected.score)


def _span_compared(scene: Scene, place: int, number: int, given: UnitAnswer, span: Span) -> Feedback:
    name, field = scene.named(place, number), f"{place}.{number}"
    words = gettext("something missing")
    if span.side != "missing":
        words = f"“{words_of(scene.text(place, span.side, number), span.parts)}”"
    what = ", ".join(filter(None, (span.severity, span.category)))
    near = [
        other
        for other in scene.live(given)
        if other.side == span.side and (span.side == "missing" or overlap(other.parts, span.parts))
    ]
    described = f"{words} ({what})" if what else words
    if not near:
        return Feedback(field, False, gettext("{name}: we would mark {words}.", name=name, words=described))
    same = [
        other
        for other in near
        if (not span.severity or other.severity == span.severity)
        and (not span.category or other.category == span.category)
    ]
    if same:
        return Feedback(
            field, True, gettext("{what}: {answer}, as we would say.", what=name, answer=described)
        )
    yours = ", ".join(filter(None, (near[0].severity, near[0].category)))
    message = gettext(
        "{name}: {words} is marked; you said {yours}, we would say {answer}.",
        name=name,
        words=words,
        yours=yours,
        answer=what,
    )
    return Feedback(field, False, message)


def _score_compared(scene: Scene, name: str, field: str, given: float | None, expected: float) -> Feedback:
    scale = scene.config.scale
    right = given is not None and abs(given - expected) <= NEAR * (scale.high - scale.low)
    said = gettext("no score") if given is None else f"{given:g}"
    message = gettext(
        "{what}: you said {yours}, we would say {answer}.", what=name, yours=said, answer=f"{expected:g}"
    )
    return Feedback(field, right, message)

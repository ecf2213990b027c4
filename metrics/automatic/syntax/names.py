"""spaCy's names of people, places and things, found without asking word by word what spaCy's own search asks.

That search (BILUO, one step a word) tries seventy moves on every word, takes Python's lock for most of them, and needs half of the time of a
parse. Yet outside of a name the scores of a word do not depend on what was found before: they are had for all words of many texts in one
product. Only inside a name is the next step worked out by itself: go on, or end here. The names are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

RECOGNISER = "ner"
_FEATURES = 3
"""What the search of the small models looks at: this word, the first and the last word of the name that it is in."""


class Name(NamedTuple):
    """What a name is of (``PERSON``), its first token and the one after its last, counted from 0 in its document."""

    kind: str
    first: int
    end: int


class Names:
    """The names in documents that a pipeline has parsed, but for its recogniser."""

    def __init__(self, pipeline: Any) -> None:
        recogniser = pipeline.get_pipe(RECOGNISER)
        model = recogniser.model
        self._words = model.get_ref("tok2vec")
        self._lower, self._upper = model.get_ref("lower"), model.get_ref("upper")
        named = map(recogniser.moves.get_class_name, range(self._upper.get_dim("nO")))
        self._moves = moves = [name.partition("-")[::2] for name in named]
        self._number = {move: number for number, move in enumerate(moves)}
        self._begins = np.array([move == "B" and kind != "" for move, kind in moves])
        self._units = np.array([move == "U" and kind != "" for move, kind in moves])
        self._outside = np.array([move == "O" for move, _ in moves])

    @staticmethod
    def fit(pipeline: Any) -> bool:
        """Whether names are found last, greedily, from this word and the name that it is in."""
        names = pipeline.pipe_names
        if not names or names[-1] != RECOGNISER or pipeline.get_pipe_meta(RECOGNISER).factory != RECOGNISER:
            return False
        recogniser = pipeline.get_pipe(RECOGNISER)
        model = recogniser.model
        return bool(
            not {"entity_ruler", "span_ruler"}.intersection(names)
            and recogniser.cfg["beam_width"] == 1
            and model.attrs["has_upper"]
            and not model.attrs["unseen_classes"]
            and model.get_ref("lower").get_dim("nF") == _FEATURES
            and model.get_ref("lower").get_dim("nP") > 1
        )

    def of(self, documents: Sequence[Any]) -> list[list[Name]]:
        """The names of each document."""
        if not any(map(len, documents)):
            return [[] for _ in documents]
        features = self._lower.predict(self._words.predict(documents))
        columns = [document.to_array(["IS_SPACE", "SENT_START"]).reshape(-1, 2) for document in documents]
        spaces = np.concatenate([column[:, 0] == 1 for column in columns])
        # A name ends with its sentence and with its text.
        last = np.concatenate([np.append(column[1:, 1] == 1, True)[: len(column)] for column in columns])
        outside = self._outside_of_names(features, spaces, last)
        ends = np.cumsum([len(document) for document in documents])
        starts = ends - [len(document) for document in documents]
        return [
            [
                Name(kind, first - start, end - start)
                for kind, first, end in self._walk(features, outside, last, start, stop)
            ]
            for start, stop in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def _outside_of_names(
        self, features: npt.NDArray[np.float32], spaces: npt.NDArray[np.bool_], last: npt.NDArray[np.bool_]
    ) -> list[int]:
        """The best move at each word if it is in no name yet."""
        nothing = features[0]
        hidden = (features[1:, 0] + nothing[1] + nothing[2] + self._lower.get_param("b")).max(axis=-1)
        scores = hidden @ self._upper.get_param("W").T + self._upper.get_param("b")
        allowed = self._outside | ~spaces[:, None] & (self._units | self._begins & ~last[:, None])
        best: list[int] = np.where(allowed, scores, -np.inf).argmax(axis=1).tolist()
        return best

    def _walk(
        self,
        features: npt.NDArray[np.float32],
        outside: list[int],
        last: npt.NDArray[np.bool_],
        start: int,
        stop: int,
    ) -> Iterator[Name]:
        place = start
        while place < stop:
            move, kind = self._moves[outside[place]]
            first = place
            if move == "B":
                place += 1
                while not last[place] and self._goes_on(features, kind, first, place):
                    place += 1
            place += 1
            if move in ("B", "U"):
                yield Name(kind, first, place)

    def _goes_on(self, features: npt.NDArray[np.float32], kind: str, first: int, place: int) -> bool:
        """Whether the name that began at ``first`` goes on after the word at ``place``."""
        # Row 0 of the features stands for no word.
        seen = features[place + 1, 0] + features[first + 1, 1] + features[place, 2]
        hidden = (seen + self._lower.get_param("b")).max(axis=-1)
        inside, end = self._number["I", kind], self._number["L", kind]
        weights, bias = self._upper.get_param("W"), self._upper.get_param("b")
        on, off = (float(weights[move] @ hidden + bias[move]) for move in (inside, end))
        # Of equals spaCy takes the first move.
        return on > off or (on == off and inside < end)

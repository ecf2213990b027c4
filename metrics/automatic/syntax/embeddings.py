"""Vectors of words, worked out once for each word: the first layers of spaCy's models look at one word at a time.

They hash its norm, its first and last letters and its shape into tables and mix what they find there, which is nearly half of the work of a model.
Texts say the same words again and again: what was made of a word is kept and looked up. What follows looks at neighbours, and is spaCy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LAYERS = ("extract_features", "list2ragged", "with_array", "with_array", "ragged2list")
"""Features of each word, words of all texts in a row, tables, mixing, words by text."""
MOST = 200_000
"""Words kept, some 80 MB; then all are forgotten, and it begins anew."""


def remember_words(model: Any) -> None:
    """Makes the layers of a model that look at single words remember what they made of them; other models are left alone."""
    for layer in model.walk():
        names = [below.name.partition("(")[0] for below in layer.layers]
        if tuple(names) == _LAYERS and "maxout" in layer.layers[3].name:
            layer._func = _Remembered()


class _Remembered:
    """Stands for the forward pass of such a layer; there is no training here."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._vectors: Any = None

    def __call__(self, model: Any, documents: Any, is_train: bool) -> tuple[list[Any], Any]:
        features, _, tables, mixing, _ = model.layers
        found = features.predict(documents)
        rows = np.ascontiguousarray(np.concatenate(found))
        keys = rows.view(f"V{rows.itemsize * rows.shape[1]}").ravel().tolist()
        if len(self._places) > MOST:
            self._places, self._vectors = {}, None
        new = {key: place for place, key in enumerate(keys) if key not in self._places}
        if new:
            made = mixing.predict(tables.predict(rows[list(new.values())]))
            self._vectors = made if self._vectors is None else np.concatenate([self._vectors, made])
            self._places.update(zip(new, range(len(self._places), len(self._places) + len(new)), strict=True))
        width = mixing.get_dim("nO")
        vectors = self._vectors[[self._places[key] for key in keys]] if keys else np.zeros((0, width), "f")
        borders = np.cumsum([len(one) for one in found])[:-1]
        return np.split(vectors, borders), None

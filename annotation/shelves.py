"""What a process keeps of what it has made, up to so many characters: a number of texts would say little of the memory they take."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")

BESIDE_THE_TEXT = 500  # characters' worth of memory that anything kept takes


class Shelf(Generic[Key, Made]):
    """``make`` makes what a key asks for, once while it is kept; ``length`` says how many characters that has.

    What was not asked for the longest goes first. Two threads that ask for the same at the same time may both make it.
    """

    def __init__(self, make: Callable[[Key], Made], length: Callable[[Made], int], *, most: int) -> None:
        self._make, self._length, self._most = make, length, most
        self._kept: OrderedDict[Key, tuple[Made, int]] = OrderedDict()
        self._lock = threading.Lock()
        self.characters = 0

    def __call__(self, key: Key) -> Made:
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found[0]
        made = self._make(key)
        with self._lock:
            if key not in self._kept:
                size = self._length(made) + BESIDE_THE_TEXT
                self._kept[key] = made, size
                self.characters += size
            while self.characters > self._most:
                _, (_, size) = self._kept.popitem(last=False)
                self.characters -= size
        return made

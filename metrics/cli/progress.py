"""A bar for what takes long: on standard error, and only where somebody can see it move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]


@contextmanager
def shown(what: str) -> Iterator[Progress]:
    """A function ``(done, total)`` that moves a bar."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # noqa: PLC0415 – most commands draw nothing

    with tqdm(disable=None, leave=False, desc=what, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:

        def show(done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.refresh()

        yield show

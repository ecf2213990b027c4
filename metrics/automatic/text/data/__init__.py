"""Word lists of the package; their sources and licences are in ``NOTICE.md``."""

from __future__ import annotations

from importlib import resources


def lines(name: str) -> list[str]:
    """The lines of one of the lists."""
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8").splitlines()


def pairs(name: str) -> dict[str, str]:
    """A list of two columns with a tab between them."""
    return dict(line.split("\t") for line in lines(name))

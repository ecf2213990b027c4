"""How a metric wants its texts, and how its name says so.

:class:`Preparation` is that of translation metrics: tokenisation, case, sentence boundaries (Leusch et al. 2005, §3). A name
ends with what differs from its family's default: ``wer-remove-cased``, ``per-2-both``, ``bleu-s-contractions-folded``.
:class:`Setting` is that of summary metrics: stems and stop words (Lin & Hovy 2003, §4.1), ``-porter`` and ``-stop``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from metrics.automatic.text.prepared import Boundaries, Case, Text
from metrics.automatic.text.tokenisation import Tokenisation

SUFFIX = (
    r"(?:-(?P<tokenisation>original|remove|mteval|contractions|zh|ja-mecab|char))?"
    r"(?:-(?P<case>cased|folded))?"
    r"(?:-(?P<boundaries>initial|final|both))?"
)
"""The end of a name, for a family's own pattern."""

_TOKENISATIONS: dict[str | None, Tokenisation] = {name: name for name in get_args(Tokenisation)}
_CASES: dict[str | None, Case] = {"cased": "keep", "folded": "fold"}
_BOUNDARIES: dict[str | None, Boundaries] = {name: name for name in get_args(Boundaries)}


@dataclass(frozen=True)
class Preparation:
    """Tokenisation, case and sentence boundaries."""

    tokenisation: Tokenisation = "mteval"
    case: Case = "fold"
    boundaries: Boundaries = "none"

    def tokens(self, text: Text) -> tuple[str, ...]:
        """The tokens of a text; the text keeps them."""
        return text.tokens(self.tokenisation, case=self.case, boundaries=self.boundaries)

    def suffix(self, default: Preparation) -> str:
        """What a name says of it, beside the default of its family."""
        parts = [
            self.tokenisation if self.tokenisation != default.tokenisation else "",
            {"keep": "cased", "fold": "folded"}[self.case] if self.case != default.case else "",
            self.boundaries if self.boundaries != default.boundaries else "",
        ]
        return "".join(f"-{part}" for part in parts if part)

    def options(self) -> tuple[tuple[str, object], ...]:
        """What a signature says of it."""
        return (("tok", self.tokenisation), ("case", self.case), ("boundaries", self.boundaries))


def from_name(found: re.Match[str], default: Preparation) -> Preparation:
    """The preparation that a matched name asks for."""
    return Preparation(
        _TOKENISATIONS.get(found["tokenisation"], default.tokenisation),
        _CASES.get(found["case"], default.case),
        _BOUNDARIES.get(found["boundaries"], default.boundaries),
    )


@dataclass(frozen=True)
class Setting:
    """Words in small letters without punctuation; perhaps their Porter stems, perhaps without stop words (ROUGE's list)."""

    porter: bool = False
    stop: bool = False

    def tokens(self, text: Text) -> tuple[str, ...]:
        """The words of a text; the text keeps them."""
        return text.tokens("remove", stem=self.porter, stop=self.stop)

    def suffix(self) -> str:
        """The end of a name."""
        return ("-porter" if self.porter else "") + ("-stop" if self.stop else "")

    def options(self) -> tuple[tuple[str, object], ...]:
        """What a signature says of it."""
        stem, stop = ("porter" if self.porter else "none"), ("rouge" if self.stop else "none")
        return (("tok", "remove"), ("case", "fold"), ("stem", stem), ("stop", stop))


SETTINGS = tuple(Setting(porter, stop) for porter in (False, True) for stop in (False, True))

"""A text that is tokenised and stemmed once per setting, whatever the number of metrics that ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from metrics.automatic.text.stemming import porter
from metrics.automatic.text.stopwords import is_stop_word
from metrics.automatic.text.tokenisation import TOKENISERS, Tokenisation

Case = Literal["keep", "fold"]
Boundaries = Literal["none", "initial", "final", "both"]

INITIAL, FINAL = "<s>", "</s>"


class Text:
    """The sentences of one output or reference, and everything made of them so far."""

    __slots__ = ("_made", "beside", "sentences")

    def __init__(self, sentences: Iterable[str], beside: Mapping[str, Any] | None = None) -> None:
        self.sentences: tuple[str, ...] = tuple(sentences)
        self.beside: Mapping[str, Any] = beside or {}
        """What came with the text, or was made of it before scoring began: its parse, a nugget's status."""
        self._made: dict[Any, Any] = {}

    @classmethod
    def of(cls, text: str | Iterable[str]) -> Text:
        """A plain string is one sentence; a list holds the sentences of the text."""
        return cls([text] if isinstance(text, str) else text)

    @property
    def text(self) -> str:
        """The whole text, sentences joined by a space."""
        return " ".join(self.sentences)

    def tokens(
        self,
        tokenisation: Tokenisation = "mteval",
        *,
        case: Case = "fold",
        stem: bool = False,
        stop: bool = False,
        boundaries: Boundaries = "none",
    ) -> tuple[str, ...]:
        """The tokens of the whole text.

        ``stop`` removes stop words (the ROUGE list, whatever the case of the token); ``stem`` is Porter's
        original algorithm, on the case-folded token; ``boundaries`` encloses each sentence with ``<s>``,
        ``</s>`` (Leusch et al. 2005, §3.4). Cached: the same setting is worked out once per text.
        """
        key = (tokenisation, case, stem, stop, boundaries)
        if key not in self._made:
            self._made[key] = self._tokens(tokenisation, case, stem, stop, boundaries)
        tokens: tuple[str, ...] = self._made[key]
        return tokens

    def remember(self, key: Any, make: Any) -> Any:
        """Whatever else a family derives from this text (n-gram counts, synonyms): ``make(self)``, once per
        key."""
        if key not in self._made:
            self._made[key] = make(self)
        return self._made[key]

    def _tokens(
        self, tokenisation: Tokenisation, case: Case, stem: bool, stop: bool, boundaries: Boundaries
    ) -> tuple[str, ...]:
        tokens: list[str] = []
        for sentence in self._plain(tokenisation, case):
            kept = [token for token in sentence if not is_stop_word(token)] if stop else sentence
            tokens += [INITIAL] if boundaries in ("initial", "both") else []
            tokens += [porter(token.lower()) for token in kept] if stem else kept
            tokens += [FINAL] if boundaries in ("final", "both") else []
        return tuple(tokens)

    def _plain(self, tokenisation: Tokenisation, case: Case) -> list[tuple[str, ...]]:
        """The tokens of each sentence before stop words and stemming."""
        key = ("plain", tokenisation, case)
        if key not in self._made:
            tokenise = TOKENISERS[tokenisation]
            # ROUGE's tokenisation has its own way to make letters small.
            fold = case == "fold" and tokenisation != "rouge"
            sentences = [sentence.lower() for sentence in self.sentences] if fold else self.sentences
            self._made[key] = [tuple(tokenise(sentence)) for sentence in sentences]
        plain: list[tuple[str, ...]] = self._made[key]
        return plain

    def __getstate__(self) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        return self.sentences, self.beside

    def __setstate__(self, state: tuple[tuple[str, ...], Mapping[str, Any]]) -> None:
        self.sentences, self.beside = state
        self._made = {}

    def __repr__(self) -> str:
        return f"Text({list(self.sentences)!r})"

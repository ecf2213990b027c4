"""Pyramids and peers of DUCView (Columbia's annotation tool for DUC 2005–2006): XML, ``TOPIC.pyr`` and ``TOPIC.SYSTEM.pan``.

A ``.pyr`` holds all models of a topic as one text, told apart by lines that a regular expression finds, and the content units
with their contributors; a ``.pan`` holds that pyramid, one peer's text and what of it matches. Offsets count UTF-16 in the
whole text, ends are exclusive; in our rows they count code points within one model. DUCView 1.5 appends when it saves: the last document of
a file is the one that counts.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from metrics.cells import Parts, span_read, span_written
from metrics.errors import BadInput
from metrics.formats.base import Files, Format, file_name, long_table, refuse_several_tasks, text_of
from metrics.formats.offsets import UTF16
from metrics.formats.study import Study
from metrics.formats.xml_files import parsed_xml
from metrics.frames import scored

WHO = "ducview"
HEADER = "-----+ <.*> -----+"
OUTSIDE = "0"
NON_MATCHING = "All non-matching SCUs go here"
ENDING = ".txt"

_PYRAMID_DTD = """ <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>

]>
"""
_PEER_DTD = """ <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
"""


@dataclass(frozen=True)
class Model:
    """A model summary: its name, its text, and where that starts in the text of all, in code points."""

    name: str
    text: str
    start: int


@dataclass(frozen=True)
class Contributor:
    """Words of a text, and in which model they stand ("" in a peer)."""

    model: str
    parts: Parts
    words: str


@dataclass(frozen=True)
class Unit:
    """A content unit with its contributors."""

    uid: str
    label: str
    contributors: tuple[Contributor, ...]
    comment: str = ""


@dataclass(frozen=True)
class Pyramid:
    """The models of a topic and the units they contribute to."""

    topic: str
    models: tuple[Model, ...]
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Peer:
    """A system's text, and the units of it."""

    system: str
    text: str
    units: tuple[Unit, ...]


# --- reading ------------------------------------------------------------------------------------------------------


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: the pyramid as rows without a system, the matching of every peer."""
    pyramids: dict[str, Pyramid] = {}
    rows: list[dict[str, object]] = []
    for path in paths:
        pyramid, peer = _read(path)
        before = pyramids.setdefault(pyramid.topic, pyramid)
        if before != pyramid:
            raise BadInput(f"expected one pyramid of {pyramid.topic}, found another", file=str(path))
        if peer is not None:
            rows += _peer_rows(pyramid, peer)
    built = [row for pyramid in pyramids.values() for row in _pyramid_rows(pyramid)]
    return long_table([*built, *rows], paths, kind="pyramid", task="pyramid", assessor=WHO)


def read_references(paths: Sequence[Path]) -> pd.DataFrame:
    """The models: ``reference, item, text``."""
    models = {
        (_reference(pyramid, model.name), pyramid.topic, model.text): None
        for pyramid, _ in map(_read, paths)
        for model in pyramid.models
    }
    return pd.DataFrame(list(models), columns=["reference", "item", "text"])


def read_outputs(paths: Sequence[Path]) -> pd.DataFrame:
    """The peers' texts: ``system, item, text``."""
    peers = [
        (peer.system, pyramid.topic, peer.text) for pyramid, peer in map(_read, paths) if peer is not None
    ]
    if not peers:
        raise BadInput("expected peers (.pan), found pyramids only", file=str(paths[0]))
    return pd.DataFrame(peers, columns=["system", "item", "text"])


def _read(path: Path) -> tuple[Pyramid, Peer | None]:
    root = _parsed(path)
    stem = path.name.rsplit(".", 1)[0]
    if root.tag == "pyramid":
        return _pyramid(root, stem, path), None
    if root.tag != "peerAnnotation":
        raise BadInput(f"expected a pyramid or a peer of DUCView, found <{root.tag}>", file=str(path))
    topic, _, system = stem.rpartition(".")
    if not topic or not system:
        raise BadInput("expected the name TOPIC.SYSTEM.pan", file=str(path))
    pyramid, annotation = _child(root, "pyramid", path), _child(root, "annotation", path)
    text = _text(annotation, path)
    peer = Peer(system, text.removesuffix("\n"), tuple(_units(annotation, "peerscu", text, (), path)))
    return _pyramid(pyramid, topic, path), peer


def _parsed(path: Path) -> ElementTree.Element:
    """The last document of the file."""
    text = text_of(path)
    start = text.rfind("<?xml")
    if start < 0:
        raise BadInput("expected XML as DUCView writes it (PyrEval's .pyr is another format)", file=str(path))
    # What an XML declaration says of the encoding is over: this is text already.
    return parsed_xml(re.sub(r"^<\?xml[^>]*\?>", "", text[start:], count=1), path)


def _child(root: ElementTree.Element, name: str, path: Path) -> ElementTree.Element:
    child = root.find(name)
    if child is None:
        raise BadInput(f"expected <{name}> in <{root.tag}>", file=str(path))
    return child


def _text(root: ElementTree.Element, path: Path) -> str:
    return "".join(f"{line.text or ''}\n" for line in _child(root, "text", path).findall("line"))


def _pyramid(root: ElementTree.Element, topic: str, path: Path) -> Pyramid:
    text = _text(root, path)
    models = tuple(_models(text, (root.findtext("startDocumentRegEx") or HEADER).strip(), path))
    units = tuple(_units(root, "scu", text, models, path))
    if not units:
        raise BadInput("expected a pyramid with content units", file=str(path))
    for unit in units:
        names = [contributor.model for contributor in unit.contributors]
        if len(set(names)) < len(names):
            warnings.warn(
                f"{path}: a model contributes twice to unit {unit.uid}; here the weight counts models, in DUCView contributors",
                stacklevel=3,
            )
    return Pyramid(topic, models, units)


def _models(text: str, header: str, path: Path) -> Iterator[Model]:
    """The text below each header line, without the empty lines around it."""
    try:
        starts = [*re.finditer(f"^(?:{header})$", text, flags=re.MULTILINE)]
    except re.error as problem:
        raise BadInput(
            f"expected a regular expression of header lines: {problem}", file=str(path)
        ) from problem
    if not starts:
        raise BadInput(f"expected header lines of models as {header} finds them", file=str(path))
    for n, start in enumerate(starts):
        end = starts[n + 1].start() if n + 1 < len(starts) else len(text)
        body = text[start.end() : end]
        own = body.strip("\n")
        named = re.search(r"<\s*(.*?)\s*>", start.group())
        name = named.group(1).removesuffix(ENDING) if named else f"model-{n + 1}"
        yield Model(name, own, start.end() + body.index(own) if own else start.end())


def _units(
    root: ElementTree.Element, tag: str, text: str, models: Sequence[Model], path: Path
) -> Iterator[Unit]:
    seen: set[str] = set()
    points = UTF16.places(text)
    for element in root.findall(tag):
        uid = element.get("uid", "")
        if not uid or uid in seen or "/" in uid or "#" in uid:
            raise BadInput(f"expected a uid of its own for each {tag}, found {uid!r}", file=str(path))
        seen.add(uid)
        label = element.get("label", "")
        contributors = tuple(
            _contributor(one, uid, text, points, models, path) for one in element.findall("contributor")
        )
        own = re.sub(r"^\(\d+\) ", "", label) if tag == "peerscu" else label
        yield Unit(uid, own, contributors, element.get("comment", ""))


def _contributor(
    element: ElementTree.Element,
    uid: str,
    text: str,
    points: dict[int, int],
    models: Sequence[Model],
    path: Path,
) -> Contributor:
    spans = []
    for part in element.findall("part"):
        try:
            start, end = points[int(part.get("start", ""))], points[int(part.get("end", ""))]
        except (ValueError, KeyError) as problem:
            raise BadInput(f"expected offsets within the text in unit {uid}", file=str(path)) from problem
        if start >= end:
            raise BadInput(f"expected words in every part of unit {uid}", file=str(path))
        if text[start:end] != part.get("label", text[start:end]):
            warnings.warn(f"{path}: unit {uid} names other words than its offsets do", stacklevel=5)
        spans.append((start, end))
    if not spans:
        raise BadInput(f"expected a part in every contributor of unit {uid}", file=str(path))
    spans.sort()
    words = "...".join(text[start:end] for start, end in spans)
    if not models:
        return Contributor("", tuple(spans), words)
    own = [one for one in models if one.start <= spans[0][0] and spans[-1][1] <= one.start + len(one.text)]
    if not own:
        raise BadInput(f"expected each contributor of unit {uid} within one model", file=str(path))
    (model,) = own[:1]
    return Contributor(
        model.name, tuple((start - model.start, end - model.start) for start, end in spans), words
    )


def _reference(pyramid: Pyramid, model: str) -> str:
    return f"{pyramid.topic}-{model}"


def _pyramid_rows(pyramid: Pyramid) -> Iterator[dict[str, object]]:
    common: dict[str, object] = {"item": pyramid.topic, "document": pyramid.topic}
    for unit in pyramid.units:
        yield common | {"unit": unit.uid, "criterion": "scu", "label": unit.label}
        if unit.comment:
            yield common | {"unit": unit.uid, "criterion": "comment", "label": unit.comment}
        for one in unit.contributors:
            name = f"{unit.uid}/{_reference(pyramid, one.model)}/{span_written(one.parts)}"
            yield common | {"unit": name, "criterion": "contributor", "label": one.words}


def _peer_rows(pyramid: Pyramid, peer: Peer) -> Iterator[dict[str, object]]:
    common: dict[str, object] = {"system": peer.system, "item": pyramid.topic, "document": pyramid.topic}
    found = {unit.uid: unit.contributors for unit in peer.units}
    unknown = set(found) - {unit.uid for unit in pyramid.units} - {OUTSIDE}
    if unknown:
        raise BadInput(f"peer {peer.system} matches unit {min(unknown)}, which its pyramid does not have")
    for unit in pyramid.units:
        contributors = found.get(unit.uid, ())
        yield common | {"unit": unit.uid, "criterion": "present", "value": int(bool(contributors))}
        for n, one in enumerate(contributors, start=1):
            name = unit.uid if n == 1 else f"{unit.uid}#{n}"
            if n > 1:
                yield common | {"unit": name, "criterion": "present", "value": 1, "label": "repeat"}
            yield common | {
                "unit": f"{name}/{span_written(one.parts)}",
                "criterion": "contributor",
                "value": 1,
            }
    for n, one in enumerate(found.get(OUTSIDE, ()), start=1):
        name = f"{OUTSIDE}#{n}"
        yield common | {"unit": name, "criterion": "present", "value": 1, "label": "not in the pyramid"}
        yield common | {"unit": f"{name}/{span_written(one.parts)}", "criterion": "contributor", "value": 1}


# --- writing ------------------------------------------------------------------------------------------------------


def write_study(study: Study) -> Files:
    """``TOPIC.pyr`` for every pyramid and ``TOPIC.SYSTEM.pan`` for every peer, in a folder of its own for each of several people."""
    rows = scored(study.judgments[study.judgments["kind"] == "pyramid"])
    if rows.empty:
        raise BadInput("expected judgments of kind pyramid")
    refuse_several_tasks(rows)
    built, matched = rows[rows["system"] == ""], rows[rows["system"] != ""]
    files: Files = {}
    pyramids: dict[str, Pyramid] = {}
    for topic, of_topic in built.groupby("item", sort=False):
        if len(set(of_topic["assessor"])) > 1:
            raise BadInput(f"expected one pyramid of {topic}, found those of several people")
        pyramid = pyramids[str(topic)] = _pyramid_of(str(topic), of_topic, study.references)
        files[f"{file_name(str(topic), 'topic')}.pyr"] = _pyr(pyramid)
    outputs = study.outputs
    texts = dict(zip(zip(outputs["system"], outputs["item"], strict=True), outputs["text"], strict=True))
    people = set(matched["assessor"])
    for key, of_peer in matched.groupby(["system", "item", "assessor"], sort=False):
        system, topic, who = map(str, key)
        if topic not in pyramids:
            raise BadInput(f"expected the pyramid of {topic} among the judgments")
        if (system, topic) not in texts:
            raise BadInput(f"expected the text of {system} on {topic} among the outputs")
        text = texts[system, topic]
        peer = Peer(system, text, tuple(_matched_units(of_peer, text)))
        folder = f"{file_name(who, 'assessor')}/" if len(people) > 1 else ""
        name = file_name(f"{topic}.{system}", "topic and system")
        files[f"{folder}{name}.pan"] = _pan(pyramids[topic], peer)
    return files


def _pyramid_of(topic: str, rows: pd.DataFrame, references: pd.DataFrame) -> Pyramid:
    own = references[references["item"] == topic]
    texts = dict(zip(own["reference"], own["text"], strict=True))
    models, at = [], 0
    for reference, text in texts.items():
        at += len(_header(topic, reference))
        models.append(Model(reference, text, at))
        at += len(text) + len("\n\n\n")
    units: dict[str, list[Contributor]] = {}
    labels: dict[str, str] = {}
    comments: dict[str, str] = {}
    for unit, criterion, label in rows[["unit", "criterion", "label"]].itertuples(index=False):
        if criterion == "scu":
            labels[unit] = label
        elif criterion == "comment":
            comments[unit] = label
        elif criterion == "contributor":
            scu, _, rest = unit.partition("/")
            reference, _, span = rest.rpartition("/")
            if reference not in texts:
                raise BadInput(f"expected the text of reference {reference}")
            units.setdefault(scu, []).append(_spoken(reference, span, texts[reference]))
    return Pyramid(
        topic,
        tuple(models),
        tuple(
            Unit(uid, label, tuple(units.get(uid, ())), comments.get(uid, ""))
            for uid, label in labels.items()
        ),
    )


def _spoken(model: str, span: str, text: str) -> Contributor:
    try:
        parts = span_read(span)
    except ValueError as problem:
        raise BadInput(str(problem), column="unit") from problem
    return Contributor(model, parts, "...".join(text[start:end] for start, end in parts))


def _matched_units(rows: pd.DataFrame, text: str) -> Iterator[Unit]:
    found: dict[str, list[Contributor]] = {}
    for unit in rows.loc[rows["criterion"] == "contributor", "unit"]:
        name, _, span = unit.rpartition("/")
        found.setdefault(name.partition("#")[0], []).append(_spoken("", span, text))
    return (Unit(uid, "", tuple(contributors)) for uid, contributors in found.items())


def _header(topic: str, reference: str) -> str:
    return f"{'-' * 20} < {reference.removeprefix(f'{topic}-')}{ENDING} > -----\n\n"


def _pyr(pyramid: Pyramid) -> str:
    return f'<?xml version="1.0"?>\n<!DOCTYPE pyramid [\n{_PYRAMID_DTD}\n{_pyramid_xml(pyramid)}'


def _pyramid_xml(pyramid: Pyramid) -> str:
    text = "\n\n\n".join(f"{_header(pyramid.topic, one.name)}{one.text}" for one in pyramid.models)
    starts = {one.name: one.start for one in pyramid.models}
    units = "".join(
        f" <scu uid={quoteattr(unit.uid)} label={quoteattr(unit.label)}{_comment(unit)}>\n"
        f"{''.join(_contributor_xml(one, starts[one.model], text) for one in unit.contributors)} </scu>\n"
        for unit in pyramid.units
    )
    return f"<pyramid>\n<startDocumentRegEx><![CDATA[{HEADER}]]></startDocumentRegEx>\n{_lines_xml(text)}{units}</pyramid>\n"


def _pan(pyramid: Pyramid, peer: Peer) -> str:
    found = {unit.uid: unit.contributors for unit in peer.units}
    units = [
        Unit(unit.uid, f"({_weight(unit)}) {unit.label}", found.get(unit.uid, ())) for unit in pyramid.units
    ]
    units.append(Unit(OUTSIDE, NON_MATCHING, found.get(OUTSIDE, ())))
    written = "".join(
        f" <peerscu uid={quoteattr(unit.uid)} label={quoteattr(unit.label)}>\n"
        f"{''.join(_contributor_xml(one, 0, peer.text) for one in unit.contributors)} </peerscu>\n"
        for unit in units
    )
    return (
        f'<?xml version="1.0"?>\n<!DOCTYPE peerAnnotation [\n{_PEER_DTD}{_PYRAMID_DTD}\n<peerAnnotation>\n'
        f"{_pyramid_xml(pyramid)}<annotation>\n{_lines_xml(peer.text)}{written}</annotation>\n</peerAnnotation>\n"
    )


def _comment(unit: Unit) -> str:
    return f" comment={quoteattr(unit.comment)}" if unit.comment else ""


def _weight(unit: Unit) -> int:
    return len({one.model for one in unit.contributors})


def _lines_xml(text: str) -> str:
    lines: Iterable[str] = text.split("\n")
    return f" <text>\n{''.join(f'  <line>{escape(line)}</line>' + chr(10) for line in lines)} </text>\n"


def _contributor_xml(one: Contributor, start: int, text: str) -> str:
    places = [(start + first, start + last) for first, last in one.parts]
    parts = "".join(
        f'   <part label={quoteattr(text[first:last])} start="{begin}" end="{end}"/>\n'
        for first, last in places
        for begin, end in [UTF16.write(text, first, last)]
    )
    return f"  <contributor label={quoteattr(one.words)}>\n{parts}  </contributor>\n"


FORMAT = Format(
    "DUCView's pyramids (.pyr) and peers (.pan)",
    reads={"judgments": read_judgments, "references": read_references, "outputs": read_outputs},
    writes={"study": write_study},
)

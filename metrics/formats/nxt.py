"""Meetings of the AMI and ICSI corpora in their own files, NITE XML (Carletta et al. 2005): words, dialogue acts, summaries, links.

``MEETING.SPEAKER.words.xml``, ``MEETING.SPEAKER.dialog-act.xml`` (ICSI: ``dialogue-acts``), ``MEETING.abssumm.xml``, ``MEETING.extsumm.xml``,
``MEETING.summlink.xml``. A file points into another by ``href="FILE#id(FIRST)..id(LAST)"``. Acts, sentences and links come out as the JSON of these
corpora has them, so that both are read by the same rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from metrics.errors import BadInput
from metrics.formats.xml_files import parsed_xml
from metrics.tables import readable

Said = dict[str, Any]
"""An act, a sentence or a link, as the JSON has it."""

ID, CHILD, POINTER = "nite:id", "nite:child", "nite:pointer"
ACTS = ("dialog-act", "dialogue-acts")
SECONDS = re.compile(r"\d{1,7}(\.\d+)?")
_HREF = re.compile(r"[^#]*#id\(([^)]+)\)(?:\.\.id\(([^)]+)\))?")


def layer_of(path: Path) -> str:
    """What a file is about: ``words``, ``dialog-act``, ``abssumm`` …"""
    return path.name.removesuffix(".xml").rpartition(".")[2]


def acts(dialogue: Sequence[Path], spoken: Sequence[Path]) -> list[Said]:
    """The dialogue acts of a meeting as they were said, one speaker's file after the other where two begin at once."""
    words = {_speaker(path): _words(path) for path in spoken}
    found: list[Said] = []
    for path in sorted(dialogue):
        speaker = _speaker(path)
        for element in _root(path):
            if element.find(CHILD) is None:
                continue  # ICSI has acts without words
            if speaker not in words:
                raise BadInput(f"expected the words of speaker {speaker} beside it", file=str(path))
            found.append(_act(element, speaker, words[speaker], path))
    return sorted(found, key=lambda act: float(act["starttime"]))


def sentences(path: Path) -> list[Said]:
    """The sentences of an abstract, each of the type that its heading is."""
    return [
        {"id": _name(sentence, path), "text": (sentence.text or "").strip(), "type": heading.tag}
        for heading in _root(path)
        for sentence in heading.iter("sentence")
    ]


def extract(path: Path, known: Sequence[Said]) -> list[Said]:
    """The acts of an extract; a pointer to several has all acts of one speaker from the first to the last."""
    return [act for child in _root(path).iter(CHILD) for act in _between(child, known, path)]


def links(path: Path, known: Sequence[Said], abstract: Sequence[Said]) -> list[Said]:
    """``{abstractive, extractive}``: the acts behind each sentence that has any, in the order of the abstract."""
    behind: dict[str, list[Said]] = {sentence["id"]: [] for sentence in abstract}
    for link in _root(path).iter("summlink"):
        ends = {pointer.get("role"): pointer for pointer in link.iter(POINTER)}
        if not {"abstractive", "extractive"} <= set(ends):
            raise BadInput("expected an abstractive and an extractive end of every link", file=str(path))
        sentence, _ = _ends(ends["abstractive"], path)
        if sentence not in behind:
            raise BadInput(f"expected sentence {sentence} in the abstract", file=str(path))
        behind[sentence] += _between(ends["extractive"], known, path)
    return [
        {"abstractive": sentence, "extractive": behind[sentence["id"]]}
        for sentence in abstract
        if behind[sentence["id"]]
    ]


def _root(path: Path) -> ElementTree.Element:
    with readable(path):
        return parsed_xml(path.read_bytes(), path)


def _speaker(path: Path) -> str:
    return path.name.split(".")[1]


def _name(element: ElementTree.Element, path: Path) -> str:
    name = element.get(ID, "")
    if not name:
        raise BadInput(f"expected a {ID} in every <{element.tag}>", file=str(path))
    return name


def _words(path: Path) -> dict[str, Mapping[str, str]]:
    """Everything that was heard, by id, in its order; what is no word (a cough, a gap) stands as ``<vocalsound>``."""
    return {
        _name(one, path): {**one.attrib, "text": (one.text or "") if one.tag == "w" else f"<{one.tag}>"}
        for one in _root(path)
    }


def _act(
    element: ElementTree.Element, speaker: str, words: Mapping[str, Mapping[str, str]], path: Path
) -> Said:
    name, order = _name(element, path), list(words)
    heard: list[str] = []
    for child in element.iter(CHILD):
        first, last = _ends(child, path)
        if first not in words or last not in words:
            raise BadInput(f"expected the words of act {name} among those of {speaker}", file=str(path))
        heard += order[order.index(first) : order.index(last) + 1]
    if not heard:
        raise BadInput(f"expected words from the first to the last of act {name}", file=str(path))
    start = element.get("starttime") or words[heard[0]].get("starttime", "")
    end = element.get("endtime") or _last(words[word].get("endtime", "") for word in heard)
    if not SECONDS.fullmatch(start):
        raise BadInput(f"expected the time at which act {name} begins", file=str(path))
    return {
        "id": name,
        "speaker": speaker,
        "starttime": start,
        "startwordid": heard[0],
        "endtime": end,
        "endwordid": heard[-1],
        "text": " ".join(words[word]["text"] for word in heard).strip(),
    }


def _last(values: Iterable[str]) -> str:
    return next((value for value in reversed(list(values)) if value), "")


def _ends(pointer: ElementTree.Element, path: Path) -> tuple[str, str]:
    found = _HREF.fullmatch(pointer.get("href", ""))
    if found is None:
        raise BadInput(f"expected FILE#id(…), found {pointer.get('href', '')!r}", file=str(path))
    return found[1], found[2] or found[1]


def _between(pointer: ElementTree.Element, known: Sequence[Said], path: Path) -> Iterator[Said]:
    first, last = _ends(pointer, path)
    places = {act["id"]: place for place, act in enumerate(known)}
    if unknown := [name for name in (first, last) if name not in places]:
        raise BadInput(f"expected dialogue act {unknown[0]}", file=str(path))
    speaker = known[places[first]]["speaker"]
    yield from (act for act in known[places[first] : places[last] + 1] if act["speaker"] == speaker)

"""Summaries of the AMI and ICSI meeting corpora: abstracts by heading, extracts of dialogue acts, and the links between them.

Read in their own form (NITE XML, ``metrics/formats/nxt.py``) or in the JSON into which others have turned it (Shang et al. 2020:
``dialogueActs/MEETING.json``, ``abstractive/``, ``extractive/``, ``summlink/``); written as that JSON. A dialogue act is a line of the document, and
rows carry what the corpus says of it in the further column ``ami``, so that a file that came in goes out again.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.formats import nxt
from metrics.formats.base import Files, Format, file_name, further_cells, long_table
from metrics.formats.nxt import Said
from metrics.frames import read_attributes, scored
from metrics.human.base import attribute
from metrics.human.extract import SLUG, abstracts
from metrics.tables import json_list

WHO = "ami"
AS_READ = "ami"
"""The further column: a row's sentences, or its act, as the corpus has them (JSON)."""
ABSTRACT, EXTRACT, LINKS = "abstractive", "extractive", "summlink"
_JSON_LAYERS = {"dialogueActs": "dialogueActs", ABSTRACT: "abssumm", EXTRACT: "extsumm", LINKS: "summlink"}
_INNER_END = re.compile(r"[.!?]\s+\S")
_XML_LAYERS = ("words", *nxt.ACTS, "abssumm", "extsumm", "summlink")


@dataclass
class Meeting:
    """What is known of one meeting."""

    name: str
    acts: list[Said] = field(default_factory=list)
    sentences: list[Said] = field(default_factory=list)
    extract: list[Said] = field(default_factory=list)
    links: list[Said] = field(default_factory=list)


# --- in -------------------------------------------------------------------------------------------------------------


def read_judgments(paths: Sequence[Path]) -> pd.DataFrame:
    """The long table: abstracts, lines that were taken, links."""
    rows = [row for meeting in _meetings(paths) for row in _rows(meeting)]
    return long_table(rows, paths, kind=SLUG, task="summaries", assessor=WHO)


def read_documents(paths: Sequence[Path]) -> pd.DataFrame:
    """``id, units``: a line for each dialogue act, with time and speaker as the page of an extract shows them."""
    found = [
        (meeting.name, [_line(act) for act in meeting.acts]) for meeting in _meetings(paths) if meeting.acts
    ]
    return pd.DataFrame(found, columns=["id", "units"])


def read_references(paths: Sequence[Path]) -> pd.DataFrame:
    """The abstracts, headings one below the other: ``reference, item, text``."""
    return abstracts(read_judgments(paths))


def _line(act: Said) -> str:
    seconds = int(float(act["starttime"]))
    return f"[{seconds // 60:02}:{seconds % 60:02}] {act['speaker']}: {act['text']}"


def _meetings(paths: Sequence[Path]) -> list[Meeting]:
    """Files of other layers (segments, topics …) are passed over: who names a meeting by a pattern gets them all."""
    files: dict[str, dict[str, list[Path]]] = {}
    for path in paths:
        layer = _layer(path)
        if layer:
            files.setdefault(path.name.split(".")[0], {}).setdefault(layer, []).append(path)
    if not files:
        raise BadInput(
            "expected files such as ES2002a.abssumm.xml or abstractive/ES2002a.json", file=str(paths[0])
        )
    return [_meeting(name, by_layer) for name, by_layer in files.items()]


def _layer(path: Path) -> str:
    if _is_json(path):
        return _JSON_LAYERS.get(path.parent.name, "")
    layer = nxt.layer_of(path)
    return layer if path.suffix == ".xml" and layer in _XML_LAYERS else ""


def _meeting(name: str, files: Mapping[str, Sequence[Path]]) -> Meeting:
    dialogue = [path for layer in nxt.ACTS for path in files.get(layer, ())]
    meeting = Meeting(name, acts=nxt.acts(dialogue, files.get("words", ())))
    for path in _one(files, "dialogueActs", name):
        meeting.acts = [_checked_act(act, path) for act in json_list(path)]
    if len({act["id"] for act in meeting.acts}) < len(meeting.acts):
        raise BadInput(f"expected an id of its own for every dialogue act of {name}")
    for path in _one(files, "abssumm", name):
        meeting.sentences = json_list(path) if _is_json(path) else nxt.sentences(path)
        _check_sentences(meeting.sentences, path)
    for path in _one(files, "extsumm", name):
        meeting.extract = json_list(path) if _is_json(path) else nxt.extract(path, meeting.acts)
        _check_known(meeting.extract, meeting.acts, "dialogue act", path)
    for path in _one(files, "summlink", name):
        meeting.links = (
            json_list(path) if _is_json(path) else nxt.links(path, meeting.acts, meeting.sentences)
        )
        _check_links(meeting, path)
    return meeting


def _one(files: Mapping[str, Sequence[Path]], layer: str, name: str) -> Sequence[Path]:
    found = files.get(layer, ())
    if len(found) > 1:
        raise BadInput(f"expected one file of {layer} of {name}, found {len(found)}", file=str(found[1]))
    return found


def _is_json(path: Path) -> bool:
    return path.suffix == ".json"


def _checked_act(act: Said, path: Path) -> Said:
    if not all(isinstance(act.get(name), str) for name in ("id", "speaker", "starttime", "text")):
        raise BadInput("expected id, speaker, starttime and text of every act", file=str(path))
    if not nxt.SECONDS.fullmatch(act["starttime"]):
        raise BadInput(f"expected the seconds at which {act['id']} begins", file=str(path))
    return act


def _check_sentences(sentences: Sequence[Said], path: Path) -> None:
    for sentence in sentences:
        if not all(isinstance(sentence.get(name), str) for name in ("id", "text", "type")):
            raise BadInput("expected id, text and type of every sentence", file=str(path))
        if not sentence["type"] or any(sign in sentence["type"] for sign in "/:"):
            raise BadInput(f"expected a heading, found {sentence['type']!r}", file=str(path))


def _check_known(found: Sequence[Said], known: Sequence[Said], what: str, path: Path) -> None:
    names = {one["id"] for one in known}
    for one in found:
        if not isinstance(one.get("id"), str) or one["id"] not in names:
            raise BadInput(f"expected a {what} of the meeting, found {one.get('id')!r}", file=str(path))


def _check_links(meeting: Meeting, path: Path) -> None:
    for link in meeting.links:
        sentence, behind = link.get(ABSTRACT), link.get(EXTRACT)
        if not isinstance(sentence, dict) or not isinstance(behind, list):
            raise BadInput("expected links of an abstractive sentence with extractive acts", file=str(path))
        _check_known([sentence], meeting.sentences, "sentence", path)
        if not all(isinstance(act, dict) for act in behind):
            raise BadInput("expected links of an abstractive sentence with extractive acts", file=str(path))
        _check_known(behind, meeting.acts, "dialogue act", path)


def _rows(meeting: Meeting) -> Iterator[dict[str, object]]:
    common = {"item": meeting.name, "document": meeting.name}
    numbers = {act["id"]: n for n, act in enumerate(meeting.acts, start=1)}
    names: dict[str, str] = {}
    for heading in dict.fromkeys(sentence["type"] for sentence in meeting.sentences):
        own = [sentence for sentence in meeting.sentences if sentence["type"] == heading]
        names |= {sentence["id"]: f"{heading}/{n}" for n, sentence in enumerate(own, start=1)}
        _warn_of_several(own, meeting.name)
        # A blank line ends a sentence wherever a text is cut.
        text = "\n\n".join(sentence["text"] for sentence in own)
        yield common | {"unit": heading, "criterion": "abstract", "label": text, AS_READ: _as_json(own)}
    for act in _once(meeting.extract):
        row = {"unit": str(numbers[act["id"]]), "criterion": "extract", "value": 1.0, AS_READ: _as_json(act)}
        yield common | row
    for link in meeting.links:
        for act in _once(link[EXTRACT]):
            unit = f"{names[link[ABSTRACT]['id']]}:{numbers[act['id']]}"
            yield common | {"unit": unit, "criterion": "link", "value": 1.0, AS_READ: _as_json(act)}


def _warn_of_several(sentences: Sequence[Said], meeting: str) -> None:
    """Links count sentences as the corpus does. A study cuts an abstract anew, and must find the same ones."""
    several = [sentence["id"] for sentence in sentences if _INNER_END.search(sentence["text"])]
    if several:
        warnings.warn(
            f"{meeting}: {several[0]} looks like several sentences; links to what follows it would point elsewhere in a study",
            stacklevel=2,
        )


def _once(acts: Sequence[Said]) -> list[Said]:
    return list({act["id"]: act for act in acts}.values())


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- out ------------------------------------------------------------------------------------------------------------


def write_judgments(judgments: pd.DataFrame, *, attributes: Path | None = None) -> Files:
    """Three files a meeting, in a folder of its own for each of several people. Where the table came from no such file,
    ``attributes`` of the export have the lines and the sentences."""
    rows = scored(judgments[judgments["kind"] == SLUG])
    if rows.empty:
        raise BadInput(f"expected judgments of kind {SLUG}")
    known = None if attributes is None else read_attributes(attributes)
    lines, spoken = (
        {str(key): text for key, text in attribute(known, scope, "text").items()}
        for scope in ("line", "sentence")
    )
    several = len(set(rows["assessor"])) > 1
    files: Files = {}
    for key, own in rows.groupby(["task", "item", "assessor"], sort=False):
        task, item, who = map(str, key)
        folder = f"{file_name(who, 'assessor')}/" if several else ""
        name = f"{file_name(item, 'meeting')}.json"
        if f"{folder}{ABSTRACT}/{name}" in files:
            raise BadInput(f"expected the judgments of one task, found {task} too", column="task")
        sentences = _sentences(own, spoken, f"{task}/{item}/{who}")
        acts = _acts(own, lines, item)
        files |= {
            f"{folder}{ABSTRACT}/{name}": _as_json(list(sentences.values())),
            f"{folder}{EXTRACT}/{name}": _as_json(
                [acts[unit] for unit in own.loc[own["criterion"] == "extract", "unit"]]
            ),
            f"{folder}{LINKS}/{name}": _as_json(list(_linked(own, sentences, acts))),
        }
    return files


def _as_read(rows: pd.DataFrame) -> Iterable[tuple[str, str]]:
    """Units of rows and what a corpus says of them, "" where nothing does."""
    return zip(rows["unit"], further_cells(rows, AS_READ), strict=True)


def _from_json(cell: str, kind: type[Any]) -> Any:
    try:
        value = json.loads(cell)
    except (RecursionError, ValueError):
        value = None
    if not isinstance(value, kind):
        raise BadInput("expected JSON as it was read", column=AS_READ)
    return value


def _sentences(rows: pd.DataFrame, texts: Mapping[str, str], before: str) -> dict[str, Said]:
    """By their names in links, ``decisions/1``."""
    found: dict[str, Said] = {}
    for heading, cell in _as_read(rows[rows["criterion"] == "abstract"]):
        if cell:
            own = _from_json(cell, list)
        else:
            start = f"{before}/{heading}/"
            said = [text for key, text in texts.items() if key.startswith(start)]
            if not said:
                raise BadInput(f"expected --attributes FILE with the sentences of {before}/{heading}")
            own = [
                {"id": f"{start.replace('/', '.')}{n}", "text": text, "type": heading}
                for n, text in enumerate(said, start=1)
            ]
        found |= {f"{heading}/{n}": sentence for n, sentence in enumerate(own, start=1)}
    return found


def _acts(rows: pd.DataFrame, texts: Mapping[str, str], item: str) -> dict[str, Said]:
    """By their numbers."""
    found: dict[str, Said] = {}
    for unit, cell in _as_read(rows[rows["criterion"] != "abstract"]):
        number = unit.rpartition(":")[2]
        if cell:
            found[number] = _from_json(cell, dict)
        elif number not in found:
            if f"{item}/{number}" not in texts:
                raise BadInput(f"expected --attributes FILE with line {number} of {item}")
            found[number] = {"id": f"{item}.{number}", "text": texts[f"{item}/{number}"]}
    return found


def _linked(rows: pd.DataFrame, sentences: Mapping[str, Said], acts: Mapping[str, Said]) -> Iterator[Said]:
    behind: dict[str, list[Said]] = {}
    for unit in rows.loc[rows["criterion"] == "link", "unit"]:
        sentence, _, number = unit.rpartition(":")
        if sentence not in sentences:
            raise BadInput(f"expected sentence {sentence} in the abstract")
        behind.setdefault(sentence, []).append(acts[number])
    yield from ({ABSTRACT: one, EXTRACT: behind[name]} for name, one in sentences.items() if name in behind)


FORMAT = Format(
    "summaries of the AMI and ICSI meetings, NITE XML or JSON",
    reads={"judgments": read_judgments, "documents": read_documents, "references": read_references},
    writes={"judgments": write_judgments},
)

"""A meeting of our own as the AMI corpus has it: NITE XML, and the JSON of github guokan-shang/ami-and-icsi-corpora (its README)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.metrics.formats.texts import write

NITE = 'xmlns:nite="http://nite.sourceforge.net/"'
SPOKEN = {
    # speaker: word ids are M1.A.words0 …; what is no word is a tag
    "A": [
        ("w", "Good", 0.5),
        ("w", "morning", 0.9),
        ("w", ".", 1.2),
        ("w", "We", 6.0),
        ("w", "open", 6.3),
        ("w", "in", 6.5),
        ("w", "May", 6.7),
    ],
    "B": [("vocalsound", "", 2.0), ("w", "Is", 2.5), ("w", "it", 2.7), ("w", "dry", 2.9), ("w", "?", 3.1)],
}
ACTS = {"A": [(0, 2), (3, 6)], "B": [(0, 0), (1, 4)]}
ABSTRACT = {"abstract": ["They plan, slowly", "Somebody asks."], "decisions": ["It opens in May."]}


def _root(name: str, body: str) -> str:
    return f'<?xml version="1.0" encoding="ISO-8859-1"?>\n<nite:root nite:id="{name}" {NITE}>\n{body}</nite:root>\n'


def _href(file: str, first: str, last: str = "") -> str:
    return f"M1.{file}.xml#id({first})" + (f"..id({last})" if last else "")


def nxt_files(folder: Path) -> list[Path]:
    """Everything of the meeting, and a layer that nobody asked for."""
    files = {"segments/M1.A.segments.xml": _root("M1.A.segs", "")}
    for speaker, words in SPOKEN.items():
        files[f"words/M1.{speaker}.words.xml"] = _root(
            f"M1.{speaker}.words",
            "".join(
                f'<{tag} nite:id="M1.{speaker}.words{n}" starttime="{start}" endtime="{start + 0.2:.1f}">{text}</{tag}>\n'
                for n, (tag, text, start) in enumerate(words)
            ),
        )
        files[f"dialogueActs/M1.{speaker}.dialog-act.xml"] = _root(
            f"M1.{speaker}.da",
            "".join(
                f'<dact nite:id="M1.{speaker}.da.{n}"><nite:pointer role="da-aspect" href="da-types.xml#id(ami_da_4)"/>'
                f'<nite:child href="{_href(f"{speaker}.words", f"M1.{speaker}.words{first}", f"M1.{speaker}.words{last}")}"/></dact>\n'
                for n, (first, last) in enumerate(ACTS[speaker], start=1)
            ),
        )
    number = 0
    body = ""
    for heading, sentences in ABSTRACT.items():
        inner = ""
        for text in sentences:
            number += 1
            inner += f'<sentence nite:id="M1.ann.s.{number}">{text}</sentence>\n'
        body += f'<{heading} nite:id="M1.{heading}">{inner}</{heading}>\n'
    files["abstractive/M1.abssumm.xml"] = _root("M1.abssumm", body + '<problems nite:id="M1.p"></problems>\n')
    child = f'<nite:child href="{_href("B.dialog-act", "M1.B.da.1", "M1.B.da.2")}"/>'
    child += f'<nite:child href="{_href("A.dialog-act", "M1.A.da.2")}"/>'
    files["extractive/M1.extsumm.xml"] = _root("M1.e", f'<extsumm nite:id="M1.e.1">{child}</extsumm>\n')
    links = [("B.da.1", 2), ("B.da.2", 2), ("A.da.2", 3), ("A.da.2", 1)]
    files["extractive/M1.summlink.xml"] = _root(
        "M1.l",
        "".join(
            f'<summlink nite:id="M1.l.{n}"><nite:pointer role="extractive" href="{_href("x", f"M1.{act}")}"/>'
            f'<nite:pointer role="abstractive" href="{_href("abssumm", f"M1.ann.s.{sentence}")}"/></summlink>\n'
            for n, (act, sentence) in enumerate(links)
        ),
    )
    return [write(folder / name, text) for name, text in files.items()]


def _act(name: str, start: str, words: str, end: str, text: str) -> dict[str, object]:
    first, last = words.split("-")
    speaker = name[0]
    return {
        "id": f"M1.{name}",
        "speaker": speaker,
        "starttime": start,
        "startwordid": f"M1.{speaker}.words{first}",
        "endtime": end,
        "endwordid": f"M1.{speaker}.words{last}",
        "text": text,
    }


def json_files(folder: Path) -> list[Path]:
    """The same; acts carry what NITE keeps in further files."""
    acts = [
        _act("A.da.1", "0.5", "0-2", "1.4", "Good morning ."),
        _act("B.da.1", "2.0", "0-0", "2.2", "<vocalsound>"),
        _act("B.da.2", "2.5", "1-4", "3.3", "Is it dry ?"),
        _act("A.da.2", "6.0", "3-6", "6.9", "We open in May"),
    ]
    for act in acts:
        act |= {"label": "inf", "attributes": {"role": "PM"}}
    _, cough, dry, may = acts
    said = [(heading, text) for heading, texts in ABSTRACT.items() for text in texts]
    sentences = [
        {"id": f"M1.ann.s.{n}", "text": text, "type": heading}
        for n, (heading, text) in enumerate(said, start=1)
    ]
    layers = {
        "dialogueActs": acts,
        "abstractive": sentences,
        "extractive": [cough, dry, may],
        "summlink": [
            {"abstractive": sentences[0], "extractive": [may]},
            {"abstractive": sentences[1], "extractive": [cough, dry]},
            {"abstractive": sentences[2], "extractive": [may]},
        ],
    }
    return [write(folder / layer / "M1.json", json.dumps(value)) for layer, value in layers.items()]

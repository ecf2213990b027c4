"""XML of other tools, read so that no file can harm: entities of a file's own are refused, and nothing is fetched."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from metrics.errors import BadInput


def parsed_xml(text: str | bytes, path: Path) -> ElementTree.Element:
    """The root of a document. Prefixes stay in names (``nite:id``): no tool of the field has two for one namespace."""
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data

    def refuse(*_: object) -> None:
        raise BadInput("expected no entities of its own", file=str(path))

    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
        return builder.close()
    except BadInput:
        raise
    except (expat.ExpatError, AssertionError, LookupError, ValueError) as problem:
        raise BadInput(f"expected XML: {problem}", file=str(path)) from problem

"""A scene as a file, whatever its form."""

from __future__ import annotations

from metrics.drawing.paper import printed
from metrics.drawing.scene import Scene
from metrics.drawing.svg import file_svg
from metrics.errors import BadInput

PICTURES = ("svg", "pdf", "png")


def scene_file(scene: Scene, form: str, *, title: str) -> bytes:
    """The content of the file; the same scene gives the same bytes."""
    if form not in PICTURES:
        raise BadInput(f"expected a picture as {', '.join(PICTURES)}, found {form!r}")
    return file_svg(scene, title=title) if form == "svg" else printed(scene, form, title=title)

"""Formats of the field, in and out: one module per format, one line each in ``FORMATS``.

A format turns files into one of our tables (``judgments``, ``scores``, ``outputs``, ``references``, ``documents``) or a whole finished
``study``, and back. ``docs/formats.md`` says what maps to what.
"""

from __future__ import annotations

from metrics.formats import (
    ami,
    appraise,
    ducview,
    esa,
    litepyramid,
    mqm,
    mtme,
    nuggetizer,
    pearmut,
    plain_text,
    rose,
    sacrerouge,
    summeval,
    wmt,
    wmt_ranking,
)
from metrics.formats.base import Format

__all__ = ["FORMATS", "TABLES", "Format"]

FORMATS: dict[str, Format] = {
    "summeval": summeval.FORMAT,
    "appraise": appraise.FORMAT,
    "wmt": wmt.FORMAT,
    "wmt-ranking": wmt_ranking.FORMAT,
    "mtme": mtme.FORMAT,
    "sacrerouge": sacrerouge.FORMAT,
    "mqm": mqm.FORMAT,
    "esa": esa.FORMAT,
    "pearmut": pearmut.FORMAT,
    "ducview": ducview.FORMAT,
    "rose": rose.FORMAT,
    "litepyramid": litepyramid.FORMAT,
    "nuggetizer": nuggetizer.FORMAT,
    "ami": ami.FORMAT,
    "text": plain_text.FORMAT,
}

TABLES = ("judgments", "scores", "outputs", "references", "documents", "study")

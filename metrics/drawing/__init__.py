"""Drawings: what a figure consists of, in Python alone, and the ways to show it.

A *scene* (:mod:`metrics.drawing.scene`) is a list of lines, areas, dots and words with places in pixels and colours by their
part (ink, accent, the third series). :mod:`metrics.drawing.svg` writes it for a page, in the page's own colours, or as a file;
:mod:`metrics.drawing.paper` as PNG and PDF. Nothing else decides where anything stands.
"""

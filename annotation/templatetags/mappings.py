"""Names and values whose names are not ours: ``mapping.items`` in a template would be the value of a name “items”."""

from __future__ import annotations

from collections.abc import ItemsView, Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def pairs(mapping: Mapping[str, Any] | None) -> ItemsView[str, Any]:
    return (mapping or {}).items()

"""How pages show what the audit trail recorded."""

from typing import Any

from django import template

from annotation.words import phrase

register = template.Library()


@register.filter
def who(actor: str) -> str:
    """Who acted, for a column of people: an account by its name alone."""
    return actor.removeprefix("experimenter ")


@register.filter
def as_recorded(value: Any) -> str:
    """A recorded value as people read it: nothing is a dash, a list its entries."""
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, bool):
        return phrase("yes") if value else phrase("no")
    if isinstance(value, dict):
        return ", ".join(f"{name}: {as_recorded(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(as_recorded(one) for one in value)
    return str(value)

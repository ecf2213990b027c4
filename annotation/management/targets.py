"""What ``exclude`` and ``include`` share: how somebody names what they mean."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser

from annotation.models import Study
from annotation.selectors.exclusions import Target, target_named

WHATS = ("assessor", "judgment", "item", "task")


def add_targets(parser: CommandParser) -> None:
    parser.add_argument("slug")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--assessor", metavar="A", help="a name or a pseudonym")
    group.add_argument("--judgment", metavar="J", help="assessor/position, such as A03/17, as in the export")
    group.add_argument("--item", metavar="I", help="the id of a document or a topic")
    group.add_argument("--task", metavar="T", help="the name of a task")


def target_or_error(study: Study, options: dict[str, object]) -> Target:
    what = next(what for what in WHATS if options[what])
    target = target_named(study, what, str(options[what]))
    if target is None:
        raise CommandError(f"There is no {what} “{options[what]}” in {study.slug}.")
    return target

"""What people type, for pages that tell them to: it differs between the repository and an installed program."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def run_command() -> str:
    return settings.RUN_COMMAND


@register.simple_tag
def manage_command() -> str:
    return settings.MANAGE_COMMAND

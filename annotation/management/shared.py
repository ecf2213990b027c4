"""What commands share."""

from django.core.management.base import CommandError

from annotation.models import Study


def study_or_error(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        known = ", ".join(Study.objects.values_list("slug", flat=True)[:20]) or "none"
        raise CommandError(f"There is no study “{slug}”. There are: {known}.")
    return study

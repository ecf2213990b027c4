"""``invite SLUG [NAME …]``: create assessors and print a personal link for each."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.urls import reverse

from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.services.assessors import assessor_create, assessor_link


class Command(BaseCommand):
    help = (
        "Print NAME<TAB>URL for each assessor: those named, who are created if they are new, or all of the study. "
        "An earlier link of the same assessor stops working."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("names", nargs="*", metavar="NAME")

    @transaction.atomic
    def handle(self, *, slug: str, names: list[str], **options: object) -> None:
        study = study_or_error(slug)
        known = {assessor.name: assessor for assessor in study.assessors.all()}
        if not names and not known:
            raise CommandError("The study has no assessors yet: give their names.")
        for name in names or known:
            try:
                assessor = known.get(name) or assessor_create(study=study, name=name)
            except Refused as refused:
                raise CommandError(str(refused)) from refused
            path = reverse("join", kwargs={"token": assessor_link(assessor=assessor)})
            self.stdout.write(f"{name}\t{settings.PUBLIC_URL}{path}")

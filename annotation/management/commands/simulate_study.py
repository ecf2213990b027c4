"""``simulate_study SLUG --seed S``: play every assignment with plausible judgments."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.services.simulation import study_simulate


class Command(BaseCommand):
    help = "Open a draft and play every assignment of every phase through the real services."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--seed", type=int, required=True)

    def handle(self, *, slug: str, seed: int, **options: object) -> None:
        study = study_or_error(slug)
        try:
            made = study_simulate(study=study, seed=seed)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{made} judgments made with seed {seed}")

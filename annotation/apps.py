"""The application that collects judgments; it computes no statistic."""

from django.apps import AppConfig
from django.conf import settings


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Kinds of other distributions may bring their words along, in a folder ``locale`` of their room."""
        from annotation.tasks import ROOMS  # noqa: PLC0415 - kinds are found when applications are ready

        settings.LOCALE_PATHS = [str(room / "locale") for room in ROOMS.values()]

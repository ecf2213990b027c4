"""The application that collects judgments; it computes no statistic."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

"""All addresses: assessors under ``/work/``, experimenters under ``/studies/``."""

from django.urls import include, path

urlpatterns = [path("", include("annotation.urls"))]

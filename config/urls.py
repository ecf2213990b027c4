"""All addresses: assessors under ``/work/``, experimenters under ``/studies/``, programs under ``/api/``."""

from django.urls import include, path

urlpatterns = [path("", include("annotation.urls"))]

# Pages are Django's own; a program gets JSON.
handler400 = "annotation.api.errors.bad_request"
handler500 = "annotation.api.errors.server_error"

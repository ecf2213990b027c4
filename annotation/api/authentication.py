"""Tokens: ``Authorization: Bearer touchstone_…``."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation.models import ApiToken
from annotation.services.tokens import token_used

WORD = "Bearer"


class BearerAuthentication(BaseAuthentication):
    """The token in the header, if there is one. A browser's session is looked at only where there is none."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        word, _, token = get_authorization_header(request).decode("latin-1").partition(" ")
        if word.lower() != WORD.lower():
            return None
        found = token_used(token=token.strip())
        if found is None:
            raise AuthenticationFailed(
                "This token is not known. It may have been revoked, or have had its time."
            )
        return found.user, found

    def authenticate_header(self, request: Request) -> str:
        return WORD


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token from the page “API tokens”."}

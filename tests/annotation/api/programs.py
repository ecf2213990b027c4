"""A program that uses the API with a token, and small studies for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from annotation.models import Membership, Study
from annotation.services.studies import membership_set
from annotation.services.tokens import token_create
from tests.factories import experimenter, member

ROOT = "/api/v1/studies/"


class Program(Client):
    """Sends its token, and takes care of forgery as a browser would have to: a token must not need that."""

    def __init__(self, user: User, **defaults: Any) -> None:
        super().__init__(enforce_csrf_checks=True, **defaults)
        self.user = user
        self.token = token_create(user=user, name="program")
        self.defaults["HTTP_AUTHORIZATION"] = f"Bearer {self.token}"


def program(study: Study | None = None, role: str = Membership.Role.OWNER) -> Program:
    """The program of a new experimenter, with this role in the study."""
    if study is None:
        return Program(experimenter())
    return Program(member(study, role))


def owned(study: Study, user: User) -> Study:
    membership_set(study=study, user=user, role=Membership.Role.OWNER)
    return study


def url(study: Study, rest: str = "") -> str:
    return f"{ROOT}{study.slug}/{rest}"


def at_once(requests: Sequence[Callable[[], Any]]) -> list[Any]:
    """The answers to requests that are sent at the same moment, each in a thread with a connection of its own."""
    together = Barrier(len(requests))

    def sent(request: Callable[[], Any]) -> Any:
        together.wait()
        try:
            return request()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(sent, requests))

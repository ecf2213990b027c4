"""What tests of accounts share: people, a clock for codes, and the way in by password and by two steps."""

from __future__ import annotations

import base64
import re

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation import totp
from annotation.models import TwoStep
from tests.factories import PASSWORD, experimenter, logged_in

OWN = "a much better phrase"


@pytest.fixture
def counts_from_zero():
    """Of wrong passwords and codes, whoever tried them before."""
    caches["throttle"].clear()
    yield
    caches["throttle"].clear()


@pytest.fixture
def erika() -> User:
    return experimenter("erika", last_login=timezone.now(), email="erika@example.org")


@pytest.fixture
def admin() -> Client:
    return logged_in(experimenter("admin", is_superuser=True))


@pytest.fixture
def now(monkeypatch) -> list[float]:
    """A clock that the test moves: no code is good twice, and the next one is 30 seconds away."""
    clock = [1_800_000_000.0]
    monkeypatch.setattr("annotation.services.two_step.time.time", lambda: clock[0])
    return clock


def log_in(client: Client, username: str, password: str, **fields: str):
    return client.post(reverse("login"), {"username": username, "password": password, **fields})


def code_of(user: User, clock: list[float]) -> str:
    secret = TwoStep.objects.get(user=user).secret
    return totp.hotp(base64.b32decode(secret), totp.counter_at(clock[0]))


def switched_on(user: User, clock: list[float]) -> list[str]:
    """Set up as on the page; the recovery codes that it shows."""
    client = logged_in(user)
    page = client.get(reverse("two_step")).content.decode()
    secret = TwoStep.objects.get(user=user).secret
    assert secret[:4] in page
    assert f"secret={secret}" in page
    shown = client.post(
        reverse("two_step"), {"code": code_of(user, clock), "password": PASSWORD}
    ).content.decode()
    clock[0] += 30
    return re.findall(r"<code>([A-Z2-7-]{19})</code>", shown)

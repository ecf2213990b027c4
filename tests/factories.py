"""People for tests: experimenters with a role in a study, and browsers that are logged in or came in by a link."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Assessor, Membership, Study
from annotation.services.assessors import assessor_link
from annotation.services.studies import membership_set

PASSWORD = "correct horse battery staple"
_numbers = count(1)


def experimenter(username: str = "", *, password: str = PASSWORD, **fields: Any) -> User:
    return User.objects.create_user(username or f"experimenter{next(_numbers)}", password=password, **fields)


def member(study: Study, role: str = Membership.Role.OWNER, username: str = "") -> User:
    """An experimenter with this role. A study keeps at least one owner, so the first is made owner whatever is asked."""
    if role != Membership.Role.OWNER and not study.memberships.filter(role=Membership.Role.OWNER).exists():
        member(study)
    user = experimenter(username)
    membership_set(study=study, user=user, role=role)
    return user


def logged_in(user: User) -> Client:
    """A browser of this experimenter, without the throttled way in."""
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def owner_client(study: Study) -> Client:
    return logged_in(member(study))


def viewer_client(study: Study) -> Client:
    return logged_in(member(study, Membership.Role.VIEWER))


def assessor_client(assessor: Assessor) -> Client:
    """A browser in which the assessor's link was opened."""
    client = Client()
    response = client.get(reverse("join", args=[assessor_link(assessor=assessor)]))
    assert response.status_code == 302
    return client

"""Schemathesis reads the schema, asks for everything in it in thousands of ways, and finds no answer that the schema
does not describe."""

from __future__ import annotations

from itertools import count

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from rest_framework.throttling import SimpleRateThrottle
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.services.scores import scores_import
from annotation.services.simulation import study_simulate
from config.wsgi import application
from tests.annotation.api.programs import program
from tests.studies import SEE, TIDES, make_study

pytestmark = pytest.mark.django_db

NAMES = ("metric", "system", "item", "score", "higher_is_better")
CELLS = st.sampled_from(
    ["bleu", "qx31", "wv77", "d1", "d2", "", "0.5", "-1e9", "nan", "true", "false", '"', "é\x00"]
)
ROWS = st.lists(st.lists(CELLS, min_size=4, max_size=6).map(",".join), max_size=4)
TABLES = st.tuples(st.sampled_from([NAMES, NAMES[:4], NAMES[1:]]).map(",".join), ROWS)
schemathesis.openapi.media_type(
    "text/csv", TABLES.map(lambda table: "\n".join([table[0], *table[1]]).encode()) | st.binary(max_size=40)
)

load_all_checks()
CONFORMS = [
    CHECKS.get_one("not_a_server_error"),
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
schema.config.generation.update(with_security_parameters=False)
asked = count()


@pytest.fixture
def one_connection():
    """The application does not close the connection after a request, which would end the test's transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def world(one_connection, monkeypatch):
    """A study that has everything: what an address names in it, and the token of each who could ask."""
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"user": "100000/s", "anon": "100000/s"})
    study = make_study(SEE, TIDES, slug="here", documents=2)
    study_simulate(study=study, seed=3)
    scores_import(study=study, given=b"metric,system,item,score\nbleu,qx31,d1,0.5\nbleu,wv77,d1,\n")
    named = {"slug": study.slug, "id": study.assessors.first().pk}
    owner, viewer = program(study), program(study, "viewer")
    return named, [owner.token] * 6 + [viewer.token, "touchstone_unknown"]


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
def test_every_answer_is_described_in_the_schema(case, world):
    named, tokens = world
    number = next(asked)
    # A made-up slug is nearly always 404, after which nothing else is tried: most of them name the study.
    if case.path_parameters and number % 5:
        case.path_parameters = {name: named.get(name, value) for name, value in case.path_parameters.items()}
    headers = {"Authorization": f"Bearer {tokens[number % len(tokens)]}"}
    with transaction.atomic():
        case.call_and_validate(app=application, headers=headers, checks=CONFORMS)
        transaction.set_rollback(True)

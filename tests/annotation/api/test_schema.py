"""Schemathesis reads the schema, asks for everything in it in thousands of ways, and finds no answer that the schema
does not describe."""

from __future__ import annotations

import io
import shutil
import uuid
from itertools import count
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import override_settings
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from rest_framework.throttling import SimpleRateThrottle
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.api.documented import JSON
from annotation.downloads import TYPES
from annotation.export import COLUMNS, judgment_rows
from annotation.export_files import csv_lines
from annotation.models import Assessor, Assignment, Judgment, ProgramItem, Study, Subject
from annotation.reports.files import report_files
from annotation.services.accounts import invitation_make
from annotation.services.adjudication import adjudications_give, adjudicators_add
from annotation.services.assessors import flag_raise
from annotation.services.bin import study_bin
from annotation.services.changes import study_pause
from annotation.services.exclusions import exclusion_add
from annotation.services.joining import join_link_set
from annotation.services.keys import key_choose
from annotation.services.mail import assessor_email_set
from annotation.services.persons import assessor_pause
from annotation.services.programs import program_enter, program_next, program_turn
from annotation.services.scores import scores_import
from annotation.services.simulation import study_simulate
from annotation.services.studies import membership_set, study_close, study_open
from annotation.study_files import zipped
from config.wsgi import application
from tests.annotation.api.programs import program
from tests.annotation.services.test_changes import more_documents
from tests.annotation.test_keys import UNITS, builders
from tests.factories import experimenter, member
from tests.keyed_studies import answer_all
from tests.reports import QUICK, finished_run
from tests.studies import SEE, TIDES, make_study, plausible_answer, study_file

pytestmark = pytest.mark.django_db

WRITTEN = UNITS | {"builders_per_item": 2}
ROW = {"metric": "mine", "system": "qx31", "item": "d1", "score": 1}
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
    response_headers_conformance,
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
def world(one_connection, everything, own_data, monkeypatch):
    """What ``everything`` has; what a test does with it is undone."""
    folder, named, tokens = everything
    shutil.copytree(folder, own_data, dirs_exist_ok=True)
    monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", {"user": "100000/s", "anon": "100000/s"})
    return named, tokens


@pytest.fixture(scope="module")
def everything(django_db_setup, django_db_blocker, tmp_path_factory):
    """Made once for all addresses: it takes longer than to ask each of them."""
    folder = tmp_path_factory.mktemp("data")
    with django_db_blocker.unblock(), override_settings(DATA_DIR=folder):
        yield folder, *_make_everything()
        call_command("flush", interactive=False, verbosity=0)


def _make_everything() -> tuple[dict[str, list[Any]], list[str]]:
    """A study that has everything: what an address can name in it, and the token of each who could ask."""
    study = make_study(SEE, TIDES, slug="here", documents=2)
    study_simulate(study=study, seed=3)
    scores_import(study=study, given=b"metric,system,item,score\nbleu,qx31,d1,0.5\nbleu,wv77,d1,\n")
    done = finished_run(study)
    queued = study.runs.create(options=done.options)
    exclusion = exclusion_add(study=study, target=study.documents.last(), reason="Broken")
    join_link_set(study=study, rules={})
    first, second = study.assessors.order_by("pk")
    twice = [judged_twice(row, second) for row in first.assignments.filter(counts=True, left_out=False)[:2]]
    (adjudicator,) = adjudicators_add(study=study, names=["Dora"])
    adjudications_give(study=study, subjects=twice[:1], adjudicator=adjudicator)
    binned = make_study(slug="binned")
    member(binned)
    study_bin(study=binned, by="owner")
    turn = program_next(program=program_enter(study=study, name="letters"))
    named = {
        "program": ["letters"],
        "handed": [turn.item.public_id],
        "exclusions": [exclusion.pk],
        "threads": [flag_raise(assessor=first, comment="Broken").pk],
        "disagreement": [twice[0].pk],
        "adjudicators": [adjudicator.pk],
        "pieces": [twice[1].pk],
        "bin": [binned.pk],
        "slug": [study.slug],
        "assessors": [study.assessors.first().pk],
        "runs": [done.pk, done.pk, queued.pk],
        "name": [file.name for file in report_files(done.folder)],
        "ending": list(TYPES),
        "queued": [queued.pk],
    }
    owner, viewer = program(study), program(study, "viewer")
    membership_set(study=binned, user=owner.user, role="owner")
    User.objects.filter(pk=owner.user.pk).update(is_superuser=True)  # who looks after accounts, too
    named |= {
        "tasks": ["coverage"],
        "members": [study.memberships.get(user=viewer.user).pk],
        "invitations": [invitation_make(study=study, role="viewer")[0].pk],
        "accounts": [viewer.user.pk],
    }
    return named, [owner.token] * 6 + [viewer.token, "touchstone_unknown"]


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=10,
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
        case.path_parameters = _named(case.path_parameters, case.operation.path, named, number)
    headers = {"Authorization": f"Bearer {tokens[number % len(tokens)]}"}
    with transaction.atomic():
        case.call_and_validate(app=application, headers=headers, checks=CONFORMS)
        transaction.set_rollback(True)


def _named(path_parameters: dict, path: str, named: dict[str, list], number: int = 0) -> dict:
    """What the places in an address stand for; ``id`` is of whatever is listed before it."""
    listed = path.split("/{id}", maxsplit=1)[0].split("/{name}", maxsplit=1)[0].rpartition("/")[2]
    kinds = {
        name: listed if name == "id" or (name, listed) == ("name", "tasks") else name
        for name in path_parameters
    }
    return {name: named[kind][number % len(named[kind])] for name, kind in kinds.items()}


def built(owner: User) -> tuple[Study, Study]:
    """A draft, and a study in whose first phase two people have built a key."""
    draft, keyed = make_study(SEE, slug="draft"), make_study(WRITTEN, slug="keyed", documents=1, assessors=3)
    for study in (draft, keyed):
        membership_set(study=study, user=owner, role="owner")
    keyed.assessors.filter(name__in=["p1", "p2"]).update(group="w")
    keyed.assessors.filter(name="p3").update(group="r")
    study_open(study=keyed)
    answer_all(keyed, builders)
    return draft, keyed


def judged_twice(assignment: Assignment, other: Assessor) -> Subject:
    """Somebody else has said of it what was said already."""
    judgment = assignment.judgments.get()
    again = Assignment.objects.create(
        assessor=other,
        subject=assignment.subject,
        position=1000 + assignment.position,
        state=Assignment.State.DONE,
        shown_at=judgment.shown_at,
    )
    Judgment.objects.create(
        assignment=again,
        revision=1,
        client_key=uuid.uuid4(),
        answer=judgment.answer,
        shown_at=judgment.shown_at,
        submitted_at=judgment.submitted_at,
    )
    return assignment.subject


def said_by_a_program(public_id: str) -> dict[str, Any]:
    """An answer that can be taken."""
    turn = program_turn(item=ProgramItem.objects.select_related("program__study").get(public_id=public_id))
    return plausible_answer(turn.facts, turn.exhibit, seed=1)[0]


def not_done(assignment: Assignment) -> None:
    """As if nobody had judged it."""
    assignment.judgments.all().delete()
    Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.OPEN)


def test_every_operation_succeeds_and_gives_what_the_schema_says(world):
    """Once each with what it needs, by an owner: what is made up is refused most of the time."""
    named, (token, *_) = world
    study = Study.objects.get(slug=named["slug"][0])
    table = "".join(csv_lines(COLUMNS, judgment_rows(study))).encode()
    draft, keyed = built(study.memberships.get(role="owner").user)
    chosen = {"about": "r-d1", "author": keyed.assessors.get(name="p1").pseudonym}
    elsewhere = {
        **dict.fromkeys(("table_use", "units_cut", "design_set", "task_add", "task_configure"), draft.slug),
        "task_remove": draft.slug,
        "task_phase": keyed.slug,
        "task_key": keyed.slug,
    }
    bodies: dict[str, Any] = {
        "assessor_add": {"name": "New"},
        "scores_import": {"scores": [ROW]},
        "report_request": QUICK.model_dump(mode="json"),
        "program_enter": {"name": "letters"},
        "program_answer": {
            "item": named["handed"][0],
            "stage": 1,
            "answer": said_by_a_program(named["handed"][0]),
        },
        "exclusion_add": {"what": "assessor", "name": "A01", "reason": "careless"},
        "disagreement_set": {"by": "alpha", "threshold": 0.5},
        "thread_answer": {"comment": "Judge what is there."},
        "adjudicator_add": {"name": "Dirk"},
        "adjudications_give": {"pieces": named["pieces"]},
        "study_change": {"name": "Another name", "instructions": "Other."},
        "study_pause": {"message": "Back soon"},
        "study_rename": {"slug": "elsewhere"},
        "study_copy": {"slug": "copied", "name": "Copy"},
        "study_overlap": {"assessors_per_item": 2},
        "assessor_pause": {"message": "Wait"},
        "assessor_cap": {"judgments": 5},
        "assessor_email": {"email": "ada@example.org"},
        "assignment_give": {"position": 1, "to": None},
        "join_link_set": {"rules": {"cap": 3}},
        "links_mail": {"who": "all"},
        "units_cut": {"how": "lines"},
        "design_set": {"design": {"assessors_per_item": 3}},
        "task_add": {"template": "duc-coverage"},
        "task_configure": {"config": {"scale": "duc2002"}},
        "task_phase": {},
        "task_key": {"act": "choose", **chosen},
        "member_set": {"username": "newcomer", "role": "editor"},
        "member_invite": {"role": "viewer"},
        "account_invite": {"email": "nora@example.org"},
    }
    files = {
        "studies_import": (io.BytesIO(zipped(study_file(slug="new"))), "study.zip"),
        "table_use": (io.BytesIO(b"doc_id,source,system,summary\nd1,A story.,A,Short.\n"), "table.csv"),
        "judgments_import": (io.BytesIO(table), "judgments.csv"),
        "study_wave": (io.BytesIO(zipped(more_documents(study, "d3"))), "study.zip"),
    }
    person = study.assessors.first()
    before = {
        "study_open": lambda: study_close(study=Study.objects.get(pk=study.pk)),
        "study_archive": lambda: study_close(study=Study.objects.get(pk=study.pk)),
        "study_resume": lambda: study_pause(study=Study.objects.get(pk=study.pk), message=""),
        "assessor_resume": lambda: assessor_pause(assessor=person, message=""),
        "links_mail": lambda: assessor_email_set(assessor=person, email="ada@example.org"),
        "task_phase": lambda: key_choose(task=keyed.tasks.get(), **chosen),
        "member_set": lambda: experimenter("newcomer"),
        "assignment_give": lambda: not_done(person.assignments.get(position=1)),
    }
    for operation in (found.ok() for found in schema.get_all_operations()):
        name = operation.definition.raw["operationId"]
        case = operation.Case(body=bodies[name], media_type=JSON) if name in bodies else operation.Case()
        places = dict.fromkeys(parameter.name for parameter in operation.path_parameters)
        number = named["runs"].index(named["queued"][0]) if name == "report_cancel" else 0
        case.path_parameters = _named(places, operation.path, named, number)
        if name in elsewhere:
            case.path_parameters["slug"] = elsewhere[name]
            if name in ("task_phase", "task_key"):
                case.path_parameters["name"] = "units"
        sent = {"data": {"file": files[name]}} if name in files else {}
        with transaction.atomic():
            if name in before:
                before[name]()
            headers = {"Authorization": f"Bearer {token}"}
            answer = case.call_and_validate(app=application, headers=headers, checks=CONFORMS, **sent)
            transaction.set_rollback(True)
        assert 200 <= answer.status_code < 300, (name, answer.content)

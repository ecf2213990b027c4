"""Who may do what: every address × method × person, in one table that a test walks.

An address that is not in the table fails. ``login`` stands for a redirect to the login.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy

import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotation.models import Membership, Run
from annotation.services import work
from annotation.services.accounts import invitation_make, reset_make
from annotation.services.adjudication import adjudicator_link, adjudicators_add
from annotation.services.assessors import assessor_link, assessor_start, flag_raise
from annotation.services.bin import study_bin
from annotation.services.exclusions import exclusion_add
from annotation.services.joining import join_link_set
from annotation.services.studies import membership_set, study_open
from annotation.services.tokens import token_create
from annotation.study_files.schema import Settings
from annotation.urls import adjudicator_urls, assessor_urls
from tests.factories import assessor_client, experimenter, logged_in, member
from tests.reports import report_copy
from tests.studies import SEE, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data")]

# The columns. "assessor" is the one whose item the address names; "other" is of the same study; "foreign" of another.
# "administrator" looks after accounts and is a stranger to the study; an editor may do what an owner may, unless the row says otherwise.
WRITTEN = ("anonymous", "foreign", "other", "assessor", "stranger", "viewer", "owner")
ROLES = (*WRITTEN, "editor", "administrator")


def cells(
    *statuses: int | str, editor: int | str | None = None, administrator: int | str | None = None
) -> dict[str, int | str]:
    row = dict(zip(WRITTEN, statuses, strict=True))
    more = {"editor": editor or row["owner"], "administrator": administrator or row["stranger"]}
    return row | more


def everybody(status: int | str) -> dict[str, int | str]:
    return dict.fromkeys(ROLES, status)


def members(*, viewer: int, owner: int, editor: int | None = None) -> dict[str, int | str]:
    """An experimenter's page: assessors are nobody there, and to strangers the study does not exist."""
    return cells("login", "login", "login", "login", 404, viewer, owner, editor=editor)


def owners(status: int) -> dict[str, int | str]:
    """What only owners may."""
    return members(viewer=403, owner=status, editor=403)


def experimenters(status: int, *, administrator: int | None = None) -> dict[str, int | str]:
    return cells("login", "login", "login", "login", status, status, status, administrator=administrator)


def programs(
    *,
    stranger: int = 404,
    viewer: int,
    owner: int,
    editor: int | None = None,
    administrator: int | None = None,
) -> dict[str, int | str]:
    """An address of the API: the session of an assessor opens nothing there."""
    return cells(401, 401, 401, 401, stranger, viewer, owner, editor=editor, administrator=administrator)


def its_assessors(*, other: int, assessor: int) -> dict[str, int | str]:
    """An assessor's page of this study; experimenters have the preview instead."""
    return cells(403, 403, other, assessor, 403, 403, 403)


READ_ONLY = members(viewer=405, owner=405)  # a POST to a page, a GET of an action, by those who are let in
POST_ONLY = members(viewer=403, owner=405)
OWNERS_POST = owners(405)
READ = {"GET": members(viewer=200, owner=200), "POST": READ_ONLY}
NO_METHOD = programs(viewer=405, owner=405)
API_READ = {"GET": programs(viewer=200, owner=200), "POST": NO_METHOD, "DELETE": NO_METHOD}
API_LIST = {
    "GET": programs(viewer=200, owner=200),
    "POST": programs(viewer=403, owner=422),
    "DELETE": NO_METHOD,
}

TABLE: dict[str, dict[str, dict[str, int | str]]] = {
    # everybody's
    "home": {"GET": everybody(302), "POST": everybody(405)},
    "login": {
        "GET": cells(200, 200, 200, 200, 302, 302, 302),
        "POST": cells(200, 200, 200, 200, 302, 302, 302),
    },
    "login_code": {"GET": everybody("login"), "POST": everybody("login")},  # the password comes first
    "forgotten": {"GET": everybody(200), "POST": everybody(422)},
    "account_reset": {"GET": everybody(200), "POST": everybody(422)},
    # Who has an account takes part with it at once; whoever is in the study already is told so.
    "invitation": {"GET": everybody(200), "POST": cells(422, 422, 422, 422, 302, 302, 302)},
    "logout": {"GET": everybody(405), "POST": everybody("login")},
    "password": {"GET": experimenters(200), "POST": experimenters(200)},
    "join": {"GET": everybody(302), "POST": everybody(405)},
    "take_part": {"GET": cells(200, 200, 302, 302, 200, 200, 200), "POST": everybody(302)},
    # assessors'
    "work": {"GET": its_assessors(other=200, assessor=302), "POST": everybody(405)},
    "start": {"GET": everybody(405), "POST": its_assessors(other=302, assessor=302)},
    "items": {"GET": its_assessors(other=302, assessor=200), "POST": everybody(405)},
    "finished": {"GET": its_assessors(other=302, assessor=302), "POST": everybody(405)},
    "message": {"GET": everybody(405), "POST": its_assessors(other=200, assessor=200)},
    "messages": {
        "GET": its_assessors(other=200, assessor=200),
        "POST": its_assessors(other=422, assessor=422),
    },
    "messages_read": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=200)},
    "item": {"GET": its_assessors(other=404, assessor=200), "POST": everybody(405)},
    "draft": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=200)},
    "judgment": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=400)},
    "undo": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=409)},
    "discard": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=409)},
    "flag": {"GET": everybody(405), "POST": its_assessors(other=404, assessor=200)},
    # adjudicators': to everybody else, assessors above all, they are closed
    "decide": {"GET": everybody(403), "POST": everybody(405)},
    "decide_item": {"GET": everybody(403), "POST": everybody(405)},
    **{
        key: {"GET": everybody(405), "POST": everybody(403)}
        for key in ("decide_draft", "decide_judgment", "decide_discard")
    },
    # experimenters'
    "study_list": {"GET": experimenters(200), "POST": experimenters(405)},
    "study_upload": {"GET": experimenters(200), "POST": experimenters(422)},
    "study_new": {"GET": experimenters(200), "POST": experimenters(422)},
    "build_texts": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=409)},
    "build_task": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=404)},
    "build_units": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=302)},
    "build_words": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "build_design": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "build_checks": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "build_check": {"GET": members(viewer=403, owner=200), "POST": POST_ONLY},
    "build_settings": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "build_task_remove": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study": READ,
    "study_items": READ,
    "study_monitor": READ,
    "study_judgments": READ,
    "study_people": READ,
    "assessor": READ,
    "study_plan": READ,
    "task_phase": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "task_key": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_materials": READ,
    "study_item": READ,
    "study_flags": READ,
    "study_results": READ,
    "study_exclusions": READ,
    "study_disagreement": READ,
    "disagreement_set": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "adjudications_give": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "adjudication_back": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "adjudicators_add": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "adjudicator_link": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},
    "adjudicator_remove": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},
    "study_audit": READ,
    "download_audit": READ,
    "study_report": READ,
    "report_systems": READ,
    "report_assessors": READ,
    "report_metrics": READ,
    "report_comparison": READ,
    "report_files": READ,
    "report_progress": READ,
    "report_download": READ,
    "report_archive": READ,
    "study_downloads": READ,
    "study_settings": READ,
    "download_judgments": READ,
    "download_attributes": READ,
    "download_study": READ,
    "preview": READ,
    "preview_draft": {"GET": READ_ONLY, "POST": members(viewer=200, owner=200)},
    "preview_judgment": {"GET": READ_ONLY, "POST": members(viewer=422, owner=422)},
    "preview_word": {"GET": READ_ONLY, "POST": members(viewer=400, owner=400)},
    # owners'
    "study_open": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_close": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_delete": {"GET": OWNERS_POST, "POST": owners(422)},
    "study_units": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "study_change": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=405)},
    "study_details": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "study_texts": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_pause": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_overlap": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "study_wave": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "study_duplicate": {"GET": READ_ONLY, "POST": members(viewer=422, owner=422)},
    "study_archive": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "study_rename": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "exclusion_add": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "exclusion_end": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "assessors_add": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "assessor_links": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},
    "assessor_link": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},
    "assessor_revoke": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},  # asks first
    "assessor_pause": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "assessor_cap": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "assessor_email": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "assessor_erase": {"GET": OWNERS_POST, "POST": owners(422)},
    "assignment_give": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},  # asks first
    "study_join": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=302)},
    "join_renew": {"GET": POST_ONLY, "POST": members(viewer=403, owner=200)},  # asks first
    "study_mail": {"GET": members(viewer=403, owner=200), "POST": members(viewer=403, owner=422)},
    "assessor_remove": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "member_set": {"GET": OWNERS_POST, "POST": owners(422)},
    "member_remove": {"GET": OWNERS_POST, "POST": owners(302)},
    "member_invite": {"GET": OWNERS_POST, "POST": owners(422)},
    "member_withdraw": {"GET": OWNERS_POST, "POST": owners(302)},
    "flag_answer": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "flag_settle": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    "report_start": {"GET": POST_ONLY, "POST": members(viewer=403, owner=422)},
    "report_cancel": {"GET": POST_ONLY, "POST": members(viewer=403, owner=302)},
    # accounts, each experimenter's own
    "account": {"GET": experimenters(200), "POST": experimenters(422)},
    "two_step": {"GET": experimenters(200), "POST": experimenters(422)},
    "two_step_off": {"GET": experimenters(405), "POST": experimenters(302)},
    "recovery_codes": {"GET": experimenters(405), "POST": experimenters(302)},
    # everybody's accounts
    "accounts": {"GET": experimenters(403, administrator=200), "POST": experimenters(403, administrator=405)},
    "account_one": {
        "GET": experimenters(403, administrator=200),
        "POST": experimenters(403, administrator=405),
    },
    "account_invite": {
        "GET": experimenters(403, administrator=405),
        "POST": experimenters(403, administrator=200),
    },
    **{
        name: {
            "GET": experimenters(403, administrator=405),
            "POST": experimenters(403, administrator=200 if name == "account_link" else 302),
        }
        for name in ("account_link", "account_unlock", "account_set", "invitation_withdraw")
    },
    # tokens, each experimenter's own
    "tokens": {"GET": experimenters(200), "POST": experimenters(422)},
    "token_revoke": {
        "GET": experimenters(405),
        "POST": cells("login", "login", "login", "login", 404, 404, 302, editor=404),
    },
    # the bin, of studies of one's own
    "study_bin": {"GET": experimenters(200), "POST": experimenters(405)},
    "bin_restore": {
        "GET": cells("login", "login", "login", "login", 404, 404, 405, editor=404),
        "POST": cells("login", "login", "login", "login", 404, 404, 302, editor=404),
    },
    "bin_study_file": {
        "GET": cells("login", "login", "login", "login", 404, 404, 200, editor=404),
        "POST": cells("login", "login", "login", "login", 404, 404, 405, editor=404),
    },
    "bin_judgments": {
        "GET": cells("login", "login", "login", "login", 404, 404, 200, editor=404),
        "POST": cells("login", "login", "login", "login", 404, 404, 405, editor=404),
    },
    # administrators'
    **{
        name: {
            "GET": experimenters(403, administrator=200),
            "POST": experimenters(403, administrator=405),
        }
        for name in ("operations", "server_history", "download_server_audit")
    },
    "backup_now": {
        "GET": experimenters(403, administrator=405),
        "POST": experimenters(403, administrator=302),
    },
    "api_operations": {
        "GET": programs(stranger=403, viewer=403, owner=403, administrator=200),
        "POST": programs(stranger=403, viewer=403, owner=403, administrator=405),
        "DELETE": programs(stranger=403, viewer=403, owner=403, administrator=405),
    },
    "api_backup": {
        "GET": programs(stranger=403, viewer=403, owner=403, administrator=405),
        "POST": programs(stranger=403, viewer=403, owner=403, administrator=202),
        "DELETE": programs(stranger=403, viewer=403, owner=403, administrator=405),
    },
    # of those who watch over the server, without a login
    "healthz": {"GET": everybody(200), "POST": everybody(405)},
    "readyz": {"GET": everybody(200), "POST": everybody(405)},
    "metrics": {"GET": everybody(404), "POST": everybody(405)},
    # programs'
    "api_bin": {
        "GET": programs(stranger=200, viewer=200, owner=200),
        "POST": programs(stranger=405, viewer=405, owner=405),
        "DELETE": programs(stranger=405, viewer=405, owner=405),
    },
    "api_bin_restore": {
        "GET": programs(stranger=405, viewer=405, owner=405),
        "POST": programs(stranger=404, viewer=404, owner=200, editor=404),
        "DELETE": programs(stranger=405, viewer=405, owner=405),
    },
    "api_join": {
        "GET": programs(viewer=403, owner=200),
        "POST": programs(viewer=403, owner=200),
        "DELETE": programs(viewer=403, owner=204),
    },
    "api_mail": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=409), "DELETE": NO_METHOD},
    "api_assessor": {
        "GET": NO_METHOD,
        "POST": NO_METHOD,
        "DELETE": programs(viewer=403, owner=204, editor=403),
    },
    "api_assessor_pause": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=204),
        "DELETE": programs(viewer=403, owner=409),  # they are not paused
    },
    "api_assessor_cap": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_assessor_email": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_work_give": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_docs": {"GET": experimenters(200), "POST": experimenters(405)},
    "api_schema": {
        "GET": programs(stranger=200, viewer=200, owner=200),
        "POST": programs(stranger=405, viewer=405, owner=405),
        "DELETE": programs(stranger=405, viewer=405, owner=405),
    },
    "api_studies": {
        "GET": programs(stranger=200, viewer=200, owner=200),
        "POST": programs(stranger=422, viewer=422, owner=422),
        "DELETE": programs(stranger=405, viewer=405, owner=405),
    },
    "api_study": {
        "GET": programs(viewer=200, owner=200),
        "POST": NO_METHOD,
        "DELETE": programs(viewer=403, owner=204, editor=403),
    },
    "api_members": {
        "GET": programs(viewer=200, owner=200),
        "POST": programs(viewer=403, owner=422, editor=403),
        "DELETE": NO_METHOD,
    },
    "api_member": {
        "GET": NO_METHOD,
        "POST": NO_METHOD,
        "DELETE": programs(viewer=403, owner=204, editor=403),
    },
    "api_invitations": {
        "GET": programs(viewer=403, owner=200, editor=403),
        "POST": programs(viewer=403, owner=422, editor=403),
        "DELETE": NO_METHOD,
    },
    "api_invitation": {
        "GET": NO_METHOD,
        "POST": NO_METHOD,
        "DELETE": programs(viewer=403, owner=204, editor=403),
    },
    "api_accounts": {
        "GET": programs(stranger=403, viewer=403, owner=403, administrator=200),
        "POST": programs(stranger=403, viewer=403, owner=403, administrator=201),
        "DELETE": programs(stranger=403, viewer=403, owner=403, administrator=405),
    },
    "api_account_unlock": {
        "GET": programs(stranger=403, viewer=403, owner=403, administrator=405),
        "POST": programs(stranger=403, viewer=403, owner=403, administrator=204),
        "DELETE": programs(stranger=403, viewer=403, owner=403, administrator=405),
    },
    "api_account_active": {
        "GET": programs(stranger=403, viewer=403, owner=403, administrator=405),
        "POST": programs(stranger=403, viewer=403, owner=403, administrator=204),
        "DELETE": programs(stranger=403, viewer=403, owner=403, administrator=204),
    },
    "api_study_open": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=409),  # it is open already
        "DELETE": NO_METHOD,
    },
    "api_study_close": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=200), "DELETE": NO_METHOD},
    "api_table": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_units": API_LIST,
    "api_design": API_LIST,
    "api_tasks": API_LIST,
    "api_task": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=422),
        "DELETE": programs(viewer=403, owner=409),  # it is open
    },
    "api_phase": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=409), "DELETE": NO_METHOD},
    "api_key": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_study_file": API_READ,
    "api_progress": API_READ,
    "api_monitor": API_READ,
    "api_quality": API_READ,
    "api_assessors": API_LIST,
    "api_assessor_link": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=201),
        "DELETE": programs(viewer=403, owner=204),
    },
    "api_details": {
        "GET": programs(viewer=200, owner=200),
        "POST": programs(viewer=403, owner=200),
        "DELETE": NO_METHOD,
    },
    "api_pause": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=200),
        "DELETE": programs(viewer=403, owner=409),  # it is not paused
    },
    "api_archive": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=409),  # it is open
        "DELETE": programs(viewer=403, owner=204),
    },
    "api_slug": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_copy": {"GET": NO_METHOD, "POST": programs(viewer=422, owner=422), "DELETE": NO_METHOD},
    "api_overlap": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_wave": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_disagreement": {
        "GET": programs(viewer=200, owner=200),
        "POST": programs(viewer=403, owner=200),
        "DELETE": NO_METHOD,
    },
    "api_piece": {"GET": NO_METHOD, "POST": NO_METHOD, "DELETE": programs(viewer=403, owner=204)},
    "api_adjudicators": API_LIST,
    "api_adjudicator": {"GET": NO_METHOD, "POST": NO_METHOD, "DELETE": programs(viewer=403, owner=204)},
    "api_adjudicator_link": {
        "GET": NO_METHOD,
        "POST": programs(viewer=403, owner=200),
        "DELETE": NO_METHOD,
    },
    "api_pieces_give": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_programs": API_LIST,
    "api_program_next": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=200), "DELETE": NO_METHOD},
    "api_program_answers": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_threads": API_READ,
    "api_thread_answer": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=422), "DELETE": NO_METHOD},
    "api_thread_settle": {"GET": NO_METHOD, "POST": programs(viewer=403, owner=204), "DELETE": NO_METHOD},
    "api_exclusions": API_LIST,
    "api_exclusion": {"GET": NO_METHOD, "POST": NO_METHOD, "DELETE": programs(viewer=403, owner=204)},
    "api_audit": API_READ,
    "api_judgments": API_LIST,
    "api_judgments_file": API_READ,
    "api_attributes": API_READ,
    "api_scores": API_LIST,
    "api_report": {
        "GET": programs(viewer=200, owner=200),
        "POST": programs(viewer=403, owner=409),  # nothing is judged
        "DELETE": NO_METHOD,
    },
    "api_runs": API_READ,
    "api_run": {
        "GET": programs(viewer=200, owner=200),
        "POST": NO_METHOD,
        "DELETE": programs(viewer=403, owner=204),
    },
    "api_run_report": API_READ,
    "api_run_files": API_READ,
    "api_run_file": API_READ,
    "api_run_archive": API_READ,
    "api_nothing": {
        "GET": programs(viewer=404, owner=404),
        "POST": programs(viewer=404, owner=404),
        "DELETE": programs(viewer=404, owner=404),
    },
}

# What an action of an assessor's page sends; without it a 400 would hide who is let in.
JSON_BODIES = {
    "draft": {"revision": 1, "answer": {}},
    "undo": {},
    "discard": {"revision": 2},
    "message": {"comment": "Hello"},
    "flag": {"comment": "Broken"},
    "preview_draft": {"answer": {}},
    "preview_judgment": {"answer": {}},
}


def addresses(patterns: list | None = None) -> list[URLPattern]:
    """Every address of the application, also of included lists."""
    found = []
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            found += addresses(pattern.url_patterns)
        else:
            found.append(pattern)
    return found


def opened(slug: str):
    study = make_study(SEE, slug=slug, settings=Settings(revise=True))
    study_open(study=study)
    return study


def objects(study) -> dict[str, dict]:
    """What the addresses name: objects of one study."""
    assessor = study.assessors.select_related("study").first()
    assessor_start(assessor=assessor, consented=True)
    assignment = work.assignment_next(assessor=assessor)
    flag = flag_raise(assessor=assessor, assignment=assignment, comment="Broken")
    membership = study.memberships.get(role=Membership.Role.VIEWER)
    item = {"public_id": assignment.public_id}
    place = {"task": "coverage", "place": 1}
    assessor_pk = {"pk": assessor.pk}
    queued, done = (study.runs.create(state=state) for state in (Run.State.QUEUED, Run.State.DONE))
    report_copy(done.folder)
    done_pk = {"pk": done.pk}
    owner = study.memberships.get(role=Membership.Role.OWNER).user
    token_create(user=owner, name=f"for {study.slug}")
    link = join_link_set(study=study, rules={})
    invited, invitation_token = invitation_make(study=study, role=Membership.Role.VIEWER)
    binned = make_study(SEE, slug=f"binned-{study.slug}")
    membership_set(study=binned, user=owner, role=Membership.Role.OWNER)
    study_bin(study=binned, by=owner.username)
    binned_pk = {"pk": binned.pk}
    flag_pk, task_name = {"pk": flag.pk}, {"name": "coverage"}
    member_pk, invited_pk, user_pk = ({"pk": pk} for pk in (membership.pk, invited.pk, membership.user_id))
    exclusion = exclusion_add(study=study, target=study.documents.last(), reason="Broken")
    (adjudicator,) = adjudicators_add(study=study, names=["Dora"])
    given = adjudicator.adjudications.create(subject=assignment.subject, number=1)
    study.programs.create(name="letters")
    return {
        "messages_read": item,
        **dict.fromkeys(("item", "draft", "judgment", "undo", "discard", "flag"), item),
        **dict.fromkeys(("preview", "preview_draft", "preview_judgment"), place),
        **dict.fromkeys(("assessor", "assessor_link", "assessor_revoke", "assessor_remove"), assessor_pk),
        **dict.fromkeys(("assessor_pause", "assessor_cap", "assessor_email", "assessor_erase"), assessor_pk),
        **dict.fromkeys(("api_assessor_pause", "api_assessor_cap", "api_assessor_email"), assessor_pk),
        **dict.fromkeys(("api_assessor", "api_assessor_link", "api_work_give"), assessor_pk),
        "assignment_give": {"pk": assignment.pk},
        **dict.fromkeys(("bin_restore", "bin_study_file", "bin_judgments", "api_bin_restore"), binned_pk),
        "take_part": {"code": link.code},
        "token_revoke": {"pk": owner.api_tokens.get().pk},
        **dict.fromkeys(("member_remove", "api_member"), member_pk),
        **dict.fromkeys(("member_withdraw", "api_invitation"), invited_pk),
        "invitation_withdraw": {"pk": invitation_make()[0].pk},
        "invitation": {"token": invitation_token},
        "account_reset": {"token": reset_make(user=owner)},
        **dict.fromkeys(("account_one", "account_link", "account_unlock", "account_set"), user_pk),
        **dict.fromkeys(("api_account_unlock", "api_account_active"), user_pk),
        "flag_settle": flag_pk,
        **dict.fromkeys(("api_task", "api_phase", "api_key"), task_name),
        **{name: {"pk": flag.pk} for name in ("flag_answer", "api_thread_answer")},
        "api_thread_settle": {"pk": flag.pk},
        "study_item": {"kind": "document", "pk": study.documents.first().pk},
        "study_units": {"kind": "output", "pk": study.outputs.first().pk},
        "download_judgments": {"format": "csv"},
        "api_judgments_file": {"ending": "csv"},
        "download_audit": {"format": "csv"},
        **{name: {"program": "letters"} for name in ("api_program_next", "api_program_answers")},
        "download_server_audit": {"format": "csv"},
        "exclusion_end": {"pk": exclusion.pk},
        "api_exclusion": {"pk": exclusion.pk},
        **{key: {"pk": given.subject_id} for key in ("adjudication_back", "api_piece")},
        **{key: {"pk": given.adjudicator_id} for key in ("adjudicator_link", "adjudicator_remove")},
        **{
            key: {"pk": given.adjudicator_id}
            for key in ("api_adjudicator", "api_adjudicator_link", "api_pieces_give")
        },
        **{
            key: {"public_id": given.public_id}
            for key in ("decide_item", "decide_draft", "decide_judgment", "decide_discard")
        },
        "task_phase": {"task": "coverage"},
        "build_settings": {"task": "coverage"},
        "build_task_remove": {"task": "coverage"},
        "task_key": {"task": "coverage"},
        "report_cancel": {"pk": queued.pk},
        "report_progress": {"pk": queued.pk},
        "report_archive": done_pk,
        "report_download": {"pk": done.pk, "name": "report.html"},
        "api_run": {"pk": queued.pk},
        **dict.fromkeys(("api_run_report", "api_run_files", "api_run_archive"), done_pk),
        "api_run_file": {"pk": done.pk, "name": "report.html"},
    }


@pytest.fixture
def world():
    """A study with everybody who could come to its pages, and another study."""
    study, elsewhere = opened("here"), opened("elsewhere")
    for each in (study, elsewhere):
        member(each, Membership.Role.VIEWER)
        member(each, Membership.Role.EDITOR)
    named = objects(study)
    assessor, other = study.assessors.all()
    clients = {
        "anonymous": Client(),
        "foreign": assessor_client(elsewhere.assessors.first()),
        "other": assessor_client(other),
        "assessor": assessor_client(assessor),
        "stranger": logged_in(experimenter()),
        "viewer": logged_in(study.memberships.get(role=Membership.Role.VIEWER).user),
        "owner": logged_in(study.memberships.get(role=Membership.Role.OWNER).user),
        "editor": logged_in(study.memberships.get(role=Membership.Role.EDITOR).user),
        "administrator": logged_in(experimenter(is_superuser=True)),
    }
    return study, elsewhere, named, clients


def rows(world, names: Iterable[str]) -> Iterator[tuple[str, URLPattern]]:
    """One address after the other, each in the same world: what was done at one is undone before the next."""
    clients = world[3]
    patterns = {pattern.name: pattern for pattern in addresses()}
    for name in names:
        with as_before(clients):
            yield name, patterns[name]


@contextmanager
def as_before(clients: dict[str, Client]) -> Iterator[None]:
    """Database, cookies and data folder are as they were afterwards, and nobody has asked the API before."""
    caches["throttle"].clear()
    files = set(settings.DATA_DIR.rglob("*"))
    cookies = {role: deepcopy(client.cookies) for role, client in clients.items()}
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    for role, client in clients.items():
        client.cookies = cookies[role]
    for path in set(settings.DATA_DIR.rglob("*")) - files:
        if path.is_file():
            path.unlink()


def address(pattern: URLPattern, study, named: dict) -> str:
    kwargs = dict(named.get(pattern.name, {}))
    if "slug" in pattern.pattern.converters or _under_slug(pattern.name):
        kwargs["slug"] = study.slug
    if pattern.name == "join":
        kwargs["token"] = assessor_link(assessor=study.assessors.first())
    return reverse(pattern.name, kwargs=kwargs)


def _under_slug(name: str) -> bool:
    """Assessors' and adjudicators' addresses have the slug in the part that includes them."""
    return name in {url.name for url in (*assessor_urls, *adjudicator_urls)}


def asked(client, method: str, name: str, url: str) -> int | str:
    """The status; whatever the request has written is undone, so that every cell starts from the same world."""
    with transaction.atomic():
        if name in JSON_BODIES and method == "POST":
            response = client.post(url, JSON_BODIES[name], content_type="application/json")
        else:
            response = client.generic(method, url)
        transaction.set_rollback(True)
    if response.status_code == 302 and response["Location"].split("?")[0] == reverse("login"):
        return "login"
    return response.status_code


def test_every_address_is_in_the_table():
    names = [pattern.name for pattern in addresses()]
    assert None not in names, "an address without a name cannot be in the table"
    assert sorted(names) == sorted(TABLE)


def test_every_method_of_the_api_is_in_the_table():
    for pattern in addresses():
        view = getattr(pattern.callback, "cls", None)
        offered = set(view().allowed_methods) if view else set()
        assert offered <= {*TABLE[pattern.name], "HEAD"}, pattern.name


def test_everybody_gets_what_the_table_says(world):
    study, _, named, clients = world
    others = {}
    for name, pattern in rows(world, TABLE):
        url = address(pattern, study, named)
        found = {
            method: {role: asked(clients[role], method, name, url) for role in ROLES}
            for method in TABLE[name]
        }
        if found != TABLE[name]:
            others[name] = {"found": found, "table": TABLE[name]}
    assert not others


CLOSED_TO_STRANGERS = [
    name
    for name, row in TABLE.items()
    if row["GET"]["stranger"] == 404
    and name != "metrics"  # of the server, and off unless a setting says otherwise
]


def test_to_a_member_of_another_study_this_one_does_not_exist(world):
    study, elsewhere, named, _ = world
    client = logged_in(elsewhere.memberships.get(role=Membership.Role.OWNER).user)
    found = {
        (name, method): asked(client, method, name, address(pattern, study, named))
        for name, pattern in rows(world, CLOSED_TO_STRANGERS)
        for method in TABLE[name]
    }
    assert {key: status for key, status in found.items() if status != 404} == {}


OF_A_STUDY = [  # accounts are of no study, and no owner's business
    pattern.name
    for pattern in addresses()
    if "pk" in pattern.pattern.converters and TABLE[pattern.name]["GET"]["owner"] != 403
]


def test_an_owner_cannot_reach_into_another_study_by_number(world):
    study, elsewhere, _, clients = world
    named = objects(elsewhere)
    found = {
        (name, method): asked(clients["owner"], method, name, address(pattern, study, named))
        for name, pattern in rows(world, OF_A_STUDY)
        for method, row in TABLE[name].items()
        if row["owner"] != 405
    }
    assert {key: status for key, status in found.items() if status != 404} == {}


def test_a_revoked_link_opens_nothing_also_where_it_was_opened_before(world):
    study, _, named, clients = world
    assessor = study.assessors.first()
    url = reverse("item", kwargs={"slug": study.slug, **named["item"]})
    assert clients["assessor"].get(url).status_code == 200
    clients["owner"].post(reverse("assessor_revoke", args=[study.slug, assessor.pk]), {"sure": "1"})
    assert clients["assessor"].get(url).status_code == 403


def test_posts_without_a_token_against_forgery_are_refused(world):
    study, *_ = world
    client = Client(enforce_csrf_checks=True)
    owner = study.memberships.get(role=Membership.Role.OWNER).user
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(reverse("study_close", args=[study.slug])).status_code == 403
    study.refresh_from_db()
    assert study.state == "open"


def test_asking_for_the_head_of_a_page_tells_no_more_than_asking_for_the_page(world):
    """Monitors and download programs ask so."""
    study, _, named, clients = world
    for name, pattern in rows(
        world, ["home", "study_list", "study", "study_plan", "report_metrics", "download_study"]
    ):
        url = address(pattern, study, named)
        assert {role: asked(clients[role], "HEAD", name, url) for role in ROLES} == TABLE[name]["GET"]


def test_an_adjudicator_sees_only_what_was_given_to_them(world):
    study, elsewhere, named, _ = world
    dora = study.adjudicators.get()
    (other,) = adjudicators_add(study=study, names=["Dirk"])
    foreign = elsewhere_adjudicator(elsewhere)
    client = Client()
    assert client.get(reverse("join", args=[adjudicator_link(adjudicator=dora)])).status_code == 302
    own = reverse("decide_item", kwargs={"slug": study.slug, **named["decide_item"]})
    assert client.get(own).status_code == 200
    assert client.get(reverse("work", args=[study.slug])).status_code == 403
    assert client.get(reverse("decide", args=[elsewhere.slug])).status_code == 403
    for person, status in ((other, 404), (foreign, 403)):
        visitor = Client()
        visitor.get(reverse("join", args=[adjudicator_link(adjudicator=person)]))
        assert visitor.get(own).status_code == status
    adjudicator_link(adjudicator=dora)  # a new link: the old one opens nothing, also where it was opened
    assert client.get(own).status_code == 403


def elsewhere_adjudicator(study):
    (person,) = adjudicators_add(study=study, names=["Dina"])
    return person

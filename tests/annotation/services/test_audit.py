"""The audit trail: every change writes a line, and a line that was changed, taken out or put in shows."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.actors import acting
from annotation.errors import Refused
from annotation.models import AuditEntry, Membership
from annotation.selectors.audit import audit_verified
from annotation.services import assessors, studies
from annotation.services.audit import audit_write
from tests.factories import PASSWORD, experimenter
from tests.studies import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    with acting("experimenter ada"):
        made = make_study()
        studies.membership_set(study=made, user=experimenter("ada"), role=Membership.Role.OWNER)
        studies.study_open(study=made)
        assessors.assessors_add(study=made, names=["Nina"])
        assessors.assessor_links(assessors=made.assessors.all())
        assessors.assessor_revoke(assessor=made.assessors.first())
        studies.study_close(study=made)
    return made


def test_every_change_of_a_study_and_its_people_is_in_the_trail(study):
    rows = AuditEntry.objects.filter(chain=study.pk)
    assert list(rows.values_list("action", "target")) == [
        ("assessor.add", "2 assessors"),
        ("study.import", ""),
        ("member.set", "experimenter ada"),
        ("study.open", ""),
        ("assessor.add", "assessor A03"),
        ("assessor.link", "3 assessors"),
        ("assessor.revoke", "assessor A01"),
        ("study.close", ""),
    ]
    assert set(rows.values_list("actor", flat=True)) == {"experimenter ada"}


def test_names_of_assessors_are_not_in_the_trail(study):
    said = "".join(f"{row.target}{row.before}{row.after}" for row in AuditEntry.objects.all())
    assert "Nina" not in said


def test_an_untouched_trail_is_found_whole(study):
    out = io.StringIO()
    call_command("audit_verify", stdout=out)
    assert out.getvalue().startswith("8 rows, all as they were written\n")


@pytest.mark.parametrize(
    ("damage", "number", "why"),
    [
        (lambda rows: rows.filter(number=4).update(actor="somebody else"), 4, "changed after it was written"),
        (lambda rows: rows.filter(number=4).update(after={"state": "closed"}), 4, "changed"),
        (lambda rows: rows.filter(number=3)._raw_delete("default"), 4, "row 3 is missing"),
        (lambda rows: rows.filter(number=5).update(previous="0" * 64), 5, "does not follow"),
    ],
)
def test_a_row_changed_by_hand_is_found(study, damage, number, why):
    damage(AuditEntry.objects.filter(chain=study.pk))
    found = audit_verified()
    assert (found.broken.number, why in found.why) == (number, True)
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit_verify", stdout=out)
    assert ended.value.code == 1
    assert f"{study.pk}/{number}" in out.getvalue()


def test_a_row_forged_with_its_own_hash_is_found_by_the_one_after(study):
    row = AuditEntry.objects.get(chain=study.pk, number=4)
    row.actor = "somebody else"
    AuditEntry.objects.filter(pk=row.pk).update(actor=row.actor, hash=row.digest())
    found = audit_verified()
    assert (found.broken.number, found.why) == (5, "it does not follow the row before it")


def test_a_trail_that_was_cut_off_is_found_with_a_hash_kept_elsewhere(study):
    head = audit_verified().heads[study.pk]
    AuditEntry.objects.filter(chain=study.pk, number=8)._raw_delete("default")
    assert not audit_verified().why
    assert "no longer holds" in audit_verified(expect=[(str(study.pk), head)]).why


def test_rows_cannot_be_changed_or_deleted_by_the_application(study):
    row = AuditEntry.objects.first()
    for change in (row.save, row.delete):
        with pytest.raises(Refused):
            change()


def test_the_trail_of_a_study_outlives_it(study):
    chain = study.pk
    draft = make_study(slug="draft")
    gone = draft.pk
    studies.study_delete(study=draft)
    assert AuditEntry.objects.filter(chain=gone).last().action == "study.delete"
    assert AuditEntry.objects.filter(chain=chain).count() == 8


def test_what_belongs_to_no_study_has_a_chain_of_its_own():
    audit_write(study=None, action="account.lock", target="experimenter ada")
    assert AuditEntry.objects.get().chain == 0


def test_permissions_and_people_outside_a_study_are_in_the_chain_of_the_server(client):
    user = experimenter("ada")
    client.force_login(user)
    client.post("/account/tokens/", {"name": "script", "scope": "read", "days": 30, "password": PASSWORD})
    client.post(f"/account/tokens/{user.api_tokens.get().pk}/revoke/")
    changed = {
        "old_password": PASSWORD,
        "new_password1": "another horse 77",
        "new_password2": "another horse 77",
    }
    assert client.post("/password/", changed).status_code == 302
    rows = AuditEntry.objects.filter(chain=0)
    assert list(rows.values_list("action", "target")) == [
        ("token.create", "experimenter ada"),
        ("token.revoke", "experimenter ada"),
        ("account.password", "experimenter ada"),
    ]
    assert set(rows.values_list("actor", flat=True)) == {"experimenter ada"}
    assert not audit_verified().why


def test_whoever_begins_a_study_on_the_page_is_named(client):
    """Before: “system” had begun it."""
    client.force_login(experimenter("ada"))
    table = "doc_id\tsystem\tsummary\n1\ta\tOne.\n1\tb\tTwo.\n"
    assert client.post("/new/", {"name": "Mine", "language": "en", "pasted": table}).status_code == 302
    assert set(AuditEntry.objects.values_list("actor", flat=True)) == {"experimenter ada"}


def test_a_start_with_consent_a_flag_and_names_forgotten_are_in_the_trail(settings):
    settings.RETENTION_DAYS = 1
    study = make_study()
    study.consent = "May we?"
    study.save()
    studies.study_open(study=study)
    assessor = study.assessors.first()
    assessors.assessor_start(assessor=assessor, consented=True)
    assessors.flag_raise(assessor=assessor, comment="Broken")
    studies.study_close(study=study)
    type(study).objects.update(closed_at=timezone.now() - timedelta(days=2))
    call_command("tidy", verbosity=0)
    rows = AuditEntry.objects.filter(
        chain=study.pk, action__in=["assessor.start", "flag.raise", "assessor.forget"]
    )
    assert list(rows.values_list("action", "target", "after")) == [
        ("assessor.start", "assessor A01", {"texts": 1, "consent": True}),
        ("flag.raise", "thread A01", {"characters": 6}),
        ("assessor.forget", "2 assessors", {"days": 1}),
    ]

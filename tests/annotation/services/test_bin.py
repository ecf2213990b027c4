"""Deleting: into the bin, judgments and all; back as it was; and after a month for good."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.errors import Refused
from annotation.export import judgment_rows
from annotation.models import (
    Assessor,
    Assignment,
    AuditEntry,
    Document,
    Judgment,
    Output,
    Study,
    Subject,
    System,
    Task,
)
from annotation.services.adjudication import adjudicators_add
from annotation.services.assessors import assessor_link, flag_raise
from annotation.services.bin import bin_empty, study_bin, study_purge, study_restore
from annotation.services.exclusions import exclusion_add
from annotation.services.programs import program_enter
from annotation.services.removal import _tables
from annotation.services.retention import tidy
from tests.annotation.services.test_exclusions import judged, opened
from tests.factories import assessor_client, logged_in, member
from tests.studies import SEE, TIDES, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data")]


def test_a_study_with_judgments_is_deleted_by_name_and_brought_back_as_it_was():
    study = judged()
    owner = member(study)
    client = logged_in(owner)
    before = pd.DataFrame(judgment_rows(study))
    token = assessor_link(assessor=study.assessors.first())
    client.post(reverse("study_delete", args=[study.slug]), {"name": study.name})
    assert client.get("/studies/small/").status_code == 404
    assert Client().get(reverse("join", args=[token])).status_code == 403
    page = client.get(reverse("study_bin")).content.decode()
    assert study.name in page
    files = [client.get(reverse(name, args=[study.pk])) for name in ("bin_study_file", "bin_judgments")]
    assert [file.status_code for file in files] == [200, 200]
    client.post(reverse("bin_restore", args=[study.pk]))
    assert client.get("/studies/small/").status_code == 200
    assert Client().get(reverse("join", args=[token])).status_code == 302
    study.refresh_from_db()
    pd.testing.assert_frame_equal(pd.DataFrame(judgment_rows(study)), before)


def test_whoever_is_at_work_in_a_study_that_is_deleted_is_told():
    study = opened()
    client = assessor_client(study.assessors.first())
    study_bin(study=study, by="ada")
    assert client.get("/work/small/").status_code == 403


def test_the_slug_is_free_at_once_and_a_study_comes_back_beside_its_successor():
    study = make_study()
    study_bin(study=study, by="ada")
    make_study()
    study_restore(study=study)
    assert sorted(Study.objects.values_list("slug", flat=True)) == ["small", f"small-restored-{study.pk}"]


def test_only_owners_see_what_is_in_the_bin():
    study = make_study()
    member(study)
    viewer = member(study, "viewer")
    study_bin(study=study, by="ada")
    assert study.name not in logged_in(viewer).get(reverse("study_bin")).content.decode()
    assert logged_in(viewer).post(reverse("bin_restore", args=[study.pk])).status_code == 404


def test_after_a_month_it_is_gone_for_good_and_the_history_says_so():
    study = judged()
    kept = make_study(slug="kept")
    for each in (study, kept):
        study_bin(study=each, by="ada")
    Study.objects.filter(pk=study.pk).update(deleted_at=timezone.now() - timedelta(days=31))
    assert tidy()["studies"] == 1
    assert list(Study.objects.all()) == [kept]
    assert not Judgment.objects.exists()
    actions = AuditEntry.objects.filter(chain=study.pk).values_list("action", flat=True)
    assert list(actions)[-2:] == ["study.delete", "study.purge"]
    assert bin_empty() == 0


def test_only_what_is_in_the_bin_is_deleted_for_good_or_brought_back():
    study = make_study()
    with pytest.raises(Refused, match="Only a study in the bin"):
        study_purge(study=study)
    with pytest.raises(Refused, match="not in the bin"):
        study_restore(study=study)
    study_bin(study=study, by="ada")
    with pytest.raises(Refused, match="in the bin already"):
        study_bin(study=study, by="ada")


def test_a_study_that_was_brought_back_meanwhile_is_not_deleted_for_good():
    study = opened()
    study_bin(study=study, by="ann")
    Study.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    seen = Study.objects.get()  # by whoever empties the bin
    study_restore(study=Study.objects.get())
    with pytest.raises(Refused, match="Only a study in the bin"):
        study_purge(study=seen)
    assert Study.objects.get().slug == "small"


def test_no_study_has_the_slug_that_another_gets_in_the_bin():
    study = opened()
    other = make_study(slug=f"deleted-{study.pk}")
    study_bin(study=study, by="ann")
    assert Study.objects.get(pk=other.pk).slug == f"deleted-{study.pk}"


def test_all_that_belongs_to_it_goes_and_nothing_else_by_as_few_statements_whatever_its_size():
    """Before: every row was loaded, and on SQLite nobody could judge for seven seconds where there were 43,000 judgments."""
    kept = judged(slug="kept")
    counts = []
    for documents in (2, 9):
        study = judged(SEE, TIDES, slug=f"going-{documents}", documents=documents)
        exclusion_add(study=study, target=study.assessors.first(), reason="late")
        flag_raise(assessor=study.assessors.last(), comment="Broken.")
        program_enter(study=study, name="gpt")
        adjudicators_add(study=study, names=["ann"])
        study_bin(study=study, by="ada")
        with CaptureQueriesContext(connection) as queries:
            study_purge(study=study)
        counts.append(len(queries))
        connection.check_constraints()
    assert counts[0] == counts[1]
    owned = {model: way for model, way in _tables() if model._base_manager.exists()}
    assert {Judgment, Assignment, Subject, Output, Document, System, Task, Assessor} <= owned.keys()
    for model, way in owned.items():
        assert not model._base_manager.exclude(**{way: kept}).exists(), model
    assert len(list(judgment_rows(kept))) == Judgment.objects.count() * 2

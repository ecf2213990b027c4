"""Who keeps the house: every job has its turn, whatever becomes of the others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.management import keeper
from annotation.management.keeper import Job
from annotation.models import Monitor, Study
from annotation.services.bin import study_bin
from annotation.services.studies import study_open
from tests.studies import make_study


def test_a_job_comes_when_it_is_time_and_one_that_fails_is_logged_and_tried_again(monkeypatch, caplog):
    monkeypatch.setattr(keeper.connection, "close", lambda: None)  # there is none in this test
    turns = []

    def works() -> None:
        turns.append("works")

    def fails() -> None:
        turns.append("fails")
        raise ValueError("broken")

    jobs = [Job(fails, 10), Job(works, 60)]
    for now in (0.0, 5.0, 11.0, 59.0, 61.0):
        for job in jobs:
            job.turn(now)
    assert turns == ["fails", "works", "fails", "fails", "works"]
    assert "fails failed; it is tried again later." in caplog.text


@pytest.mark.django_db(transaction=True)
def test_all_jobs_run_on_a_new_server(own_data, settings, caplog):
    settings.BACKUP_HOURS, settings.BACKUP_FOLDER = 1, own_data / "backups"
    every = keeper.jobs()
    for now in (1.0, 2.0 + keeper.AN_HOUR):
        for job in every:
            job.turn(now)
    assert len(list(settings.BACKUP_FOLDER.glob("touchstone-*.zip"))) == 1
    assert "failed" not in caplog.text


@pytest.mark.django_db(transaction=True)
def test_nothing_is_forgotten_for_good_before_a_clock_that_was_wrong_at_the_start_can_be_set_right(settings):
    settings.BACKUP_HOURS = 0
    study = make_study(slug="binned")
    study_bin(study=study, by="erika")
    every = keeper.jobs()

    def turns(now: float) -> None:
        for job in every:
            job.turn(now)

    long_ago = timezone.now() - timedelta(days=settings.BIN_DAYS + 1)
    Study.objects.update(deleted_at=long_ago)  # as a clock that is ahead sees it
    turns(1000.0)
    turns(1000.0 + 5 * 60)
    assert Study.objects.filter(pk=study.pk).exists()
    turns(1001.0 + keeper.AN_HOUR)
    assert not Study.objects.filter(pk=study.pk).exists(), "after an hour the clock is believed"


@pytest.mark.django_db(transaction=True)
def test_open_studies_are_looked_at_where_others_are_to_be_told_of_careless_people(settings):
    study, draft = make_study(slug="open"), make_study(slug="draft")
    study_open(study=study)
    keeper.monitors_ask()
    assert not Monitor.objects.exists(), "nobody is to be told"
    settings.WEBHOOK_URL = "https://chat.example.org/hook"
    keeper.monitors_ask()
    asked = Monitor.objects.get()
    assert (asked.study, asked.asked_at is not None) == (study, True)
    assert draft.pk != asked.study_id

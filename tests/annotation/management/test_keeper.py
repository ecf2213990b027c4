"""Who keeps the house: every job has its turn, whatever becomes of the others."""

from __future__ import annotations

import pytest

from annotation.management import keeper
from annotation.management.keeper import Job
from annotation.models import Monitor
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
    for job in keeper.jobs():
        job.turn(1.0)
    assert len(list(settings.BACKUP_FOLDER.glob("touchstone-*.zip"))) == 1
    assert "failed" not in caplog.text


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

"""What administrators see of the server and do to it: warnings first, backups by themselves and on request."""

from __future__ import annotations

import json
import time
import zipfile
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import alive
from annotation.backups import schedule
from annotation.backups.schedule import STAMP, backup_ask, backup_if_due, backup_state
from annotation.models import AuditEntry, Run, WebhookEvent
from annotation.services.retention import tidy
from tests.factories import PASSWORD, logged_in, member
from tests.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_data")]


@pytest.fixture
def administrator(settings, own_data):
    settings.BACKUP_FOLDER = own_data / "backups"
    user = User.objects.create_superuser("root", password=PASSWORD)
    return logged_in(user)


def pretended(folder, hours: float) -> None:
    """A backup that was begun so many hours ago."""
    folder.mkdir(exist_ok=True)
    at = timezone.now() - timedelta(hours=hours)
    (folder / f"touchstone-{at:{STAMP}}.zip").write_bytes(b"PK")


# --- who may, beside the table of all addresses -------------------------------------------------------------------


def test_the_history_of_the_server_is_a_file_in_two_formats(administrator):
    assert administrator.get("/operations/history/history.jsonl").status_code == 200
    assert administrator.get("/operations/history/history.exe").status_code == 404


def test_only_an_administrator_finds_the_way_in_the_menu(administrator):
    assert 'href="/operations/"' in administrator.get("/studies/").text
    assert 'href="/operations/"' not in logged_in(member(make_study())).get("/studies/").text


# --- warnings -----------------------------------------------------------------------------------------------------


def test_the_page_warns_first_and_says_what_to_do(administrator, settings):
    page = administrator.get("/operations/").text
    assert page.index("The worker, which makes reports, is not running") < page.index("What runs")
    assert "Set TOUCHSTONE_BACKUP_HOURS=24" in page
    settings.BACKUP_HOURS = 24
    pretended(settings.BACKUP_FOLDER, hours=1)
    alive.beat(alive.SLOW_LANE)
    alive.beat(alive.WORKER)
    alive.beat(alive.KEEPER)
    page = administrator.get("/operations/").text
    assert "notice warning" not in page
    assert "All is well" in page


def test_a_backup_that_is_late_and_a_report_that_waits_are_warned_of(administrator, settings):
    settings.BACKUP_HOURS = 24
    pretended(settings.BACKUP_FOLDER, hours=50)
    run = make_study().runs.create(state=Run.State.QUEUED)
    Run.objects.filter(pk=run.pk).update(requested_at=timezone.now() - timedelta(hours=1))
    told = administrator.get("/api/v1/operations/").json()
    words = " ".join(warned["what"] for warned in told["warnings"])
    assert "older than 48 hours" in words
    assert "A report has been waiting since" in words
    assert told["queue"]["waiting"] == 1


def test_the_number_of_queries_does_not_grow_with_what_there_is(administrator, settings):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert administrator.get("/operations/").status_code == 200
        return len(captured)

    few = queries()
    for number in range(3):
        study = make_study(slug=f"study{number}")
        study.runs.create(state=Run.State.FAILED, error="x", finished_at=timezone.now())
        WebhookEvent.objects.create(key=f"k{number}", event="study.closed", payload={}, error="no")
        pretended(settings.BACKUP_FOLDER, hours=number)
    assert queries() == few < 20


# --- backups ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_backups_are_made_when_they_are_due_or_asked_for_and_kept_by_count(administrator, settings):
    settings.BACKUP_HOURS, settings.BACKUPS_KEPT = 24, 2
    for hours in (25, 49, 73):
        pretended(settings.BACKUP_FOLDER, hours)
    (settings.BACKUP_FOLDER / "mine.zip").write_bytes(b"not one of these")
    (settings.BACKUP_FOLDER / ".touchstone-20260101T000000Z.zip.abc").write_bytes(
        b"left by one that was killed"
    )
    made = backup_if_due()
    assert "annotation_study" in zipfile.ZipFile(made.path).read("manifest.json").decode()
    kept = backup_state().kept
    assert kept[0].path == made.path
    assert len(kept) == 2
    assert sorted(
        path.name for path in settings.BACKUP_FOLDER.iterdir() if path not in {one.path for one in kept}
    ) == ["mine.zip"]
    assert backup_if_due() is None, "it is not due for another day"
    administrator.post("/operations/backup/")
    assert backup_state().asked
    assert "A backup is being made already" in administrator.post("/operations/backup/", follow=True).text
    made.path.rename(
        settings.BACKUP_FOLDER / "touchstone-20260101T000000Z.zip"
    )  # another one of the same second
    assert backup_if_due() is not None
    assert not backup_state().asked
    line = AuditEntry.objects.get(action="backup.request")
    assert (line.chain, line.actor) == (0, "experimenter root")


def test_a_backup_that_fails_is_logged_shown_and_tried_again_later(administrator, settings, caplog):
    settings.BACKUP_HOURS = 24
    settings.BACKUP_FOLDER.write_text("a file in the way")
    assert backup_if_due() is None
    assert "The backup failed" in caplog.text
    assert "The last backup failed" in administrator.get("/operations/").text
    state = backup_state()
    assert state.due_at > timezone.now() + timedelta(minutes=10), "not at once again"
    backup_ask()
    assert backup_state().asked, "somebody who has mended it need not wait"
    settings.BACKUP_FOLDER.unlink()
    pretended(settings.BACKUP_FOLDER, hours=-0.01)
    assert backup_state().failure is None


@pytest.mark.parametrize("noted", [b"", b'{"at": "20\xff\xfe'])
def test_a_failure_that_there_was_no_room_to_note_is_one_all_the_same(administrator, settings, noted):
    """Before: on a full disk the next backup was begun two seconds later, and so on. Nor does a damaged note stop backups."""
    settings.BACKUP_HOURS = 24
    (settings.DATA_DIR / "backup-failed.json").write_bytes(noted)
    assert backup_if_due() is None
    assert "The last backup failed" in administrator.get("/operations/").text


def test_whatever_goes_wrong_with_a_backup_is_shown(administrator, settings, monkeypatch):
    def without_memory(**_: object) -> None:
        raise MemoryError

    settings.BACKUP_HOURS = 24
    monkeypatch.setattr(schedule, "backup_make", without_memory)
    assert backup_if_due() is None
    assert "MemoryError" in administrator.get("/operations/").text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seconds", [0.0, 5e9])
def test_a_clock_that_no_zip_knows_stops_no_backups(settings, tmp_path, monkeypatch, seconds):
    """As of a machine that has not been told the time yet: 1970."""
    settings.BACKUP_FOLDER = tmp_path / "backups"
    monkeypatch.setattr(time, "time", lambda: seconds)
    backup_ask()
    made = backup_if_due()
    assert made is not None
    assert zipfile.ZipFile(made.path).testzip() is None


@pytest.mark.django_db(transaction=True)
def test_a_clock_that_was_ahead_for_a_while_stops_no_backups(settings):
    """What was made or failed meanwhile is dated years ahead."""
    settings.BACKUP_HOURS, settings.BACKUPS_KEPT = 24, 2
    for hours in (-9000, -9024, -9048):
        pretended(settings.BACKUP_FOLDER, hours)
    ahead = timezone.now() + timedelta(days=400)
    (settings.DATA_DIR / "backup-failed.json").write_text(
        json.dumps({"at": ahead.isoformat(), "error": "no room"})
    )
    assert backup_state().last is None, "nobody knows how old they are"
    made = backup_if_due()
    assert made is not None, "it is due"
    assert backup_state().kept[0].path == made.path, "and stays, whatever the others are called"
    assert backup_state().last == made
    assert backup_if_due() is None, "not twice a day"


# --- pruning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kept", "days", "left"),
    [(0, 0, [0, 1, 2, 3]), (2, 0, [2, 3]), (0, 30, [1, 2, 3]), (1, 30, [3]), (0, 1, [3])],
)
def test_reports_go_by_count_and_age_but_never_the_newest(settings, kept, days, left):
    settings.REPORTS_KEPT, settings.REPORT_DAYS = kept, days
    study = make_study()
    now = timezone.now()
    runs = [
        study.runs.create(state=Run.State.DONE, finished_at=now - timedelta(days=age))
        for age in (40, 20, 10, 5)
    ]
    for run in runs:
        run.folder.mkdir(parents=True)
        (run.folder / "report.json").write_text("{}")
    tidy()
    assert [number for number, run in enumerate(runs) if run.has_files] == left
    lines = AuditEntry.objects.filter(action="report.prune")
    gone = [run.pk for number, run in enumerate(runs) if number not in left]
    assert sorted(number for line in lines for number in line.before["reports"]) == gone

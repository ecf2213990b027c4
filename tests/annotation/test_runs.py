"""The making of a report: asked for once, made in the background, cancelled, failed, lost and made again."""

from __future__ import annotations

import re
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.analysis.background import OUT_OF_MEMORY, WENT_WRONG, report_request, report_task
from annotation.analysis.options import ReportOptions
from annotation.errors import Refused
from annotation.models import Assignment, MetricScore, Run
from annotation.models.runs import SILENCE
from annotation.reports.files import report_files
from annotation.selectors.operations import run_queue
from annotation.selectors.progress import headline, study_progress
from annotation.selectors.runs import PATIENCE, newest_data, staleness, worker_is_missing
from annotation.selectors.texts import score_rows
from annotation.services import runs
from annotation.services.pulse import ENOUGH, Pace, Pulse
from annotation.services.runs import run_beat
from tests.reports import QUICK, finished_run, judge_again, judged_study, state, wait_until, working
from tests.studies import SEE, make_study

State = Run.State

pytestmark = pytest.mark.usefixtures("own_data")

LONG = ReportOptions(n_resamples=2_000)  # every metric: not over in a moment


def requested(study, options=QUICK) -> Run:
    return report_request(study=study, options=options)


def started(study) -> Run:
    """A run that a worker has taken up and is at."""
    run = requested(study)
    assert runs.run_start(run=run)
    return run


def silent(run: Run) -> Run:
    """Its worker has not been heard of for too long."""
    run.heartbeat_at = timezone.now() - SILENCE - timedelta(seconds=1)
    run.save()
    return run


def fails(error: Exception):
    def failing(*_: object, **__: object) -> None:
        raise error

    return failing


def left_on_disk(run: Run) -> list[str]:
    return sorted(path.name for path in run.folder.parent.glob(f"*{run.pk}*"))


# --- asking -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
class TestAsking:
    def test_a_report_that_is_on_its_way_is_not_asked_for_twice(self):
        study = judged_study()
        first = requested(study)
        assert first.is_new
        assert first.state == State.QUEUED
        second = requested(study, ReportOptions(seed=1))
        assert (second.pk, second.is_new) == (first.pk, False)

    def test_the_same_data_and_options_give_the_report_that_is_there(self):
        study = judged_study()
        run = started(study)
        draft = runs.draft_folder(run) / "report"
        draft.mkdir()
        (draft / "report.json").write_text("{}")
        assert runs.run_finish(run=run, draft=draft)
        assert requested(study) == run
        assert requested(study, ReportOptions(**{**QUICK.model_dump(), "seed": 1})) != run

    @pytest.mark.parametrize("change", ["judgment", "score", "text", "unit"])
    def test_a_change_of_the_data_calls_for_a_new_report(self, change):
        study = judged_study()
        before = requested(study).data_hash
        study.runs.all().delete()
        if change == "judgment":
            judge_again(study)
        elif change == "score":
            MetricScore.objects.filter(study=study).last().delete()
        elif change == "text":
            study.outputs.filter(pk=study.outputs.first().pk).update(text="Something else.")
        else:
            study.references.filter(pk=study.references.first().pk).update(units=["Something else."])
        assert requested(study).data_hash != before

    def test_what_a_report_cannot_show_does_not_call_for_a_new_one(self):
        study = judged_study()
        before = requested(study).data_hash
        study.runs.all().delete()
        study.assessors.update(last_seen_at=timezone.now())
        study.instructions = "Judge otherwise."
        study.save()
        assert requested(study).data_hash == before

    def test_a_report_whose_files_are_gone_is_made_again(self):
        study = judged_study()
        run = finished_run(study)
        run.data_hash = requested(study).data_hash
        study.runs.exclude(pk=run.pk).delete()
        run.save()
        assert requested(study) == run
        for file in report_files(run.folder, forms=()):
            file.path.unlink()
        assert requested(study) != run

    def test_without_judgments_it_is_refused(self):
        with pytest.raises(Refused, match="Nothing has been judged yet"):
            requested(make_study(SEE))

    def test_judgments_that_came_later_make_a_report_stale(self):
        study = judged_study()
        run = finished_run(study)
        assert not staleness(run)
        judge_again(study)
        judge_again(study)
        assert staleness(run).judgments == 2
        assert not staleness(run).scores

    def test_practice_enters_no_report_and_makes_none_stale(self):
        study = judged_study()
        run = finished_run(study)
        practised = judge_again(study)
        Assignment.objects.filter(pk=practised.assignment_id).update(counts=False)
        assert not staleness(run).judgments

    def test_other_scores_make_a_report_stale(self):
        study = judged_study()
        run = finished_run(study)
        study.metricscores.create(metric="new", system="qx31", score=1)
        assert staleness(run).scores


@pytest.mark.django_db(transaction=True)
def test_two_experimenters_who_ask_at_the_same_moment_get_one_report():
    study = judged_study()
    got: list[int] = []

    def ask() -> None:
        got.append(requested(study).pk)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 4
    assert len(set(got)) == 1
    assert study.runs.count() == 1


# --- making -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
class TestMaking:
    def test_the_worker_makes_what_was_asked_for(self):
        study = judged_study()
        run = requested(study)
        report_task.func(run.pk)
        assert state(run) == State.DONE
        names = {file.name for file in report_files(run.folder)}
        assert {"report.html", "report.json", "methods.txt", "tables/agreement.csv"} <= names
        assert left_on_disk(run) == [str(run.pk)], "nothing but the report is left"
        assert run.newest_judgment == newest_data(study).judgment
        assert run.started_at <= run.finished_at
        assert re.fullmatch(r"α = −?1?\.\d\d \[.+, .+\]", run.agreement)
        said = headline(study, study_progress(study)).replace("\xa0", " ")
        assert f"agreement {run.agreement} in the last report" in said

    def test_judgments_that_come_while_it_waits_are_in_it(self):
        study = judged_study()
        run = requested(study)
        judge_again(study)
        report_task.func(run.pk)
        assert state(run) == State.DONE
        assert not staleness(run)
        assert requested(study) == run

    def test_a_fault_in_the_options_is_told_in_words(self):
        run = requested(judged_study(), ReportOptions(metrics=("rouge-9-f",)))
        report_task.func(run.pk)
        assert state(run) == State.FAILED
        assert "rouge-9-f" in run.error
        assert "nearest" in run.error
        assert left_on_disk(run) == []

    def test_a_fault_of_ours_is_told_without_its_inside(self, caplog, own_data):
        run = requested(judged_study())
        (own_data / "reports").write_text("a file where a folder should be")
        report_task.func(run.pk)
        assert state(run) == State.FAILED
        assert "log" in run.error
        assert "Traceback" in caplog.text
        assert "tmp" not in run.error

    def test_a_fault_while_the_data_are_read_is_told_and_does_not_leave_it_waiting(self, monkeypatch):
        run = requested(judged_study())
        with monkeypatch.context() as patched:
            patched.setattr(
                "annotation.analysis.background.data_hash", fails(OperationalError("the disk is full"))
            )
            report_task.func(run.pk)
        assert state(run) == State.FAILED
        assert run.error == WENT_WRONG

    def test_data_that_change_while_they_are_read_are_read_again(self, monkeypatch):
        """The hash must be that of what is in the report."""
        study = judged_study()
        run = requested(study)
        changes = iter([True])

        def rows(asked):
            yield from score_rows(asked)
            if next(changes, False):
                study.metricscores.filter(metric="elsewhere-000").update(score=5)

        monkeypatch.setattr("annotation.analysis.inputs.score_rows", rows)
        report_task.func(run.pk)
        assert state(run) == State.DONE
        assert requested(study) == run
        scores = pd.read_csv(run.folder / "tables" / "metric-scores-system.csv")
        assert set(scores.loc[scores["metric"] == "elsewhere-000", "score"]) == {5}

    def test_a_run_that_is_done_cannot_fail_any_more(self):
        run = finished_run(judged_study())
        assert not runs.run_fail(run=run, error="too late")
        assert run.has_files

    def test_cancelling_what_a_dead_worker_has_begun_leaves_nothing(self):
        run = silent(started(judged_study()))
        runs.draft_folder(run)
        runs.run_cancel(run=run)
        assert left_on_disk(run) == []

    def test_cancelling_does_not_pull_the_files_from_under_a_worker(self):
        run = started(judged_study())
        draft = runs.draft_folder(run)
        runs.run_cancel(run=run)
        assert draft.exists(), "the worker removes them when it hears of it"

    def test_the_pulse_goes_on_after_a_cut_connection(self, monkeypatch):
        run = started(judged_study())
        beats = []

        def beat(**told):
            beats.append(connection.connection)
            if len(beats) == 1:
                connection.ensure_connection()
                raise InterfaceError("the connection is closed")
            return run_beat(**told)

        monkeypatch.setattr("annotation.services.pulse.run_beat", beat)
        monkeypatch.setattr("annotation.services.pulse.SECONDS", 0.05)
        with Pulse(run) as pulse:
            pulse.progress(1, 4, "counting")
            wait_until(lambda: state(run) == State.RUNNING and run.done == 1, "the second beat")
        assert beats[1] is None, "a new connection"

    def test_a_cancelled_run_is_not_even_begun(self):
        run = requested(judged_study())
        runs.run_cancel(run=run)
        report_task.func(run.pk)
        assert state(run) == State.CANCELLED
        assert left_on_disk(run) == []
        with pytest.raises(Refused, match="not being made any more"):
            runs.run_cancel(run=run)

    def test_cancelling_stops_a_worker_in_the_middle(self):
        """Whether it hears of it on its way or only at the end, nothing of the report is left."""
        run = requested(judged_study(), LONG)
        thread = threading.Thread(target=lambda: (report_task.func(run.pk), connection.close()))
        thread.start()
        wait_until(lambda: state(run) == State.RUNNING, "the worker to take it up")
        runs.run_cancel(run=run)
        thread.join(timeout=90)
        assert not thread.is_alive()
        assert state(run) == State.CANCELLED
        assert left_on_disk(run) == []

    def test_cancelling_interrupts_a_step_that_never_asks(self, monkeypatch):
        """Before: the worker went on with it, and all other reports waited until it was done."""
        run = requested(judged_study())

        def endless(*_, **__):
            while True:
                time.sleep(0.01)

        monkeypatch.setattr("annotation.analysis.background.report_of", endless)
        monkeypatch.setattr("annotation.services.pulse.SECONDS", 0.05)
        monkeypatch.setattr("annotation.services.pulse.GRACE", 0.1)
        before = signal.getsignal(signal.SIGUSR1)
        told = threading.Timer(0.5, lambda: (runs.run_cancel(run=run), connection.close()))
        told.start()
        report_task.func(run.pk)  # in the main thread, as in the worker
        told.join()
        assert state(run) == State.CANCELLED
        assert left_on_disk(run) == []
        assert signal.getsignal(signal.SIGUSR1) == before

    def test_more_systems_than_can_be_compared_are_told_in_words(self, monkeypatch):
        """Before: 2,000 systems took the worker a quarter of an hour and gigabytes, 10,000 all the memory there is."""
        run = requested(judged_study())
        monkeypatch.setattr("annotation.analysis.background.MOST_SYSTEMS", 1)
        report_task.func(run.pk)
        assert state(run) == State.FAILED
        assert "compares 1 at most" in run.error

    def test_a_report_that_needs_too_much_memory_says_so(self, monkeypatch):
        run = requested(judged_study())
        monkeypatch.setattr("annotation.analysis.background.report_of", lambda *_, **__: bytearray(2**60))
        report_task.func(run.pk)
        assert state(run) == State.FAILED
        assert run.error == OUT_OF_MEMORY

    def test_a_worker_that_comes_back_from_the_dead_leaves_nothing(self):
        """A laptop slept; its run was given up and made again meanwhile."""
        study = judged_study()
        old = silent(started(study))
        new = requested(study)
        assert new != old
        assert state(old) == State.FAILED
        assert old.error == runs.WORKER_GONE
        assert not runs.run_beat(run=old, done=1, total=2, label="late", seconds_left=None)
        draft = runs.draft_folder(old) / "report"
        draft.mkdir()
        assert not runs.run_finish(run=old, draft=draft)
        assert left_on_disk(old) == []
        assert state(old) == State.FAILED


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_worker_that_is_told_to_stop_twice_ends_at_once_and_says_so():
    """The end of ``make run``, and a second Ctrl-C; after the first one the worker would finish what it is at."""
    run = requested(judged_study(), LONG)
    with working() as worker:
        wait_until(lambda: state(run) == State.RUNNING, "the run to be on its way")
        worker.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=90)
    assert state(run) == State.FAILED
    assert run.error == runs.WORKER_GONE
    assert left_on_disk(run) == []


@pytest.mark.django_db
def test_a_worker_that_was_killed_while_the_clock_was_ahead_keeps_nobody_from_a_report():
    """Before: for as long as the clock had once been ahead."""
    study = judged_study()
    run = started(study)
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() + timedelta(days=400))
    assert run_queue().lost == 1
    assert requested(study) != run


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_a_killed_worker_leaves_a_run_that_can_be_made_again_and_no_half_result():
    study = judged_study()
    run = requested(study, LONG)
    with working() as worker:
        wait_until(lambda: state(run) == State.RUNNING, "the run to be on its way")
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert state(run) == State.RUNNING
    assert not run.has_files
    assert not run.folder.exists()
    assert requested(study, LONG) == run, "it is not given up before the silence is long enough"
    again = requested(silent(run).study, LONG)
    assert again != run
    assert left_on_disk(run) == []
    with working():
        wait_until(lambda: state(again) not in Run.ACTIVE, "the second attempt")
    assert state(again) == State.DONE
    assert again.has_files


# --- the worker ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db
class TestWorker:
    def waiting(self) -> Run:
        run = requested(judged_study())
        run.requested_at = timezone.now() - PATIENCE - timedelta(seconds=1)
        run.save()
        return run

    def test_a_run_that_waits_too_long_has_no_worker(self):
        run = self.waiting()
        assert worker_is_missing(run)
        assert not worker_is_missing(requested(judged_study("another")))

    def test_a_run_may_wait_behind_another(self):
        run = self.waiting()
        other = started(judged_study("another"))
        assert not worker_is_missing(run)
        silent(other)
        assert worker_is_missing(run)


@given(st.integers(1, 500), st.floats(0.1, 20))
def test_an_even_pace_tells_the_time_left(steps, seconds):
    pace = Pace()
    total = steps + ENOUGH + 5
    for done in range(ENOUGH + 2):
        left = pace.seconds_left(done, total, done * seconds)
    assert left == pytest.approx((total - done) * seconds)


def test_a_pace_that_slows_down_promises_less():
    pace = Pace()
    for second in range(20):
        pace.seconds_left(second * 4, 1000, float(second))
    before = pace.seconds_left(80, 1000, 20.0)
    for second in range(21, 60):
        after = pace.seconds_left(80 + (second - 20), 1000, float(second))
    assert after > 2 * before


# --- on the command line ------------------------------------------------------------------------------------------


def report_study(slug: str, out: Path, **options) -> None:
    call_command("report_study", slug, out=out, metric=["rouge-1-f"], resamples=100, **options)


@pytest.mark.django_db
class TestCommand:
    def test_two_runs_give_identical_bytes(self, tmp_path, capsys):
        judged_study()
        for name in ("one", "two"):
            report_study("reported", tmp_path / name)
        assert capsys.readouterr().out.splitlines() == [str(tmp_path / "one"), str(tmp_path / "two")]
        files = [report_files(tmp_path / name, forms=("svg", "csv")) for name in ("one", "two")]
        assert [file.name for file in files[0]] == [file.name for file in files[1]]
        assert len(files[0]) > 20
        for one, two in zip(*files, strict=True):
            assert one.content() == two.content(), one.name

    def test_what_cannot_be_done_is_one_clear_line(self, tmp_path):
        make_study(SEE, slug="fresh")
        with pytest.raises(CommandError, match="There is no study “nowhere”"):
            report_study("nowhere", tmp_path / "out")
        with pytest.raises(CommandError, match="Nothing has been judged yet"):
            report_study("fresh", tmp_path / "out")
        judged_study()
        with pytest.raises(CommandError, match="seed"):
            report_study("reported", tmp_path / "out", seed=-1)
        (tmp_path / "mine.txt").write_text("precious")
        with pytest.raises(CommandError, match="expected a folder of a report"):
            report_study("reported", tmp_path)
        assert (tmp_path / "mine.txt").read_text() == "precious"

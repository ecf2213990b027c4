"""What the monitor costs: its page, the first reading of a study, and one new judgment beside computing agreement anew.

    python -m benchmarks.monitor [JUDGMENTS …]

Studies of 5,000 and 500,000 judgments (or of the sizes given) are made by bulk inserts in a database of their own, or taken from the
folder ``TOUCHSTONE_DATA`` if they were made there before: 500 assessors, 20
systems, three judgments of each text on two criteria. For each it prints the queries and seconds of the page, the seconds in which a
worker first reads everything, and the seconds in which agreement follows one more judgment, as a ratio to reading the table and
computing α with its interval from it. Seconds are those of the processor, so that what else a machine does is not counted.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Iterable, Sequence
from datetime import timedelta

os.environ.setdefault("TOUCHSTONE_DATA", tempfile.mkdtemp(prefix="touchstone-monitor-"))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.models import Max, Model  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.analysis.following import follow  # noqa: E402
from annotation.analysis.inputs import judged_table  # noqa: E402
from annotation.analysis.refreshing import _snapshot  # noqa: E402
from annotation.models import (  # noqa: E402
    Assessor,
    Assignment,
    Document,
    Judgment,
    Output,
    Study,
    Subject,
    System,
    Task,
)
from annotation.selectors.monitor import monitor_page, progress_kept  # noqa: E402
from annotation.selectors.progress import study_progress  # noqa: E402
from annotation.services.monitor import monitor_forget, monitor_of, snapshot_write  # noqa: E402
from metrics.frames import check_judgments  # noqa: E402
from metrics.meta.agreement import agreement  # noqa: E402

SIZES = (5_000, 500_000)
PEOPLE, SYSTEMS, EACH = 500, 20, 3
STEPS = [{"value": n, "label": str(n)} for n in range(1, 6)]
CONFIG = {"criteria": [{"name": name, "steps": STEPS} for name in ("relevance", "fluency")]}
TRIES = 5


def made_study(judgments: int, rng: random.Random) -> Study:
    """All is judged but one piece of the last person. One that is there already is followed from the beginning."""
    if there := Study.objects.filter(slug=f"made-{judgments}").first():
        monitor_forget(study=there)
        return there
    study = Study.objects.create(
        slug=f"made-{judgments}", name="Made", seed=1, state="open", opened_at=timezone.now()
    )
    task = Task.objects.create(study=study, name="quality", kind="rating", position=0, config=CONFIG)
    documents = range(max(2, judgments // (SYSTEMS * EACH)))
    systems, people = (_fresh(model, number) for model, number in ((System, SYSTEMS), (Assessor, PEOPLE)))
    insert(System, ["pk", "key"], ((pk, f"s{n:02d}") for n, pk in enumerate(systems)), study=study)
    named = ((pk, f"p{n}", f"A{n:03d}", f"c{n}") for n, pk in enumerate(people))
    insert(Assessor, ["pk", "name", "pseudonym", "completion_code"], named, study=study)
    text = {"text": "A story.", "units": ["A story."], "study": study}
    stories = _fresh(Document, len(documents))
    insert(Document, ["pk", "key"], ((pk, f"d{n}") for n, pk in enumerate(stories)), **text)
    pieces = [(story, system) for story in stories for system in systems]
    outputs, subjects = (_fresh(model, len(pieces)) for model in (Output, Subject))
    made = ((pk, *piece) for pk, piece in zip(outputs, pieces, strict=True))
    insert(Output, ["pk", "document", "system"], made, **text)
    asked = ((pk, output, n) for n, (pk, output) in enumerate(zip(subjects, outputs, strict=True)))
    insert(Subject, ["pk", "output", "order"], asked, task=task, wanted=EACH, taken=EACH)
    _judge(subjects, people, rng)
    return study


def _fresh(model: type[Model], number: int) -> range:
    """So many numbers that no row has."""
    first = (model.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    return range(first, first + number)


def insert(model: type[Model], names: Sequence[str], rows: Iterable[tuple], **same: object) -> None:
    """Rows as they stand in the table; what ``names`` does not name is the same in all of them."""
    fields = model._meta.concrete_fields
    common = model(**same)
    values = [field.get_db_prep_save(field.pre_save(common, add=True), connection) for field in fields]
    columns = [model._meta.pk.name if name == "pk" else name for name in names]
    places = [[field.name for field in fields].index(name) for name in columns]

    def filled(row: tuple) -> list[object]:
        found = values.copy()
        for place, value in zip(places, row, strict=True):
            found[place] = value
        return found

    listed = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    sql = f"INSERT INTO {table} ({listed}) VALUES ({', '.join(['%s'] * len(fields))})"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(sql, (filled(row) for row in rows))


def _judge(subjects: Sequence[int], people: Sequence[int], rng: random.Random) -> None:
    """Everybody the next piece in turn; the last judgment is still to come."""
    now = timezone.now()
    turns = range(len(subjects) * EACH)
    assignments = _fresh(Assignment, len(turns))
    dealt = (
        (pk, people[turn % PEOPLE], subjects[turn // EACH], turn, f"a{pk:015d}")
        for turn, pk in zip(turns, assignments, strict=True)
    )
    names = ["pk", "assessor", "subject", "position", "public_id"]
    insert(Assignment, names, dealt, state="done", shown_at=now)
    said = (
        (pk, assignment, uuid.UUID(int=rng.getrandbits(128)).hex, json.dumps(answer_of(rng)))
        for pk, assignment in zip(_fresh(Judgment, len(turns) - 1), assignments, strict=False)
    )
    times = {"shown_at": now - timedelta(seconds=20), "submitted_at": now, "seconds": 20}
    insert(Judgment, ["pk", "assignment", "client_key", "answer"], said, revision=1, **times)


def answer_of(rng: random.Random) -> dict[str, object]:
    return {"values": {name: rng.randint(1, 5) for name in ("relevance", "fluency")}, "confirmed": True}


def judgment_of(assignment: Assignment, rng: random.Random, now) -> Judgment:
    return Judgment(
        assignment=assignment,
        revision=1,
        client_key=uuid.UUID(int=rng.getrandbits(128)),
        answer=answer_of(rng),
        shown_at=now - timedelta(seconds=20),
        submitted_at=now,
        seconds=20,
    )


def timed(act) -> tuple[float, object]:
    begun = time.process_time()
    found = act()
    return time.process_time() - begun, found


def page(study: Study) -> None:
    monitor = monitor_of(study=study)
    monitor_page(study, monitor, progress_kept(monitor) or study_progress(study), may_change=True)


def anew(study: Study):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return agreement(check_judgments(judged_table(study)), coefficients=["alpha-ordinal"], rng=1)


def measured(size: int) -> None:
    rng = random.Random(1)
    filled, study = timed(lambda: made_study(size, rng))
    print(f"{size:,} judgments of {PEOPLE} assessors, made in {filled:.0f} s")
    first, _ = timed(lambda: follow(monitor_of(study=study)))
    print(f"  first reading of all judgments      {first:9.2f} s")
    monitor = monitor_of(study=study)
    # As if the tables of the whole had just been made: they are a report's work, and wait for a tenth of the time.
    monitor.snapshot = {
        "tables": {
            "results_version": 0,
            "newest": 0,
            "judged": 10**9,
            "at": timezone.now().isoformat(),
            "seconds": 10**6,
        }
    }
    kept, _ = timed(lambda: snapshot_write(monitor=monitor, snapshot=_snapshot(monitor, is_whole=True)))
    print(f"  what the page shows, kept anew      {kept:9.2f} s")
    with CaptureQueriesContext(connection) as captured:
        opened, _ = timed(lambda: page(study))
    print(f"  the page: {len(captured):3d} queries               {opened:9.3f} s")
    times = []
    for _ in range(TRIES):
        assignment = rng.choice(list(Assignment.objects.filter(assessor__study=study)[:1000]))
        revision = assignment.judgments.count() + 1
        row = judgment_of(assignment, rng, timezone.now())
        row.revision = revision
        row.save()
        times.append(timed(lambda: follow(monitor_of(study=study)))[0])
    one = sorted(times)[TRIES // 2]
    print(f"  agreement after one more judgment   {one:9.4f} s")
    whole, _ = timed(lambda: anew(study))
    print(f"  agreement computed anew             {whole:9.2f} s")
    print(f"  ratio                               1 : {whole / one:,.0f}")


if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    User.objects.get_or_create(username="bench")
    for size in [int(given) for given in sys.argv[1:]] or SIZES:
        measured(size)

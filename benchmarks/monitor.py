"""What the monitor costs: its page, the first reading of a study, and one new judgment beside computing agreement anew.

    python -m benchmarks.monitor [JUDGMENTS …]

Studies of 5,000 and 500,000 judgments (or of the sizes given) are made by bulk inserts in a database of their own: 500 assessors, 20
systems, three judgments of each text on two criteria. For each it prints the queries and seconds of the page, the seconds in which a
worker first reads everything, and the seconds in which agreement follows one more judgment, as a ratio to reading the table and
computing α with its interval from it. Seconds are those of the processor, so that what else a machine does is not counted.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import uuid
import warnings
from datetime import timedelta
from itertools import islice

os.environ["TOUCHSTONE_DATA"] = tempfile.mkdtemp(prefix="touchstone-monitor-")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.analysis.following import follow  # noqa: E402
from annotation.analysis.inputs import judged_table  # noqa: E402
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
from annotation.services.monitor import monitor_of  # noqa: E402
from metrics.frames import check_judgments  # noqa: E402
from metrics.meta.agreement import agreement  # noqa: E402

SIZES = (5_000, 500_000)
PEOPLE, SYSTEMS, EACH = 500, 20, 3
STEPS = [{"value": n, "label": str(n)} for n in range(1, 6)]
CONFIG = {"criteria": [{"name": name, "steps": STEPS} for name in ("relevance", "fluency")]}
BATCH = 5_000
TRIES = 5


def made_study(judgments: int, rng: random.Random) -> Study:
    """All is judged but one piece of the last person."""
    study = Study.objects.create(
        slug=f"made-{judgments}", name="Made", seed=1, state="open", opened_at=timezone.now()
    )
    task = Task.objects.create(study=study, name="quality", kind="rating", position=0, config=CONFIG)
    systems = System.objects.bulk_create(
        System(study=study, key=f"s{n:02d}", name="") for n in range(SYSTEMS)
    )
    documents = Document.objects.bulk_create(
        [
            Document(study=study, key=f"d{n}", title="", text="A story.", units=["A story."])
            for n in range(max(2, judgments // (SYSTEMS * EACH)))
        ],
        batch_size=BATCH,
    )
    outputs = Output.objects.bulk_create(
        [
            Output(study=study, system=system, document=document, text="A text.", units=["A text."])
            for document in documents
            for system in systems
        ],
        batch_size=BATCH,
    )
    subjects = Subject.objects.bulk_create(
        [
            Subject(task=task, output=output, order=n, wanted=EACH, taken=EACH)
            for n, output in enumerate(outputs)
        ],
        batch_size=BATCH,
    )
    people = Assessor.objects.bulk_create(
        Assessor(study=study, name=f"p{n}", pseudonym=f"A{n:03d}", completion_code=f"c{n}")
        for n in range(PEOPLE)
    )
    _judge(subjects, people, rng)
    return study


def _judge(subjects: list[Subject], people: list[Assessor], rng: random.Random) -> None:
    now = timezone.now()
    pieces = (
        (subject, people[(place * EACH + turn) % PEOPLE], place * EACH + turn)
        for place, subject in enumerate(subjects)
        for turn in range(EACH)
    )
    while some := list(islice(pieces, BATCH)):
        with transaction.atomic():
            assignments = Assignment.objects.bulk_create(
                Assignment(assessor=person, subject=subject, position=number, state="done", shown_at=now)
                for subject, person, number in some
            )
            Judgment.objects.bulk_create(judgment_of(row, rng, now) for row in assignments)
    # The last person takes one back, so that there is one to come.
    last = Judgment.objects.order_by("-pk").first()
    Judgment.objects.filter(pk=last.pk)._raw_delete("default")


def judgment_of(assignment: Assignment, rng: random.Random, now) -> Judgment:
    values = {name: rng.randint(1, 5) for name in ("relevance", "fluency")}
    return Judgment(
        assignment=assignment,
        revision=1,
        client_key=uuid.UUID(int=rng.getrandbits(128)),
        answer={"values": values, "confirmed": True},
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
    from annotation.analysis.refreshing import (
        _snapshot,  # the page's numbers, without the tables of the whole
    )
    from annotation.services.monitor import snapshot_write

    monitor = monitor_of(study=study)
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
    User.objects.create_user("bench")
    for size in [int(given) for given in sys.argv[1:]] or SIZES:
        measured(size)

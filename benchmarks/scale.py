"""Does a page stay quick when a study grows? ``python benchmarks/scale.py``.

A study of 500 pieces with 5 assessors and one of 50,000 with 500, half of their work done, in one database (SQLite, or
PostgreSQL by ``DATABASE_URL``). Every page of experimenters, builder and assessors is loaded in each, in this process:
printed are queries, processor milliseconds, and their growth. Nothing is a hundred times slower if it looks only at what
it shows; what looks at everything (a download, the human scores) grows with the study, and is marked. The steps that make a
study (reading a table of 50,000 rows, dealing, opening) are timed too.

Exit code 1 if a page makes more queries in the large study than in the small one.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

# A script finds its own folder on the path, with a module of the name of one that Python has; what it needs is one above.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

PIECES, ASSESSORS, SMALLER = 50_000, 500, 100
ANSWER = {"values": {"coherence": 4, "consistency": 3, "fluency": 5, "relevance": 2}}
BUILT_ONLY = "build_"  # pages of a draft
# They read or write every row, as they must: their time grows with the study, their queries need not stay the same.
WHOLE = {
    *("download_judgments", "download_attributes", "download_study", "download_audit"),
}
BATCH = 2_000
LOADS, ENOUGH_SECONDS = 4, 2.0


class Load(NamedTuple):
    queries: int
    processor: float  # milliseconds


@contextmanager
def told(what: str) -> Iterator[None]:
    start = time.process_time()
    yield
    print(f"  {what:<58}{time.process_time() - start:10.1f} s", flush=True)


def built(slug: str, pieces: int, assessors: int) -> tuple[Any, Any]:
    """A study that is open and half judged, and a draft of the same size that was built from a table."""
    from django.contrib.auth.models import User

    from annotation.models import Study
    from annotation.selectors.files import study_materials
    from annotation.services import building
    from annotation.services.assessors import assessors_add
    from annotation.services.studies import membership_set, study_open
    from annotation.tasks import TEMPLATES
    from tests.load_study import SYSTEMS, TASKS, draft, text

    owner = User.objects.get(username="owner")
    with told("the materials are stored"):
        study = draft(
            slug, pieces=pieces, assessors=assessors, task=dict(TASKS["rating"]), pool=False, per_piece=1
        )
    membership_set(study=study, user=owner, role="owner")
    with told("dealt and opened"):
        study_open(study=study)
    half_judged(study)
    rows = [("doc_id", "source", "system", "summary")]
    rows += [
        (f"d{n}", text(n, 20), f"s{s}", text(n + s, 4))
        for n in range(pieces // SYSTEMS)
        for s in range(SYSTEMS)
    ]
    table = "\n".join("\t".join(row) for row in rows).encode()
    with told(f"a table of {len(rows) - 1:,} rows ({len(table) / 1e6:.0f} MB) is read and looked through"):
        made = building.study_from_table(
            owner=owner,
            name=f"{slug} table",
            language="en",
            files=[("table.tsv", table)],
            max_bytes=10**9,
        )
    with told("its texts become the study's"):
        building.texts_use(study=made, seen=1)
    materials, _ = study_materials(made)
    building.task_from_template(study=made, template=TEMPLATES["summeval"], materials=materials)
    assessors_add(study=made, names=[f"p{number}" for number in range(assessors)])
    return study, Study.objects.get(pk=made.pk)


def half_judged(study: Any) -> None:
    from django.utils import timezone

    from annotation.models import Assignment, Judgment

    now = timezone.now()
    rows = Assignment.objects.filter(assessor__study=study, position__lte=50).values_list("pk", flat=True)
    done = list(rows)
    Judgment.objects.bulk_create(
        (
            Judgment(
                assignment_id=pk,
                revision=1,
                client_key=f"00000000-0000-0000-0000-{pk:012d}",
                answer=ANSWER,
                shown_at=now - timedelta(minutes=1),
                submitted_at=now,
                seconds=30,
            )
            for pk in done
        ),
        batch_size=BATCH,
    )
    for start in range(0, len(done), BATCH):
        Assignment.objects.filter(pk__in=done[start : start + BATCH]).update(state=Assignment.State.DONE)


def addresses(study: Any, draft: Any) -> dict[str, str]:
    """Every page that can be asked for without a report; what is no page answers 405 and is left out later."""
    from django.urls import reverse

    from annotation.urls import manage_urls

    named: dict[str, list[Any]] = {
        "assessor": [study.assessors.last().pk],
        "study_item": ["document", study.documents.last().pk],
        "preview": ["task", 1],
        "download_judgments": ["csv"],
        "download_audit": ["csv"],
        "build_settings": ["summeval"],
    }
    found = {}
    for pattern in manage_urls:
        places = len(pattern.pattern.converters) - ("slug" in pattern.pattern.converters)
        if pattern.name == "study_list":
            found[pattern.name] = reverse("study_list")
        elif places == len(named.get(pattern.name, [])):
            of = draft if pattern.name.startswith(BUILT_ONLY) else study
            task = draft.tasks.first()
            named["build_settings"] = [task.name]
            found[pattern.name] = reverse(pattern.name, args=[of.slug, *named.get(pattern.name, [])])
    units = draft.outputs.last()
    found["study_units"] = reverse("study_units", args=[draft.slug, "output", units.pk])
    found["study_plan of a draft"] = reverse("study_plan", args=[draft.slug])
    found["build_texts, second page"] = reverse("build_texts", args=[draft.slug]) + "?all"
    return found


def loaded(client: Any, address: str) -> Load | None:
    """The quickest of some loads after the first, which reads what a process reads once. None if this is no page."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    spent: list[float] = []
    while len(spent) < LOADS and (len(spent) < 2 or sum(spent) < ENOUGH_SECONDS):
        gc.collect()
        start = time.process_time()
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address)
            if response.status_code in (302, 405):
                return None
            if response.status_code != 200:
                raise RuntimeError(f"{address}: {response.status_code}")
            if response.streaming:
                for _part in response.streaming_content:
                    pass
        spent.append(time.process_time() - start)
    return Load(len(captured), min(spent[1:]) * 1000)


def clients(study: Any) -> tuple[Any, Any]:
    """The browsers of an owner and of an assessor."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from annotation.services.assessors import assessor_link, assessor_start

    owner, person = Client(), Client()
    owner.force_login(User.objects.get(username="owner"), backend="django.contrib.auth.backends.ModelBackend")
    assessor = study.assessors.select_related("study").last()
    assessor_start(assessor=assessor, consented=True)
    person.get(reverse("join", args=[assessor_link(assessor=assessor)]))
    return owner, person


def measured(study: Any, draft: Any) -> dict[str, Load]:
    from django.urls import reverse

    owner, person = clients(study)
    pages = {name: loaded(owner, address) for name, address in addresses(study, draft).items()}
    work = person.get(reverse("work", args=[study.slug]))
    pages["assessor: item"] = loaded(person, work["Location"])
    pages["assessor: items"] = loaded(person, reverse("items", args=[study.slug]))
    return {name: load for name, load in pages.items() if load}


def printed(small: dict[str, Load], large: dict[str, Load]) -> list[str]:
    """The table; returns the pages that ask more often in the large study."""
    print(f"\n{'page':<30}{'queries':>16}{'processor ms':>22}{'growth':>10}")
    worse = []
    for name in sorted(small, key=lambda name: -large[name].processor / small[name].processor):
        few, many = small[name], large[name]
        mark = "  whole" if name in WHOLE else ""
        if many.queries > few.queries and not mark:
            worse.append(name)
            mark = "  MORE QUERIES"
        print(
            f"{name:<30}{few.queries:>8}{many.queries:>8}{few.processor:>11.0f}{many.processor:>11.0f}"
            f"{many.processor / few.processor:>9.1f}×{mark}"
        )
    return worse


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pieces", type=int, default=PIECES)
    parser.add_argument("--assessors", type=int, default=ASSESSORS)
    parser.add_argument(
        "--smaller", type=int, default=SMALLER, help="the small study is so many times smaller"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="touchstone-scale-") as folder:
        os.environ |= {"TOUCHSTONE_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        import django
        from django.conf import settings

        django.setup()
        # Hashed names of static files would need a manifest; they cost no query. With DEBUG, every query would be kept.
        storage = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
        settings.STORAGES["staticfiles"] = storage
        settings.ALLOWED_HOSTS = ["testserver"]
        logging.disable(logging.WARNING)  # of what is no page
        from django.contrib.auth.models import User
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        User.objects.create_user("owner")
        loads = []
        for factor in (options.smaller, 1):
            pieces, people = options.pieces // factor, max(2, options.assessors // factor)
            print(f"{pieces:,} pieces, {people} assessors")
            loads.append(measured(*built(f"of-{pieces}", pieces, people)))
        worse = printed(*loads)
    print(f"\nMore queries in the larger study: {', '.join(worse) or 'none'}.")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

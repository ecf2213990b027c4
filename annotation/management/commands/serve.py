"""``serve``: what ``make run`` starts. Database, demo study, web server and background worker in one process group."""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import django
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from annotation.management import parts
from annotation.management.health import database_check, database_upgrade
from annotation.management.parts import started
from annotation.models import Assessor, Study
from annotation.models.tokens import token_hash
from annotation.services.accounts import administrator_ensure
from annotation.services.assessors import assessor_link
from annotation.services.passwords import first_password_make
from annotation.services.studies import studies_adopt, study_import, study_open
from annotation.study_files import read_study

EXPERIMENTER = "experimenter"
NOT_SERVED = ["redoc"]  # comes with the page of the API, which does without it
PAUSE = 5  # seconds between two starts of a part that ended badly


class Command(BaseCommand):
    help = "Prepare the database, print logins, and serve until Ctrl-C."

    def handle(self, **options: object) -> None:
        self._refuse_a_taken_port()
        database_check()
        _keep_to_ourselves()
        database_upgrade()
        static_files_collect()
        self._login()
        self._demo()
        self.stdout.write(f"\n  Data: {settings.DATA_DIR}")
        self.stdout.write(f"\n  Touchstone is at {settings.PUBLIC_URL}/   (Ctrl-C ends it)\n")
        self.stdout.flush()
        sys.exit(self._serve())

    def _refuse_a_taken_port(self) -> None:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.BIND, int(settings.PORT)))
            except (OSError, ValueError, OverflowError) as problem:
                raise CommandError(
                    f"Port {settings.PORT} cannot be used ({problem}). Choose another: PORT=8001 {settings.RUN_COMMAND}"
                ) from problem

    def _login(self) -> None:
        """The first start makes an experimenter with a password that is printed once and stored only hashed."""
        address = f"{settings.PUBLIC_URL}{reverse('login')}"
        if User.objects.exists():
            administrator_ensure()
            self.stdout.write(f"\n  Experimenter: {address}")
            self.stdout.write(f"    Forgotten the password?  {settings.MANAGE_COMMAND} account NAME --link")
            return
        user, password = first_password_make(username=EXPERIMENTER)
        studies_adopt(owner=user)
        self.stdout.write(f"\n  Experimenter: {address}")
        self.stdout.write(f"    name {EXPERIMENTER}   one-time password {password}")
        self.stdout.write(
            "    It is good for one login; you choose your own there. Used up, and none chosen?"
        )
        self.stdout.write(f"    {settings.MANAGE_COMMAND} account {EXPERIMENTER} --link")

    def _demo(self) -> None:
        """The demo study, on the first start only. Its links are for trying out, so they are kept to print again."""
        kept: Path = settings.DATA_DIR / "demo-links.txt"
        if not kept.exists():
            if Study.objects.filter(slug="demo").exists():
                return
            study = study_import(
                study_file=read_study(settings.FILES_DIR / "fixtures" / "demo"),
                owner=User.objects.order_by("pk").first(),
            )
            study_open(study=study)
            links = [
                f"{assessor.name}\t{reverse('join', kwargs={'token': assessor_link(assessor=assessor)})}"
                for assessor in study.assessors.all()
            ]
            kept.write_text("\n".join(links) + "\n")
        valid = set(Assessor.objects.filter(study__slug="demo").values_list("token_hash", flat=True))
        lines = (line.split("\t") for line in kept.read_text().splitlines())
        still = {
            name: path for name, path in lines if token_hash(path.strip("/").rpartition("/")[2]) in valid
        }
        if still:
            self.stdout.write("\n  Demo assessors:")
        for name, path in still.items():
            self.stdout.write(f"    {name:<8} {settings.PUBLIC_URL}{path}")

    def _serve(self) -> int:
        """Run all parts until the web server ends or a signal comes.

        Every other part that ends by itself is started anew: assessors must not notice what becomes of somebody's report.
        """
        parts.application()
        web = started(parts.web)
        helpers = [Helper(parts.slow_lane), Helper(parts.worker), Helper(parts.keeper)]
        stopping = False

        def stop(*_: object) -> None:
            nonlocal stopping
            stopping = True
            for process in (web, *(helper.process for helper in helpers)):
                if process.exitcode is None:
                    process.terminate()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        # A terminal that is closed: else gunicorn alone would go on, which reads its settings anew at this.
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, stop)
        while web.exitcode is None:
            for helper in helpers:
                if not stopping and (code := helper.revive()):
                    self.stderr.write(f"The {helper.name} ended (code {code}); it is started anew.")
            web.join(timeout=1)
        stop()
        for helper in helpers:
            helper.process.join()
        return 0 if web.exitcode in (0, -signal.SIGTERM, -signal.SIGINT) else 1


class Helper:
    """A part that is started anew when it ends; one that cannot live must not keep the machine busy."""

    def __init__(self, part: Callable[[], None]) -> None:
        self.name = part.__name__.replace("_", " ")
        self._part = part
        self._start()

    def _start(self) -> None:
        self.process, self._begun = started(self._part), time.monotonic()

    def revive(self) -> int:
        """Start it anew if it has ended, and say with which code, if that was not 0."""
        code = self.process.exitcode
        if code is None or (code and time.monotonic() - self._begun <= PAUSE):
            return 0
        self._start()
        return code


def static_files_collect() -> None:
    """Names by content, and compressed; only if some file is another than at the last start. Of two who start at once one collects."""
    with _alone_in(settings.STATIC_ROOT.parent):
        _collect()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems know no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _collect() -> None:
    files = [
        (path, Path(storage.path(path)).stat())
        for finder in get_finders()
        for path, storage in finder.list(NOT_SERVED)
    ]
    states = sorted((path, state.st_size, state.st_mtime_ns) for path, state in files)
    mark = hashlib.sha256(repr((states, django.VERSION)).encode()).hexdigest()
    noted: Path = settings.STATIC_ROOT / "collected.txt"
    if noted.exists() and noted.read_text() == mark:
        return
    # Without the note somebody was killed at it, or the disk was full: what is half written looks like what is there.
    begun = settings.STATIC_ROOT.exists() and not noted.exists()
    noted.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=NOT_SERVED, clear=begun)
    noted.write_text(mark)


def _keep_to_ourselves() -> None:
    """What an earlier version, or another program, left readable for others. New files are the owner's alone."""
    for path in (settings.DATA_DIR, *settings.DATA_DIR.glob("touchstone.sqlite3*")):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)

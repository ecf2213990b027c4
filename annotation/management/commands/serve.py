"""``serve``: what ``make run`` starts. Database, demo study, web server and background worker in one process group."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from annotation.management.health import database_check
from annotation.models import Assessor, Study
from annotation.models.tokens import token_hash
from annotation.services.assessors import assessor_link
from annotation.services.passwords import first_password_make
from annotation.services.studies import studies_adopt, study_import, study_open
from annotation.study_files import read_study

EXPERIMENTER = "experimenter"
# Python runs one thread of a process at a time, so there is a process per core. Further threads serve those who wait for
# the disk or download a lot; more of them slow each other down, and everybody who waits for one of them to write.
WEB_WORKERS = max(2, os.cpu_count() or 1)
WEB_THREADS = 3
A_DAY = 24 * 60 * 60.0
TIDY = (
    "import os, django; os.nice(10); django.setup(); from annotation.services.retention import tidy; tidy()"
)
PAUSE = 5  # seconds between two starts of the worker: one that cannot live must not keep the machine busy


class Command(BaseCommand):
    help = "Prepare the database, print logins, and serve until Ctrl-C."

    def handle(self, **options: object) -> None:
        self._refuse_a_taken_port()
        database_check()
        _keep_to_ourselves()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
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
                probe.bind(("127.0.0.1", int(settings.PORT)))
            except (OSError, ValueError, OverflowError) as problem:
                raise CommandError(
                    f"Port {settings.PORT} cannot be used ({problem}). Choose another: PORT=8001 {settings.RUN_COMMAND}"
                ) from problem

    def _login(self) -> None:
        """The first start makes an experimenter with a password that is printed once and stored only hashed."""
        address = f"{settings.PUBLIC_URL}{reverse('login')}"
        if User.objects.exists():
            self.stdout.write(f"\n  Experimenter: {address}")
            self.stdout.write(f"    Forgotten the password?  {settings.MANAGE_COMMAND} changepassword NAME")
            return
        user, password = first_password_make(username=EXPERIMENTER)
        studies_adopt(owner=user)
        self.stdout.write(f"\n  Experimenter: {address}")
        self.stdout.write(f"    name {EXPERIMENTER}   one-time password {password}")
        self.stdout.write("    It is good for one login; you choose your own there.")

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
        """Run web server and worker until the first ends or a signal comes.

        A worker that ends by itself is started anew: assessors must not notice what becomes of somebody's report.
        """
        web, worker = _started(_web()), _started(_worker())
        begun = time.monotonic()
        tidying, tidied = _started(_tidy()), begun
        stopping = False

        def stop(*_: object) -> None:
            nonlocal stopping
            stopping = True
            for process in (web, worker, tidying):
                if process.poll() is None:
                    process.terminate()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        while web.poll() is None:
            if worker.poll() is not None and not stopping and time.monotonic() - begun > PAUSE:
                self.stderr.write(f"The worker ended (code {worker.returncode}); it is started anew.")
                worker, begun = _started(_worker()), time.monotonic()
            if tidying.poll() is not None and not stopping and time.monotonic() - tidied > A_DAY:
                tidying, tidied = _started(_tidy()), time.monotonic()
            with suppress(subprocess.TimeoutExpired):
                web.wait(timeout=1)
        stop()
        worker.wait()
        tidying.wait()
        return 0 if web.returncode in (0, -signal.SIGTERM, -signal.SIGINT) else 1


def _keep_to_ourselves() -> None:
    """What an earlier version, or another program, left readable for others. New files are the owner's alone."""
    for path in (settings.DATA_DIR, *settings.DATA_DIR.glob("touchstone.sqlite3*")):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    """A part of the server. It finds our packages before any of the same name where the user happens to be."""
    environment = os.environ | {"TOUCHSTONE_DATA": str(settings.DATA_DIR)}
    return subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)  # noqa: S603 - our own commands


def _web() -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{settings.PORT}"),
        *("--worker-class", "config.web_worker.FairWorker"),
        *("--workers", str(WEB_WORKERS), "--threads", str(WEB_THREADS)),
        "--preload",  # workers share what is loaded before they part
        # Answers go out through config.outlet, which knows no sendfile. Connections that wait are cheap.
        *("--no-sendfile", "--worker-connections", "600"),
        # A worker that has grown is replaced by a fresh one, not all at the same moment.
        *("--max-requests", "20000", "--max-requests-jitter", "4000"),
        *("--log-level", "warning", "--timeout", "120", "--graceful-timeout", "10", "--keep-alive", "15"),
    ]


def _tidy() -> list[str]:
    return [sys.executable, "-c", TIDY]


def _worker() -> list[str]:
    return [sys.executable, "-m", "django", "db_worker", "--interval", "1"]

"""How many judgments the server takes beside doccano, in the same minutes: ``python benchmarks/doccano.py --venv /tmp/doccano``.

doccano (https://github.com/doccano/doccano) is wanted in a virtual environment of its own:

    python3.11 -m venv /tmp/doccano && /tmp/doccano/bin/pip install doccano==1.8.4 'setuptools<70' 'marshmallow<4' 'numpy<2'

Both run as they come, with SQLite: doccano as ``doccano webserver`` starts it (five processes of gunicorn on two cores), Touchstone as
``make run`` does. Twenty people judge without a pause, by turns at the one and the other, so that a busy machine hits both alike. A
judgment is a text read and an answer stored. doccano needs three requests for it, and more from its own pages: the next example, a
category, and the mark that it is done; Touchstone one, which brings the next text along and stores four ratings.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

# A script finds its own folder on the path; what it needs is one above.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import serve
from tests.postgres import free_port

CSRF = "a" * 32
# A project of as many short texts, its people, and a session for each: printed as JSON.
SET_UP = """
import json, sys
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from examples.models import Example
from label_types.models import CategoryType
from projects.models import Member, Project
from roles.models import Role
people, texts = {people}, {texts}
owner = User.objects.create_superuser("owner", password="x")
project = Project.objects.create(name="p", project_type="DocumentClassification", created_by=owner, collaborative_annotation=False)
types = [CategoryType.objects.create(project=project, text=str(n)).pk for n in range(5)]
Example.objects.bulk_create(Example(project=project, text="A harbour was closed for days. " * 20) for _ in range(texts))
sessions = []
for number in range(people):
    user = User.objects.create_user(f"u{{number}}", password="x")
    Member.objects.create(project=project, user=user, role=Role.objects.get(name="annotator"))
    session = SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    sessions.append(session.session_key)
first = Example.objects.order_by("created_at", "pk").first().pk
print("SET-UP", json.dumps({{"project": project.pk, "types": types, "sessions": sessions, "first": first}}))
"""


class DoccanoLine(serve.Line):
    """Somebody at doccano. Its server ends a connection with each answer."""

    def __init__(self, port: int, given: dict[str, Any], number: int) -> None:
        self.host, self.port = "127.0.0.1", str(port)
        cookies = f"sessionid={given['sessions'][number]}; csrftoken={CSRF}"
        self.head = f"Host: 127.0.0.1:{port}\r\nCookie: {cookies}\r\nX-CSRFToken: {CSRF}\r\n"
        self.base = f"/v1/projects/{given['project']}/examples"
        self.category = json.dumps({"label": given["types"][number % 5]})
        self.done = 0

    def ask(self, method: str, path: str, body: str = "") -> bytes:
        self.open()
        head = f"{method} {path} HTTP/1.1\r\n{self.head}"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.socket.sendall(f"{head}\r\n{body}".encode())
        got = b"".join(iter(lambda: self.socket.recv(65536), b""))
        self.socket.close()
        if not got.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(f"{method} {path}: {got[:300]!r}")
        return got.partition(b"\r\n\r\n")[2]


def judged(line: Any, answer: str) -> bool:
    """The next text, a category, and done; False when that was the last."""
    page = json.loads(line.ask("GET", f"{line.base}?limit=1&offset={line.done}"))
    example = page["results"][0]["id"]
    line.ask("POST", f"{line.base}/{example}/categories", line.category)
    line.ask("POST", f"{line.base}/{example}/states", "{}")
    line.done += 1
    return line.done < page["count"]


@contextlib.contextmanager
def doccano(venv: Path, people: int, texts: int) -> Iterator[tuple[Any, list[DoccanoLine]]]:
    """The server of that environment on a database of its own, on this machine alone, and everybody at it."""
    python = venv / "bin" / "python"
    found = subprocess.run(
        [python, "-c", "import backend; print(backend.__path__[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    backend, port = found.stdout.strip(), free_port()
    with tempfile.TemporaryDirectory(prefix="doccano-bench-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings.production", "STANDALONE": "True"}
        settings |= {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "MEDIA_ROOT": folder}
        environment = os.environ | settings

        def manage(*command: str, given: str | None = None) -> str:
            done = subprocess.run(
                [python, "manage.py", *command],
                cwd=backend,
                env=environment,
                input=given,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(done.stderr[-2000:])
            return done.stdout

        manage("migrate", "-v0")
        manage("create_roles")
        told = manage("shell", "-c", SET_UP.format(people=people, texts=texts))
        given = json.loads(told.partition("SET-UP")[2])
        workers = 2 * (os.cpu_count() or 1) + 1
        # Loaded once and never given up: on a busy machine its processes would be ended before they have begun.
        patient = ["--preload", "--timeout", "600", "-w", str(workers)]
        command = [venv / "bin" / "gunicorn", "-b", f"127.0.0.1:{port}", *patient, "config.wsgi"]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=backend, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            lines = [DoccanoLine(port, given, number) for number in range(people)]
            _wait_for(lines[0])
            yield SimpleNamespace(process=process), lines
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(line: DoccanoLine, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            line.ask("GET", f"{line.base}?limit=1")
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def summed(phases: list[serve.Phase]) -> serve.Phase:
    return serve.Phase(
        seconds=sum(phase.seconds for phase in phases),
        processor=sum(phase.processor for phase in phases),
        asked=sum(phase.asked for phase in phases),
        times=[taken for phase in phases for taken in phase.times],
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--venv", type=Path, required=True, help="where doccano is installed")
    parser.add_argument("--assessors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pieces", type=int, default=5000)
    options = parser.parse_args()
    asked = SimpleNamespace(port=None, kind="rating", pool=False)
    answer = json.dumps(serve.ANSWERS["rating"])
    ours: list[serve.Phase] = []
    theirs: list[serve.Phase] = []
    with (
        serve.served_study(options.pieces, options.assessors, "sqlite", asked) as (server, links),
        doccano(options.venv, options.assessors, options.pieces) as (other, others),
    ):
        server.start()
        time.sleep(serve.SETTLE)
        memory = serve.megabytes(server), serve.megabytes(other)
        lines = serve.enter(server, links[: options.assessors])
        print(f"{options.assessors} people, load before: {os.getloadavg()[0]:.1f}", flush=True)
        for _ in range(options.rounds):
            ours.append(serve.press(server, lines, serve.submit, answer, options.seconds))
            theirs.append(serve.press(other, others, judged, answer, options.seconds))
    print(f"{'':12}{'judgments/s':>12}{'p50, ms':>10}{'p95, ms':>10}{'processor ms':>14}{'idle, MB':>10}")
    for name, phase, idle in zip(("Touchstone", "doccano"), map(summed, (ours, theirs)), memory, strict=True):
        times = f"{phase.quantile(0.5):>10,.0f}{phase.quantile(0.95):>10,.0f}"
        used = 1000 * phase.processor / phase.asked
        print(f"{name:12}{phase.rate:>12.1f}{times}{used:>14.1f}{idle:>10,.0f}")
    ratio = summed(theirs).processor / summed(theirs).asked / (summed(ours).processor / summed(ours).asked)
    rate = summed(ours).rate / summed(theirs).rate
    print(
        f"doccano takes {ratio:.1f} times the processor time a judgment; Touchstone {rate:.1f} times the judgments a second"
    )
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

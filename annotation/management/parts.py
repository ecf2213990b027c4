"""The parts of the server: web processes, one for what takes seconds, the worker of reports, and who keeps the house.

They are forks of one process that has loaded everything: each starts at once, and they share the memory. So nothing may be
open when they part, neither a connection to the database nor a thread.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]

from annotation import alive
from annotation.management.keeper import keep
from config import slow_lane as lane

# Python runs one thread of a process at a time, so there is a process per core. Further threads serve those who wait for
# the disk or download a lot; more of them slow each other down, and everybody who waits for one of them to write.
WEB_WORKERS = max(2, os.cpu_count() or 1)
WEB_THREADS = 3
WEB = {
    "bind": f"{settings.BIND}:{settings.PORT}",
    "worker_class": "config.web_worker.FairWorker",
    "workers": WEB_WORKERS,
    "threads": WEB_THREADS,
    "preload_app": True,
    # Answers go out through config.outlet, which knows no sendfile. Connections that wait are cheap.
    "sendfile": False,
    "worker_connections": 600,
    # A worker that has grown is replaced by a fresh one, not all at the same moment.
    "forwarded_allow_ips": "",  # whatever a client behind a proxy sends, no header of a request says where the server is
    "max_requests": 20_000,
    "max_requests_jitter": 4_000,
    # A door for commands to gunicorn, in the home folder, which a second server would take from the first.
    "control_socket_disable": True,
    "loglevel": "warning",
    "timeout": 120,
    "graceful_timeout": 10,
    "keepalive": 15,
    # What gunicorn itself has to say goes where everything else goes, in the same form.
    "logconfig_dict": settings.LOGGING | {"loggers": settings.LOGGERS | settings.GUNICORN_LOGGERS},
}
FILES = 4096  # that a web process may have open
WORKER_SHARE = 0.6  # of the machine's memory: a report that needs more fails in words, and no other process is killed for it
SLOW_LANE_SHARE = (
    0.5  # likewise of uploads and exports: what is a kilobyte as a file may be gigabytes as a table
)
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
_forking = multiprocessing.get_context("fork")


def started(part: Callable[[], Any]) -> BaseProcess:
    """A part of the server, under a name that ``ps`` and ``top`` show."""
    connections.close_all()
    process = _forking.Process(target=_run, args=(part, os.getpid()))
    process.start()
    return process


def _run(part: Callable[[], Any], parent: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as under nohup
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    _end_with(parent)
    with suppress(OSError):  # only Linux has it
        Path("/proc/self/comm").write_text(f"ts-{part.__name__}")
    with suppress(KeyboardInterrupt):
        part()


def _end_with(parent: int) -> None:
    """Whoever has started the parts may be killed alone: nobody would start anew what of them ends, nor end what goes on."""
    with suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


class _Web(BaseApplication):
    def load_config(self) -> None:
        for name, value in WEB.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return application()


def application() -> Any:
    """All that answers requests, loaded; static files must have been collected."""
    from config.wsgi import application

    lane.door()
    return application


def web() -> None:
    _allow_files()
    _Web().run()


def _allow_files() -> None:
    """Most systems allow a process 1,024 files unless it asks for more; a connection may need two."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def slow_lane() -> None:
    """Exports, uploads and pages over a whole study, so that nobody who judges waits for them."""
    memory_bound(SLOW_LANE_SHARE)
    alive.beat_until_the_end(alive.SLOW_LANE)
    os.nice(15)
    _own_temporary_folder()
    lane.serve(_Web().cfg, application())


def _own_temporary_folder() -> None:
    """Uploads and exports on their way. What a process that was killed left behind goes when the next one starts."""
    folder = settings.DATA_DIR / "slow-lane"
    with suppress(OSError):  # a full disk, say: then where the system puts such files
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        tempfile.tempdir = str(folder)


def worker() -> None:
    """Makes one report and ends: statistics need much memory, and nobody else does."""
    memory_bound(WORKER_SHARE)
    alive.beat_until_the_end(alive.WORKER)
    os.nice(19)  # whoever waits for a report waits longer than whoever judges, or waits for a page
    call_command("db_worker", "--interval", "1", "--max-tasks", "1", "--no-startup-delay")


def memory_bound(share: float) -> None:
    """Let this process have no more than a share of the memory of the machine, its container or its service."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = int(min([memory, *memory_limits()]) * share)
    with suppress(OSError, ValueError):  # somebody may have set a smaller one
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def memory_limits(
    groups: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> list[int]:
    """Of the control groups around this process. A container sees its own at the top; that of a service of systemd (``MemoryMax=``) is
    further down, and who needs more than that is killed, and by systemd everybody else with it."""
    found = []
    with suppress(OSError):
        for line in groups.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                top, name = mounted / "memory", "memory.limit_in_bytes"  # the first version of it
            elif not controllers:
                top, name = mounted, "memory.max"
            else:
                continue
            group = top / path.lstrip("/")
            for folder in (group, *group.parents):
                with suppress(OSError, ValueError):  # "max" where there is none
                    found.append(int((folder / name).read_text()))
                if folder == top:
                    break
    return found


def keeper() -> None:
    os.nice(10)
    keep()

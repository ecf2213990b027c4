"""A PostgreSQL server of one's own, in a temporary folder, for as long as a command or a test runs.

``python -m tests.postgres -- COMMAND …`` runs COMMAND with ``DATABASE_URL`` set.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


def binaries() -> Path | None:
    """The newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(kept: Path | None = None) -> Iterator[str]:
    """Start a server and yield its address as a ``DATABASE_URL``. With ``kept`` it is that folder's, and stays there."""
    programs = binaries()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed")
    # The server refuses to run as root.
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    as_user = ["runuser", "-u", user, "--"] if os.getuid() == 0 else []
    folder = kept or Path(tempfile.mkdtemp(prefix="touchstone-postgres-"))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.chown(folder, user)
    is_new = not (folder / "data").exists()
    port = free_port()
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c max_connections=200"
    if kept is None:
        options += " -c fsync=off"

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, stdout=subprocess.DEVNULL, cwd=folder)

    if is_new:
        how = ("-U", "touchstone", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        run(f"{programs}/initdb", "-D", f"{folder}/data", *how)
    run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start")
    try:
        if is_new:
            run(f"{programs}/createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "touchstone", "touchstone")
        yield f"postgres://touchstone@127.0.0.1:{port}/touchstone"
    finally:
        run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-m", "fast" if kept else "immediate", "stop")
        if kept is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    command = sys.argv[sys.argv.index("--") + 1 :]
    with server() as url:
        sys.exit(subprocess.run(command, check=False, env={**os.environ, "DATABASE_URL": url}).returncode)

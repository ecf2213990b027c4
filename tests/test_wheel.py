"""The wheel, as ``pip install`` puts it on a machine that has what ``pyproject.toml`` declares and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.dependencies import needed, requirements
from tests.metrics.human.rows import table
from tests.postgres import free_port

pytestmark = pytest.mark.slow
PATIENCE = 300  # a busy machine takes its time over the first start


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_has_every_file_of_the_packages_and_what_lies_beside_them(wheel):
    places = {name: name for name in ("annotation", "config", "metrics", "touchstone")}
    places |= {name: f"touchstone/{name}" for name in ("templates", "static", "fixtures/demo")}
    expected = {
        f"{place}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, place in places.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == expected


def installed(wheel: Path, folder: Path, *extras: str) -> Path:
    """A virtual environment with the wheel and with what these extras need, borrowed from the one that runs the tests."""
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    for name in needed(requirements(ROOT, *extras)):
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (packages / top).symlink_to(distribution(name).locate_file(top))
    pip = [sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python")]
    command = [*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return environment / "bin" / "touchstone"


@pytest.fixture(scope="module")
def whole(wheel, tmp_path_factory) -> Path:
    return installed(wheel, tmp_path_factory.mktemp("whole"), "app")


@pytest.fixture(scope="module")
def metrics_alone(wheel, tmp_path_factory) -> Path:
    return installed(wheel, tmp_path_factory.mktemp("alone"))


def run(command: Path, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(command), *map(str, arguments)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def environment(**more: str) -> dict[str, str]:
    """This process's, without what points to the repository or to its database."""
    ours = ("TOUCHSTONE_", "DJANGO_", "DATABASE_URL", "PYTHONPATH", "PORT")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more


def test_with_metrics_alone_tables_are_computed_and_the_application_says_what_to_install(
    metrics_alone, tmp_path
):
    demo = ROOT / "fixtures" / "demo"
    scored = run(
        metrics_alone,
        *("metrics", "score", "--outputs", demo / "outputs.jsonl", "--references", demo / "references.jsonl"),
        *("--metric", "rouge-1-stem-stop-f", "bleu", "ter"),  # with the data files of ROUGE
        folder=tmp_path,
    )
    assert scored.returncode == 0, scored.stderr
    assert len(scored.stdout.splitlines()) > 10

    refused = run(metrics_alone, "run", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "touchstone run needs the web application, and django is not installed" in refused.stderr
    assert '".[app]"' in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_made_with_metrics_alone(metrics_alone, tmp_path):
    judgments = tmp_path / "judgments.csv"
    rows = [
        {"assessor": f"a{a}", "system": system, "item": f"d{d}", "value": (a + d + len(system)) % 5 + 1}
        for a in range(2)
        for system in ("x", "yy", "zzz")
        for d in range(4)
    ]
    table(rows, kind="rating", criterion="adequacy").to_csv(judgments, index=False)
    made = run(metrics_alone, "metrics", "report", judgments, "--out", tmp_path / "report", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "<html" in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")


def test_the_whole_serves_its_pages_from_any_folder_and_keeps_its_data_there(whole, tmp_path):
    (tmp_path / "config").mkdir()  # somebody else's folder, of a name that ours has too
    (tmp_path / "config" / "__init__.py").touch()
    log, port = tmp_path / "log.txt", free_port()
    with log.open("wb") as output:
        server = subprocess.Popen(
            [str(whole), "run"],
            cwd=tmp_path,
            env=environment(PORT=str(port)),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_served(server, f"{address}/", log)
        printed = log.read_text()
        assert f"Data: {tmp_path / 'data'}" in printed

        page = got(f"{address}/login/")
        styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page)
        assert styles
        for style in styles:
            assert got(address + style)
        link = re.search(r"http://\S+/join/\S+", printed)
        assert link and "Ada" in printed
        item = first_item(link[0])
        for script in re.findall(r'(?:data-module|type="module" src)="([^"]+)"', item):
            assert "import " in got(address + script)  # the room of a kind is there, and what it imports
        assert "export function element" in got(f"{address}/static/assess/dom.js")

        exported = run(whole, "manage", "export_study", "demo", "--out", "demo.zip", folder=tmp_path)
        assert exported.returncode == 0, exported.stderr
    finally:
        server.terminate()
        assert server.wait(timeout=PATIENCE) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"config", "data", "demo.zip", "log.txt"}

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    refused = run(whole, "manage", "export_study", "demo", "--out", "demo.zip", folder=elsewhere)
    assert f"There is no database in {elsewhere / 'data'}" in refused.stderr
    assert "touchstone run" in refused.stderr


def wait_until_served(server: subprocess.Popen, address: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < deadline:
        try:
            got(address)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"the server did not start:\n{log.read_text()[-3000:]}")


def first_item(link: str) -> str:
    """The page of an assessor's first item, behind the welcome page's form."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(link, timeout=20) as welcome:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', welcome.read().decode())
        assert token
        form = urllib.parse.urlencode({"consent": "on", "csrfmiddlewaretoken": token[1]}).encode()
        begin = urllib.parse.urljoin(welcome.url, "start/")
    with browser.open(urllib.request.Request(begin, form, {"Referer": link}), timeout=20) as item:
        page = item.read().decode()
    assert 'id="item"' in page
    return page


def got(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.read().decode()

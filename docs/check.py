"""Checks of the documentation: links lead somewhere, commands exist, every page is linked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    ROOT.glob("docs/*.md")
)
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
TARGET = re.compile(r"`(?:[A-Z_]+=\S+ )*make ([a-z]+)`")
DJANGO = {
    "migrate",
    "changepassword",
    "createsuperuser",
    "collectstatic",
    "makemigrations",
    "db_worker",
    "check",
}


def problems() -> list[str]:
    commands = {path.stem for path in ROOT.glob("annotation/management/commands/*.py")} | DJANGO
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    found, linked = [], set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT)
        for link, _ in LINK.findall(text):
            target = (page.parent / link).resolve()
            linked.add(target)
            if "://" not in link and not link.startswith("mailto:") and not target.exists():
                found.append(f"{name}: the link {link} leads nowhere")
        found += [
            f"{name}: there is no command manage.py {c}" for c in COMMAND.findall(text) if c not in commands
        ]
        found += [f"{name}: there is no make {t}" for t in TARGET.findall(text) if t not in targets]
    found += [
        f"{p.relative_to(ROOT)}: no page links to it"
        for p in PAGES
        if p.parent.name == "docs" and p not in linked
    ]
    return found


if __name__ == "__main__":
    for line in (found := problems()):
        print(line)
    sys.exit(bool(found))

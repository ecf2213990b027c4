"""``judge SLUG --with COMMAND``: a program as assessor.

The program reads one JSON object a line on standard input, what a person would see, and writes one line for each:
``{"answer": {…}}`` or ``{"skip": "why"}``. docs/programs.md has the whole of it.
"""

from __future__ import annotations

import argparse
import json
import queue
import shlex
import subprocess
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.text import slugify

from annotation.actors import actor_set
from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.models import Program
from annotation.services import programs
from annotation.tasks.terms import NotYet

TRIES = 3  # an answer that cannot be taken is sent back with what is wrong with it
LONGEST_LINE = 4_000_000
LONGEST_WAIT = 7 * 24 * 60 * 60  # seconds


class Command(BaseCommand):
    help = "Let a program judge what people judge; its judgments are kept apart from theirs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--with", dest="command", required=True, metavar="COMMAND", help="the program")
        parser.add_argument("--name", help="what it is called in results (default: the program's own name)")
        parser.add_argument("--limit", type=int, metavar="N", help="stop after N items")
        parser.add_argument(
            "--timeout", type=_seconds, default=600, metavar="SECONDS", help="for each answer"
        )

    def handle(self, *, slug: str, command: str, **options: Any) -> None:
        study = study_or_error(slug)
        try:
            words = shlex.split(command)
        except ValueError as problem:
            raise CommandError(f"--with cannot be read: {problem}.") from problem
        if not words:
            raise CommandError("--with needs a program to run.")
        name = options["name"] or _name_of(words[0])
        actor_set("command judge")
        try:
            program = programs.program_enter(study=study, name=name)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        with Talk(words, options["timeout"]) as talk:
            judged, skipped = self._play(program, talk, options["limit"])
        left = programs.items_left(program).count()
        self.stdout.write(f"{name}: {judged} judged, {skipped} passed over, {left} left")

    def _play(self, program: Program, talk: Talk, limit: int | None) -> tuple[int, int]:
        judged = 0
        passed: set[str] = set()
        while limit is None or judged < limit:
            turn = programs.program_next(program=program, without=passed)
            if turn is None:
                break
            why = self._ask(turn, talk)
            if why:
                passed.add(turn.item.public_id)
                self.stderr.write(f"{turn.item.public_id}: passed over: {why}")
            elif turn.stage + 1 == turn.stages:
                judged += 1
        return judged, len(passed)

    def _ask(self, turn: programs.ProgramTurn, talk: Talk) -> str:
        """Why there is no answer, or nothing."""
        question = turn.shown()
        problem: list[dict[str, str]] = []
        for _ in range(TRIES):
            said = talk.answer(question | ({"problem": problem} if problem else {}))
            if "skip" in said:
                return str(said["skip"])[:500] or "no reason given"
            if not isinstance(said.get("answer"), dict):
                problem = [{"field": "", "message": 'Expected {"answer": {…}} or {"skip": "why"}.'}]
                continue
            try:
                programs.program_answer(item=turn.item, stage=turn.stage + 1, answer=said["answer"])
            except NotYet as missing:
                problem = [entry._asdict() for entry in missing.missing]
            except Refused as refused:
                return str(refused)
            else:
                return ""
        return "; ".join(entry["message"] for entry in problem)


class Talk:
    """A program that is asked line by line. It ends with us, whatever happens."""

    def __init__(self, words: list[str], timeout: float) -> None:
        self.words, self.timeout = words, timeout
        self._lines: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Talk:
        try:
            self._process = subprocess.Popen(  # noqa: S603 – whoever runs the command names the program
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="surrogateescape",
            )
        except OSError as problem:
            raise CommandError(f"{self.words[0]} cannot be run: {problem.strerror}.") from problem
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(LONGEST_LINE):
            self._lines.put(line)
        self._lines.put("")

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty as problem:
            raise CommandError(
                f"The program did not answer within {self.timeout:g} seconds. What it judged is kept; run the command again to go on."
            ) from problem
        except (BrokenPipeError, ValueError) as problem:
            raise CommandError(_ENDED) from problem
        if not line:
            raise CommandError(_ENDED)
        try:
            line.encode()  # bytes that are no UTF-8 are no answer
            said = json.loads(line)
        except (ValueError, RecursionError):
            return {"unreadable": line[:200]}
        return said if isinstance(said, dict) else {"unreadable": line[:200]}

    def __exit__(self, *_: object) -> None:
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(timeout=5)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


_ENDED = "The program ended before it had answered. What it judged is kept; run the command again to go on."


def _seconds(words: str) -> float:
    try:
        seconds = float(words)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= LONGEST_WAIT:
        raise argparse.ArgumentTypeError(f"expected seconds, up to {LONGEST_WAIT:,}")
    return seconds


def _name_of(program: str) -> str:
    return slugify(program.rsplit("/", 1)[-1].split(".", maxsplit=1)[0])[:60] or "program"

"""The parser of all commands.

A wrong argument is answered by one line that says what to change, and where the options are listed; argparse's own
answer, all options first, hides it.
"""

from __future__ import annotations

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """A parser whose refusal is one line and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")

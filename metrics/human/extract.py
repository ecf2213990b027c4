"""Texts that people write or choose themselves: rows of kind ``extract`` answer no system, and give no score yet."""

from __future__ import annotations

from metrics.human.kind import HumanKind

KIND = HumanKind(slug="extract", needs_system=False)

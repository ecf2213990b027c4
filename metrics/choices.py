"""What can be chosen about human scores and reports: for programs that ask people before anything is computed.

Nothing here loads pandas.
"""

from __future__ import annotations

from typing import Literal

Normalise = Literal["none", "z", "mean", "rank"]
Interval = Literal["analytic", "bootstrap-systems", "bootstrap-items", "bootstrap-both"]
Comparison = Literal["model", "ordinal", "paired", "wmt"]
Adjudicated = Literal["raw", "adjudicated", "both"]

RESAMPLES = 1_000
"""As many as are usual."""

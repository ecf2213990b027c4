"""What the families that stand on sacreBLEU (BLEU, chrF, TER) declare alike.

The numbers are sacreBLEU's own (Post 2018); its metric objects are asked for the statistics of a segment and for the score of
summed statistics, so that references are read once for all outputs and sums can be resampled.
"""

from __future__ import annotations

import sacrebleu

VERSION = ("sacrebleu", sacrebleu.__version__)
"""What a signature says of it."""
PERCENT = (0.0, 100.0)
"""The range of its similarity scores."""

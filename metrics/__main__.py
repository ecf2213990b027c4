"""``python -m metrics``: the statistics on files alone."""

import os
import sys

# Threads of linear algebra wait for each other by spinning, which costs more processor time than the work they share.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from metrics.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())

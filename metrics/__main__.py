"""``python -m metrics``: the statistics on files alone."""

import sys

from metrics.cli import main

if __name__ == "__main__":
    sys.exit(main())

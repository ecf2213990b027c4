"""``python -m touchstone``: the same as the command."""

import sys

from touchstone.command import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m vectorstores``: the knowledge index from the command line."""

import sys

from vectorstores.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m vectorstores``: the knowledge index from the command line."""

import sys

from utils.observability.logging_config import configure_logging
from vectorstores.cli import main

if __name__ == "__main__":
    configure_logging("text", "WARNING")  # libraries print what they find in documents
    sys.exit(main())

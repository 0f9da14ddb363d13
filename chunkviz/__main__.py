"""``python -m chunkviz``, the same as ``chunkviz``."""

import sys

from chunkviz.cli import main

if __name__ == "__main__":  # processes that share the work import this file, too
    sys.exit(main())

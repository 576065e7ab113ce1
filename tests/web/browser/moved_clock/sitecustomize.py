"""Let a test move the clocks of interviews in a server: seconds in a file are added to them."""

import os
import sys
import time
from pathlib import Path

if "serve" in sys.orig_argv:
    from torchstone.app.interview import holding

    _moved = Path(os.environ["MOVED_CLOCK"])
    holding.monotonic = lambda: time.monotonic() + float(_moved.read_text())  # type: ignore[assignment]

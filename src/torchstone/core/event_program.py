"""Programs that print what they do as lines of JSON, and end in order."""

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping

# As shells have it of a program that Ctrl-C ended.
INTERRUPTED = 128 + signal.SIGINT


def write_event(event: Mapping[str, object]) -> None:
    """Print an event as a line of JSON.

    Raises:
        ValueError: A number of it is not finite.
    """
    # In ASCII: a path or a text may hold what no encoding of the terminal can say.
    sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
    sys.stdout.flush()


def run_to_end(run: Callable[[], int]) -> int:
    """Run a program; return its exit code, also if Ctrl-C or its reader has ended it."""
    try:
        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe. Send what Python flushes at exit to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1

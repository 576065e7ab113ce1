"""Signal handling: interrupt a program once, so that it can clean up."""

import signal
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def interrupt_once() -> None:
    """Make the first signal to end raise KeyboardInterrupt in the main thread, and ignore others.

    A terminal sends Ctrl-C to a command and to the program that it started, and the command then
    tells the program to end as well: that must not stop it from tidying up what it was writing.
    """
    for each in SIGNALS:
        signal.signal(each, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt

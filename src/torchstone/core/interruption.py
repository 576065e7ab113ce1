"""Signal handling: interrupt a program once and let it clean up."""

import signal
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def interrupt_once() -> None:
    """Raise KeyboardInterrupt in the main thread on the first end signal, and ignore later ones.

    A terminal sends Ctrl-C to a command and to the program that it started, and the command then
    sends a second signal to the program. The second signal must not interrupt the cleanup.
    """
    for each in SIGNALS:
        signal.signal(each, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt

"""Child processes that end with their parent process."""

import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Seconds that a program has to end by itself.
END_SECONDS = 5.0


@contextmanager
def running(command: Sequence[str], **named: Any) -> Generator[subprocess.Popen[bytes], None, None]:
    """Start a program and ensure that it has ended when the block ends.

    If an exception leaves the block, the program gets SIGTERM. In every case the program has
    ``END_SECONDS`` to end; then it is killed.

    Args:
        command: The program and its arguments.
        named: Further arguments of ``subprocess.Popen``.
    """
    process: subprocess.Popen[bytes] | None = None
    try:
        with _interrupted_behind():
            process = subprocess.Popen(command, **named)
        yield process
    except BaseException:
        if process is not None:
            process.terminate()
        raise
    finally:
        if process is not None:
            with process:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # A second interrupt must not leave the program running.
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def _interrupted_behind() -> Iterator[None]:
    """Delay signals that would end this program until the block ends.

    ``Popen`` returns some time after the program starts. An interrupt between the two would lose
    the process handle, and the program would keep running.
    """
    if threading.current_thread() is not threading.main_thread():
        # Signals do not interrupt other threads.
        yield
        return
    came: list[int] = []
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    # An ignored signal stays ignored, because the new program inherits this.
    minded = [each for each, handler in handlers.items() if handler is not signal.SIG_IGN]
    for each in minded:
        signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for each in minded:
            signal.signal(each, handlers[each])
    for number in came:
        signal.raise_signal(number)

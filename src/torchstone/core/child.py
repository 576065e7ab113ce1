"""Child processes that end with their parent process."""

import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# So long, in seconds, a program has for putting away what it is writing.
END_SECONDS = 5.0


@contextmanager
def running(command: Sequence[str], **named: Any) -> Generator[subprocess.Popen[bytes], None, None]:
    """Start a program, and see to it that it has ended when the block is left.

    An exception that leaves the block tells it to end. One that does not within ``END_SECONDS`` is
    killed, and so is one that outlasts a block that was left in peace.

    Args:
        command: What to run, and its arguments.
        named: More for ``subprocess.Popen``.
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
        # One more interruption does not leave it running, either.
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def _interrupted_behind() -> Iterator[None]:
    """Let signals that would end this program wait for the end of the block.

    ``Popen`` returns some time after the program has begun. Interrupted in between, nobody would
    know the program, and it would run on.
    """
    if threading.current_thread() is not threading.main_thread():
        # Signals do not interrupt other threads.
        yield
        return
    came: list[int] = []
    handlers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    # One that is ignored stays so: the program that is started inherits that.
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

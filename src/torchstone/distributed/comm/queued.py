"""``QueuedWork``: a launched collective; ``Line``: a thread that runs collectives in order."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import torch

from torchstone.distributed.comm.calls import Call


class Line:
    """Thread that runs works in the order in which they are put.

    Args:
        run: Starts a work, which may be left to be finished.
        finish: Finishes that work. It is called when no other work is waiting to be started.
        name: The name of the thread.
    """

    def __init__(
        self, run: Callable[[QueuedWork], None], finish: Callable[[], None], name: str
    ) -> None:
        self._run, self._finish = run, finish
        self._works: queue.SimpleQueue[QueuedWork | None] = queue.SimpleQueue()
        self._num_threads = torch.get_num_threads()
        self._thread = threading.Thread(target=self._run_all, name=name, daemon=True)
        self._thread.start()

    def put(self, work: QueuedWork) -> None:
        """Enqueue a work."""
        self._works.put(work)

    def close(self) -> None:
        """End the thread after all enqueued works."""
        self._works.put(None)
        self._thread.join()

    def _run_all(self) -> None:
        torch.set_num_threads(self._num_threads)
        while (work := self._works.get()) is not None:
            self._run(work)
            # Release its tensors now rather than when the next work arrives.
            del work
            if self._works.empty():
                self._finish()
        self._finish()


class QueuedWork:
    """Collective that the thread has run, or will run.

    Attributes:
        joined: Event that is set when every rank is known to have launched the collective, so that
            it will complete whatever this rank does next.
    """

    def __init__(self, call: Call, number: int, label: str) -> None:
        self.call, self.number, self.label = call, number, label
        self.start_s = time.perf_counter()
        self._ended = threading.Event()
        self.joined = threading.Event()
        self._error: BaseException | None = None
        # On a GPU the collective starts after the work that was queued before it.
        self._begun: torch.cuda.Event | None = None
        self._done: torch.cuda.Event | None = None
        if call.tensor.is_cuda:
            self._begun = torch.cuda.current_stream(call.tensor.device).record_event()

    def end(self, error: BaseException | None) -> None:
        """Wake up the threads that wait, with the error, if any."""
        self._error = error
        self.joined.set()
        self._ended.set()

    def wait(self) -> None:
        """Block until the tensors contain the result; on a GPU, order the stream after it."""
        self._ended.wait()
        if self._error is not None:
            raise self._error
        if self._done is not None:
            torch.cuda.current_stream(self.call.tensor.device).wait_event(self._done)

    def begin_on_card(self) -> None:
        """Make this thread's stream wait for what was queued before the launch."""
        if self._begun is not None:
            torch.cuda.current_stream(self.call.tensor.device).wait_event(self._begun)

    def end_on_card(self) -> None:
        """Record the end of the collective in this thread's stream."""
        if self._begun is not None:
            self._done = torch.cuda.current_stream(self.call.tensor.device).record_event()

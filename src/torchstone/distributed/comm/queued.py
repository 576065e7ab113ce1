"""``QueuedWork``: a launched collective; ``Line``: a thread that runs them in their order."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import torch

from torchstone.distributed.comm.calls import Call


class Line:
    """A thread that runs works in the order in which they come.

    Args:
        run: Begins a work, after which something may be left of it.
        finish: Ends what is left. It is called when no other work waits to be begun.
        name: Of the thread.
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
        """Let the thread run a work after all that has been put before."""
        self._works.put(work)

    def close(self) -> None:
        """End the thread, after all that has been put."""
        self._works.put(None)
        self._thread.join()

    def _run_all(self) -> None:
        torch.set_num_threads(self._num_threads)
        while (work := self._works.get()) is not None:
            self._run(work)
            # It has tensors, which would stay until the next one comes.
            del work
            if self._works.empty():
                self._finish()
        self._finish()


class QueuedWork:
    """A collective that the thread has run, or will.

    Attributes:
        joined: Set when every rank is known to have launched it: then it ends whatever this rank
            does next.
    """

    def __init__(self, call: Call, number: int, label: str) -> None:
        self.call, self.number, self.label = call, number, label
        self.start_s = time.perf_counter()
        self._ended = threading.Event()
        self.joined = threading.Event()
        self._error: BaseException | None = None
        # On a card the collective begins when what was queued before it is done.
        self._begun: torch.cuda.Event | None = None
        self._done: torch.cuda.Event | None = None
        if call.tensor.is_cuda:
            self._begun = torch.cuda.current_stream(call.tensor.device).record_event()

    def end(self, error: BaseException | None) -> None:
        """Let those who wait go on."""
        self._error = error
        self.joined.set()
        self._ended.set()

    def wait(self) -> None:
        """Return when the tensors hold the result, on a card in the order of its stream."""
        self._ended.wait()
        if self._error is not None:
            raise self._error
        if self._done is not None:
            torch.cuda.current_stream(self.call.tensor.device).wait_event(self._done)

    def begin_on_card(self) -> None:
        """Let the stream of this thread wait for what was queued before the launch."""
        if self._begun is not None:
            torch.cuda.current_stream(self.call.tensor.device).wait_event(self._begun)

    def end_on_card(self) -> None:
        """Note in the stream of this thread where the collective ends."""
        if self._begun is not None:
            self._done = torch.cuda.current_stream(self.call.tensor.device).record_event()

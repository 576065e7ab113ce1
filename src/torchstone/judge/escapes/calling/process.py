"""Search process in a sandbox: prepared like a zygote, with the bans of a problem.

It forks jobs in sequence, each confined and banned like a submission's. When a job ends early, the
board names the callable that ended it, and the next job continues after that. The process itself
makes no calls.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchstone.judge.child.bans import bans, survey
from torchstone.judge.child.protocol.records import Params
from torchstone.judge.child.protocol.zygote_messages import JobSpec, ZygoteSettings
from torchstone.judge.child.zygote import job, pages, preloading, zygote

if TYPE_CHECKING:
    from torchstone.judge.escapes.calling.reach import Reached

REFUSED = 86
_BATCH = 400
_STUCK_SECONDS = 2.5
_CPU_SECONDS = 60.0
_MEMORY_MIB = 512
# Number of refusals of one callable after which its remaining forms are skipped.
_MAX_ENDS = 3


def main() -> None:
    """Run the search that the host orders, and report its findings."""
    settings = json.loads(sys.argv[1])
    preloading.import_torch()
    bans.install(os.path.join(settings["import_path"][0], "native.so"))
    survey.take()
    preloading.import_jobs()
    bans.prepare()
    # The zygote parent does the same, to reduce the pages copied for each job.
    gc.collect()
    pages.trim()
    pages.collapse()
    one = zygote.Zygote(ZygoteSettings(**settings["roles"]["submission"]))
    one.prepare()
    one.control.send(json.dumps({"did": "ready"}).encode())
    order = json.loads(one.control.recv(1 << 20))
    search = Search(one, order)
    if order.get("programs"):
        search.serve_programs()
        return
    search.run()
    one.control.send(json.dumps({"did": "finished"}).encode())


class Search:
    """One search: its callables, its samples and its findings."""

    def __init__(self, one: zygote.Zygote, order: Params) -> None:
        # Imported after the bans are prepared, as a submission is.
        from torchstone.judge.escapes.calling import attempt, board, program, reach, samples, typed

        del attempt, program, typed

        self._one, self._order = one, order
        denied = order["bans"]
        families = [*denied.get("families", ()), *order.get("sampled", ())]
        self._samples = samples.samples_of(families, denied.get("functions", ()))
        # Enumerated before the bans apply: inspecting an object may call closed functions.
        only = tuple(order.get("only", ()))
        found = reach.enumerate_callables(
            reach.make_operators(), without=("torchstone.judge.escapes", "__main__")
        )
        share: tuple[int, int] = tuple(order.get("share", (0, 1)))
        found = [
            item
            for item in found
            if (not only or item.name.startswith(only)) and reach.in_share(item.name, share)
        ]
        hidden = [] if order.get("lists") else bans.hidden_paths()
        named = order.get("modules")
        modules: list[str] = reach.importable_modules(hidden) if named is None else named
        self._modules = [name for name in modules if reach.in_share(name, share)]
        gc.collect()
        if order.get("lists"):
            _use_lists(order["lists"])
        # If the search itself calls a closed function, the report goes to standard error.
        bans._state.native.permit_namespace(2, "")
        bans.impose(**denied)
        if order.get("lists"):
            bans._state.closes_surface = False  # the files of the other lists stay readable
        self._items = [
            dataclasses.replace(item, is_closed=reach.is_closed(item.target)) for item in found
        ]
        self._board = board.Board()
        self._null = os.open("/dev/null", os.O_RDWR)
        self._ends: dict[int, int] = {}
        self._refused: set[str] = set()
        self._num_called = 0
        self._last_say = 0.0
        gc.freeze()

    def run(self) -> None:
        """Call every callable and report to the host."""
        from torchstone.judge.escapes.calling import reach

        closed = [number for number, item in enumerate(self._items) if item.is_closed]
        self._say("counted", callables=len(self._items), closed=len(closed))
        chosen = reach.distinct(self._items)
        numbers = [number for number in chosen if not self._items[number].is_closed]
        step = max(1, len(closed) // max(1, self._order.get("closed", 100)))
        self._call_all(self._items, sorted([*numbers, *closed[::step]]))
        self._call_typed()
        for name in self._modules:
            self._call_imported(name)
        self._say("called", callables=self._num_called, calls=self._board.place()[2])

    def serve_programs(self) -> None:
        """Run programs from the host until it sends no more."""
        from torchstone.judge.escapes.calling import program

        names = sorted({item.name for item in self._items if item.is_torch})
        for begin in range(0, len(names), 500):
            self._say("names", names=names[begin : begin + 500])
        self._say("counted", callables=len(names), closed=0)
        while message := self._one.control.recv(1 << 18):
            sent = json.loads(message)
            work = functools.partial(
                program.run, sent["source"], sent["name"], self._samples, self._board
            )
            status, report = self._fork(work)
            said = self._board.found()
            self._say("ran", status=status, report=report, said=said[:1])

    # --- stages ---

    def _call_all(
        self,
        items: list[Reached],
        numbers: list[int],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """Call the numbered callables, after running ``before`` in each job."""
        from torchstone.judge.escapes.calling import attempt

        self._reached, self._numbers, self._ends = items, numbers, {}
        attempts = attempt.Attempts(items, numbers, self._samples, self._board)

        def work(span: attempt.Span) -> None:
            before()
            attempts.run(span)

        at = form = careful_until = 0
        while at < len(self._numbers):
            is_careful = at < careful_until
            last = careful_until if is_careful else min(at + _BATCH, len(self._numbers))
            span = attempt.Span(first=at, form=form, last=last, is_careful=is_careful)
            status, report = self._fork(functools.partial(work, span))
            item, stopped, calls, clean = self._board.place()
            self._report_found()
            if status == 0:
                at, form = last, 0
            elif status == attempt.TAINTED and not is_careful:
                # A call since the last check has changed the process; check after every call.
                at, form, careful_until = max(clean, at), 0, item + 1
            elif status == attempt.TAINTED:
                at, form = max(clean, at) + 1, 0
            else:
                at, form = self._after(max(item, at), stopped, status, report)
            self._progress(at, calls)
        self._num_called += len(numbers)

    def _call_imported(self, name: str) -> None:
        """Import a module in a job, as a submission does, and call its functions."""
        from torchstone.judge.escapes.calling import reach

        found: list[Reached] = []

        def load() -> None:
            module = importlib.import_module(name)
            found.extend(reach.callables_of(name, module))
            self._board.say({"did": "names", "names": [each.name for each in found]})

        self._reached, self._numbers = [], []
        status, report = self._fork(load)
        said = [line for line in self._board.found() if line.get("did") == "names"]
        if not said:
            if status == REFUSED:
                self._say_refused(name, False)
            elif status < 0:
                self._board.at(0, 0, "import")
                self._say_ended(name, status, report)
            return
        blanks = [reach.Reached(each, None, False, True) for each in said[0]["names"]]
        self._say("counted", callables=len(blanks), closed=0)
        self._call_all(
            blanks, list(range(len(blanks))), functools.partial(self._fill, blanks, name)
        )

    def _fill(self, blanks: list[Reached], name: str) -> None:
        """Replace the placeholders with the callables that this job has imported."""
        from torchstone.judge.escapes.calling import reach

        blanks[:] = reach.callables_of(name, importlib.import_module(name))

    def _after(self, item: int, form: int, status: int, report: str) -> tuple[int, int]:
        """Report how a job ended; return the callable and form at which the next one starts."""
        from torchstone.judge.escapes.calling import attempt

        reached = self._reached[self._numbers[item]]
        if status == REFUSED:
            self._say_refused(reached.name, reached.is_closed)
        else:
            self._say_ended(reached.name, status, report)
        self._ends[item] = self._ends.get(item, 0) + 1
        is_single = reached.is_closed or not reached.is_torch
        if is_single or self._ends[item] >= _MAX_ENDS:
            return item + 1, 0
        sample = form // attempt.FORMS_A_SAMPLE
        if status == REFUSED and self._samples and self._samples[sample].is_recorded:
            return item, (sample + 1) * attempt.FORMS_A_SAMPLE
        return item, form + 1

    def _call_typed(self) -> None:
        """Call the pybind11 functions by type, with values that other calls returned."""
        from torchstone.judge.escapes.calling import typed

        plan = typed.Plan.of(self._items)
        skipped: set[int] = set()
        for attempt_number in range(len(plan.entries) + 1):
            stage = typed.Stage(plan, skipped, self._samples, self._board, seed=attempt_number)
            status, report = self._fork(stage.run)
            item = self._board.place()[0]
            self._report_found()
            if status == 0:
                break
            # A value damaged by an earlier call may end the process at any later call.
            if item < 0 or item in skipped:
                continue
            skipped.add(item)
            name = plan.entries[item].name
            if status == REFUSED:
                self._say_refused(name, False)
            else:
                self._say_ended(name, status, report)
            self._progress(len(self._numbers), 0)

    # --- jobs ---

    def _fork(self, work: Callable[[], None]) -> tuple[int, str]:
        """Fork a job that runs ``work``; return its status and its report."""
        self._board.clear()
        report_r, report_w = os.pipe()
        pid = self._one.namespaces.fork() if self._one.namespaces else os.fork()
        if pid == 0:
            self._be_the_job(work, report_w)
        os.close(report_w)
        try:
            status = self._watch(pid)
            self._board.catch_up()
            return status, os.read(report_r, 4096).decode(errors="replace")
        finally:
            os.close(report_r)

    def _watch(self, pid: int) -> int:
        watched = os.pidfd_open(pid)
        before, since = None, time.monotonic()
        try:
            while not select.select([watched], [], [], 0.5)[0]:
                place = self._board.place()
                if place != before:
                    before, since = place, time.monotonic()
                elif time.monotonic() - since > _STUCK_SECONDS:
                    os.kill(pid, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        finally:
            os.close(watched)

    def _be_the_job(self, work: Callable[[], None], report: int) -> None:
        status = 70
        try:
            spec = _spec()
            control = os.dup(self._null)  # in place of the job's socket
            assert self._one._prepared is not None, "the process is prepared before it searches"
            job.enter(self._one.settings, self._one._prepared, spec, [control, report, self._null])
            job.take_bans(self._one._prepared, spec, report)
            bans.load(lambda: None, bare=False)
            work()
            status = 0
        except BaseException as error:  # noqa: BLE001  this process must not return
            os.write(report, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(status)

    # --- news ---

    def _report_found(self) -> None:
        for line in self._board.found():
            if "result" not in line:
                continue
            name = line.pop("name", None) or self._reached[self._numbers[line.pop("item")]].name
            self._say("equal", name=name, **line)

    def _say_refused(self, name: str, is_closed: bool) -> None:
        if name not in self._refused:
            self._refused.add(name)
            self._say("refused", name=name, is_closed=is_closed)

    def _say_ended(self, name: str, status: int, report: str) -> None:
        self._say("ended", name=name, status=status, form=self._board.label(), report=report)

    def _progress(self, at: int, calls: int) -> None:
        if time.monotonic() - self._last_say > 0.2:
            self._last_say = time.monotonic()
            self._say("progress", done=at, total=len(self._numbers), calls=calls)

    def _say(self, did: str, **facts: Any) -> None:
        self._one.control.send(json.dumps({"did": did, **facts}).encode())


def _spec() -> JobSpec:
    return JobSpec(
        slot=0,
        filter="python",
        serve="source",
        mode="plain",
        runtime=None,
        writable=False,
        disk_mib=1,
        cpu_s=_CPU_SECONDS,
        memory_mib=_MEMORY_MIB,
        probe=None,
    )


def _use_lists(lists: Params) -> None:
    """Close by other lists than ``allowed.toml``, to test that the search finds escapes."""
    import torch

    state = bans._state

    def close_surface(**_: object) -> None:
        state.closer.close_implementations(lists["python_implementations"])
        names = [
            name
            for name in dir(torch._C)
            if name.startswith(tuple(lists["prefixes"])) and name not in lists["open"]
        ]
        found = [(getattr(torch._C, name), f"torch._C.{name}") for name in names]
        state.native.close([each for each in found if type(each[0]) is type(torch._C._jit_init)])

    state.closer.close_surface = close_surface  # type: ignore[method-assign]
    state.allowed.closed = ()
    # The other lists do not cover modules beside torch.
    state.beside.forget = lambda: None  # type: ignore[method-assign]


if __name__ == "__main__":
    main()

"""Two passes over a program: an unprofiled one that measures the steps, and a recorded one."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec
from msgspec.structs import replace

from torchstone.doctor.capture.counting import num_cores
from torchstone.doctor.capture.orders import LINES, RESULT, STATE, TRACE, Orders, Timed
from torchstone.doctor.capture.plan import Plan
from torchstone.doctor.capture.processes import Running, running
from torchstone.doctor.capture.watch import WARM_STEPS, num_steps
from torchstone.doctor.recording import Recording
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.sampled import read_lines
from torchstone.doctor.source import Host

CHILD = "torchstone.doctor.capture.child"
TIMING, RECORDING = "timing", "recording"
# Time for a process to exit after it has reported its result.
_UNWIND_SECONDS = 10.0
_POLL_SECONDS = 0.05
_TOLD_SECONDS = 0.5
_LEAST_STEPS = 3
# A smaller share may be due to chance.
_LEAST_PROFILING = 0.05

OnProgress = Callable[[str, int, float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """Result of both passes.

    Attributes:
        traces: Trace file of each rank.
        recordings: Measurements around each trace.
        timed_s: Duration of the first pass.
        recorded_s: Duration of the second pass; 0 if the first pass recorded too.
        num_timed: Number of steps measured without the profiler.
    """

    traces: list[Path]
    recordings: list[Recording]
    timed_s: float
    recorded_s: float
    num_timed: int


def capture(plan: Plan, folder: Path, on_progress: OnProgress) -> Captured:
    """Run a program twice and record some of its steps.

    Args:
        plan: The program and the options of the run.
        folder: Folder for the traces.
        on_progress: Called with the pass, the number of observed steps, and the elapsed seconds.

    Raises:
        Refusal: The program cannot be started, fails, takes too long, or does not use torch.
    """
    plan.check()
    begun = time.monotonic()
    first = run_pass(plan, folder / TIMING, _orders(plan), on_progress)
    timed_s = time.monotonic() - begun
    _require_torch(plan, first)
    if all(each.has_trace for each in first):
        return _captured(first, first, folder / TIMING, timed_s, 0.0)
    begun = time.monotonic()
    orders = _second(plan, first)
    second = run_pass(plan, folder / RECORDING, orders, on_progress)
    if not all(each.has_trace for each in second):
        raise Refusal("not_recorded", script=plan.name)
    return _captured(first, second, folder / RECORDING, timed_s, time.monotonic() - begun)


def run_pass(
    plan: Plan, folder: Path, orders: Orders, on_progress: OnProgress | None = None
) -> list[Timed]:
    """Run a program once on each rank; return the result of each.

    Args:
        plan: The program and the options of the run.
        folder: Parent of the folders of the ranks.
        orders: What the pass does.
        on_progress: Called with the pass, the number of observed steps, and the elapsed seconds.

    Raises:
        Refusal: The program fails or takes too long.
    """
    folders = [folder / str(rank) for rank in range(plan.num_ranks)]
    commands = []
    for each in folders:
        each.mkdir(parents=True, exist_ok=True)
        path = each / "orders.json"
        path.write_bytes(msgspec.json.encode(replace(orders, folder=str(each))))
        commands.append([sys.executable, "-P", "-m", CHILD, str(path)])
    with running(commands, _environments(plan)) as ranks:
        _wait(plan, folder.name, folders, ranks, on_progress)
        pairs = list(zip(folders, ranks, strict=True))
        # The failed rank has the cause; the others only waited for it.
        for each, rank in sorted(pairs, key=lambda pair: not pair[1].process.poll()):
            _require_success(plan, each, rank)
        return [found for each in folders if (found := _read(each)) is not None]


def _orders(plan: Plan) -> Orders:
    return Orders(
        script=plan.script,
        words=list(plan.words),
        is_module=plan.is_module,
        steps=plan.steps,
        ranks=plan.num_ranks,
        limit_s=plan.limit_s,
    )


def _environments(plan: Plan) -> list[dict[str, str]]:
    """Return the environment variables of each rank, as torchrun sets them."""
    if plan.num_ranks == 1:
        return [{}]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    world = str(plan.num_ranks)
    everywhere = {
        "WORLD_SIZE": world,
        "LOCAL_WORLD_SIZE": world,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        # As torchrun does, so that ranks do not compete for cores.
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }
    return [
        everywhere | {"RANK": str(rank), "LOCAL_RANK": str(rank), "GROUP_RANK": "0"}
        for rank in range(plan.num_ranks)
    ]


def _wait(
    plan: Plan,
    name: str,
    folders: list[Path],
    ranks: list[Running],
    on_progress: OnProgress | None,
) -> None:
    """Wait until each rank has exited, or has reported its result and had time to exit."""
    begun = told = time.monotonic()
    told_at: float | None = None
    while any(each.process.poll() is None for each in ranks):
        now = time.monotonic()
        if on_progress is not None and now - told > _TOLD_SECONDS:
            told = now
            on_progress(name, _steps_seen(folders[0]), now - begun)
        if all((each / RESULT).exists() for each in folders):
            told_at = now if told_at is None else told_at
            if now - told_at > _UNWIND_SECONDS:
                return
        elif now - begun > plan.limit_s:
            seen = _steps_seen(folders[0])
            raise Refusal("too_slow", script=plan.name, limit=plan.limit_s, steps=seen)
        elif _has_failed(folders, ranks):
            return
        time.sleep(_POLL_SECONDS)


def _has_failed(folders: list[Path], ranks: list[Running]) -> bool:
    """Return whether a rank has failed, in which case the others would wait forever."""
    for folder, rank in zip(folders, ranks, strict=True):
        status = rank.process.poll()
        if status is not None and (status or not (folder / RESULT).exists()):
            found = _read(folder)
            return found is None or not found.is_enough
    return False


def _read(folder: Path) -> Timed | None:
    try:
        return msgspec.json.decode((folder / RESULT).read_bytes(), type=Timed)
    except FileNotFoundError:
        return None


def _steps_seen(folder: Path) -> int:
    try:
        return int((folder / STATE).read_text() or 0)
    except (FileNotFoundError, ValueError):
        return 0


def _require_success(plan: Plan, folder: Path, rank: Running) -> None:
    status, found = rank.process.poll(), _read(folder)
    if found is not None and found.no_module:
        raise Refusal("no_module", module=plan.script)
    if found is not None and (found.is_enough or status == 0):
        return
    words = rank.last_words()
    if status is not None and status < 0:
        raise Refusal("script_killed", script=plan.name, signal=_name_of(-status), words=words)
    raise Refusal("script_failed", script=plan.name, status=status or 0, words=words)


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _require_torch(plan: Plan, first: list[Timed]) -> None:
    if not any(each.has_torch for each in first):
        raise Refusal("no_torch", script=plan.name)


def _second(plan: Plan, first: list[Timed]) -> Orders:
    """Return the orders of the second pass, within the number of steps that the program has."""
    timed = first[0]
    orders = replace(_orders(plan), is_silent=any(each.profiles for each in first))
    # After the last boundary there is no complete step.
    room = min(each.boundaries for each in first) - 1
    if timed.how == "whole" or room < 1:
        return replace(orders, how="whole")
    steps = num_steps(plan.steps, median(timed.step_us or [0.0]))
    if timed.is_enough:
        # The program continues beyond the observed steps.
        return replace(orders, how=timed.how, first=WARM_STEPS, steps=steps)
    # Recording three steps has priority over warming up the profiler.
    warm_up = 1 if room > _LEAST_STEPS else 0
    steps = min(steps, room - warm_up)
    first_at = 1 + min(WARM_STEPS - 1, room - warm_up - steps)
    return replace(orders, how=timed.how, first=first_at, warm_up=warm_up, steps=steps)


def _captured(
    first: list[Timed], second: list[Timed], folder: Path, timed_s: float, recorded_s: float
) -> Captured:
    return Captured(
        traces=[folder / str(rank) / TRACE for rank in range(len(first))],
        recordings=[
            _recording(timed, recorded, folder / str(rank))
            for rank, (timed, recorded) in enumerate(zip(first, second, strict=True))
        ],
        timed_s=timed_s,
        recorded_s=recorded_s,
        num_timed=len(first[0].step_us),
    )


def _recording(timed: Timed, recorded: Timed, folder: Path) -> Recording:
    step_us = median(timed.step_us) if timed.step_us and recorded.how != "whole" else None
    watched_us = median(recorded.watched_us) if recorded.watched_us else None
    dilation = watched_us / step_us if step_us and watched_us else None
    profiling = 0.0
    notes = [f"run_{recorded.how}"]
    if timed.profiles:
        notes.append("own_profiler")
        if dilation is not None and 1 - dilation >= _LEAST_PROFILING:
            # Profiled and unprofiled steps do different work.
            profiling, dilation = 1 - dilation, None
    if timed is recorded:
        notes.append("one_process")
    return Recording(
        how=recorded.how,
        step_us=step_us,
        dilation=dilation,
        host=Host(
            cores=timed.cores or num_cores(),
            threads=timed.threads,
            processes=timed.processes,
            switches=timed.switches,
            reference=timed.reference,
        ),
        bytes_at_steps=tuple(timed.resident),
        profiling=profiling,
        lines=read_lines(folder / LINES, recorded.step_begins),
        notes=tuple(notes),
    )

"""Runs a program as the ranks of a real launcher, and reads what each rank has recorded.

The program records with ``record(name, value)``; the last record of a name counts. What counts are
these records, and not how a rank that has finished leaves: gloo may abort at exit.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PROLOGUE = """
import json, os, signal, sys, threading, time, traceback
_FILE = os.path.join(os.environ["RECORDS"], os.environ.get("RANK", os.environ.get("SLURM_PROCID")))

def record(name, value):
    with open(_FILE, "a") as file:
        file.write(json.dumps([name, value]) + chr(10))

def tell(kind, error, trace):
    record("raised", "".join(traceback.format_exception(kind, error, trace)))
    sys.__excepthook__(kind, error, trace)

sys.excepthook = tell
record("pid", os.getpid())
import torch
import torchstone.distributed as td
"""
_LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_", "GROUP_", "MASTER_", "TORCHELASTIC_", "SLURM_")


@dataclass
class Ranks:
    """What the ranks of a run have recorded, and what they have printed."""

    records: dict[int, dict[str, Any]] = field(default_factory=dict)
    output: str = ""

    def told(self) -> str:
        """Return what the ranks have raised, else what they have printed."""
        raised = [each["raised"] for each in self.records.values() if "raised" in each]
        return "\n".join(raised) or self.output

    def each(self, name: str) -> list[Any]:
        """Return one record of every rank, in rank order."""
        missing = [rank for rank, each in self.records.items() if name not in each]
        assert not missing, f"ranks {missing} have not recorded {name!r}:\n{self.told()}"
        return [self.records[rank][name] for rank in sorted(self.records)]


def by_torchrun(program: str, num_ranks: int, folder: Path, *, until: str, **options: Any) -> Ranks:
    """Run a program under torchrun.

    Args:
        program: Python, in which ``record``, ``td`` and ``torch`` are there.
        num_ranks: The number of processes.
        folder: For files.
        until: The name that a rank records last; the ranks are ended when all but ``lost`` have.
        **options: As of ``_run``.
    """
    command = [
        *(sys.executable, "-m", "torch.distributed.run"),
        *("--standalone", f"--nproc-per-node={num_ranks}"),
        str(_write(program, folder)),
    ]
    return _run([(command, {})], num_ranks, folder, until=until, **options)


def by_variables(
    program: str, variables: list[dict[str, str]], folder: Path, *, until: str, **options: Any
) -> Ranks:
    """Run a program as processes that are given the variables of a launcher, and no launcher.

    Nothing ends the others where one is lost.
    """
    command = [sys.executable, str(_write(program, folder))]
    return _run(
        [(command, each) for each in variables], len(variables), folder, until=until, **options
    )


def _write(program: str, folder: Path) -> Path:
    path = folder / "program.py"
    path.write_text(_PROLOGUE + program)
    return path


def _run(
    commands: list[tuple[list[str], dict[str, str]]],
    num_ranks: int,
    folder: Path,
    *,
    until: str,
    lost: tuple[int, ...] = (),
    deadline_s: float = 240.0,
) -> Ranks:
    """Start the commands; end all processes when the ranks that are not lost have recorded."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(_LAUNCHERS)
    }
    environment |= {"OMP_NUM_THREADS": "1", "RECORDS": str(folder), "PYTHONUNBUFFERED": "1"}
    # Programs import the modules of the tests, and the sources beside them, not an installed copy.
    root = Path(__file__).parents[2]
    environment["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root)])
    ranks = Ranks()
    waited = [rank for rank in range(num_ranks) if rank not in lost]
    output = folder / "output"
    with output.open("w") as file:
        started = [
            subprocess.Popen(
                command, env=environment | variables, stdout=file, stderr=subprocess.STDOUT
            )
            for command, variables in commands
        ]
        try:
            end = time.monotonic() + deadline_s
            while time.monotonic() < end:
                have_ended = all(each.poll() is not None for each in started)
                ranks.records = {rank: _read(folder / str(rank)) for rank in range(num_ranks)}
                if have_ended or all(until in ranks.records[rank] for rank in waited):
                    break
                time.sleep(0.05)
            _leave(started, patience_s=0 if lost else 30)
        finally:
            _end([each.pid for each in started] + _pids(ranks))
            for each in started:
                each.wait()
    ranks.records = {rank: _read(folder / str(rank)) for rank in range(num_ranks)}
    ranks.output = output.read_text()
    silent = [rank for rank in waited if until not in ranks.records[rank]]
    assert not silent, f"ranks {silent} have not recorded {until!r}:\n{ranks.told()}"
    left = [pid for pid in _pids(ranks) if _is_there(pid)]
    assert not left, f"processes {left} are left:\n{ranks.told()}"
    return ranks


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    lines = path.read_text().split("\n")
    # The last line may be half written.
    return dict(json.loads(line) for line in lines[:-1])


def _leave(started: list[subprocess.Popen[bytes]], *, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    for each in started:
        with suppress(subprocess.TimeoutExpired):
            each.wait(max(0.0, end - time.monotonic()))


def _pids(ranks: Ranks) -> list[int]:
    return [each["pid"] for each in ranks.records.values() if "pid" in each]


def _end(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while time.monotonic() < end and any(map(_is_there, pids)):
        time.sleep(0.02)


def _is_there(pid: int) -> bool:
    """Return whether a process is there and has not ended; one that nobody has reaped has."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"

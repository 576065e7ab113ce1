"""Judge attacks in a process of its own, as whatever user it was started.

Usage: python arena_process.py BANK LEVEL

One JSON object a line on stdin, one back on stdout. Two jobs run at once: an attack beside honest
ones, and one more honest one afterwards in the attack's slot, whose uid it shares.
"""

import json
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from torchstone.bank.loader import load_problem
from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import plain
from torchstone.judge.order import Assignment, Order
from torchstone.judge.pool.worker_pool import WorkerPool

SHORT = Limits(wall_s=3.0, cpu_s=2.0, memory_mib=256, output_kib=64)
ATTACK, BESIDE = 0, 1


class Arena:
    """Hold the worker pool and the problems of one level."""

    def __init__(self, bank_root: Path, level: Isolation) -> None:
        self.worker_pool = WorkerPool(
            bank_root=bank_root, cache=paths.cache_dir(), capacity=2, at_most=level
        )
        self._assignments = {
            path.name[:2]: _script(path) if path.name.startswith("99") else _listed(path)
            for path in (bank_root / "problems").iterdir()
        }
        self._threads = ThreadPoolExecutor(2)

    def judge(self, request: dict[str, Any]) -> dict[str, Any]:
        """Judge an attack between honest jobs."""
        before = self.worker_pool.pids
        assignment = self._assignments[request["problem"]]
        attacked = self._threads.submit(
            self._report,
            replace(assignment, limits=SHORT),
            request["source"],
            tuple(request["groups"]),
            ATTACK,
            explain=request["explain"],
        )
        honest = self._assignments["01"]
        beside = self._report(honest, request["honest"], ("sample", "small"), BESIDE)
        attack = attacked.result()
        after = self._report(honest, request["honest"], ("sample",), ATTACK)
        return {
            "attack": attack,
            "beside": beside,
            "after": after,
            "same_zygotes": before == self.worker_pool.pids,
        }

    def _report(
        self,
        assignment: Assignment,
        source: str,
        groups: tuple[str, ...],
        slot: int,
        *,
        explain: bool = False,
    ) -> dict[str, Any]:
        order = Order(
            assignment=assignment, source=source, seed=20_261, groups=groups, explain=explain
        )
        return plain(self.worker_pool.judge(order, lambda event: None, slot=slot))


def _listed(path: Path) -> Assignment:
    return assignment_of(load_problem(path))


def _script(path: Path) -> Assignment:
    """Describe the tiny problem of these tests, which is no problem for learners."""
    return Assignment(
        problem_id="99",
        folder=path,
        kind=Kind.SCRIPT,
        names=(),
        limits=SHORT,
        deny=Deny(),
        probe="",
        content_hash="script",
    )


def main() -> None:
    """Serve until stdin closes."""
    arena = Arena(Path(sys.argv[1]), Isolation(sys.argv[2]))
    with arena.worker_pool.running():
        say({"isolation": arena.worker_pool.isolation})
        for line in sys.stdin:
            try:
                say(arena.judge(json.loads(line)))
            # The test that asked fails by it; the others go on.
            except Exception:  # noqa: BLE001
                say({"fault": traceback.format_exc()})
                arena.worker_pool.revive()


def say(answer: dict[str, Any]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

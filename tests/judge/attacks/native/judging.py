"""Judge native submissions in a process of its own, as whatever user it was started.

Usage: python judging.py LEVEL

One JSON object a line on stdin, one back on stdout.
"""

import json
import secrets
import sys
import traceback
from dataclasses import replace
from typing import Any

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.schema import Limits
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import plain
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

PROBLEM = CONTENT / "problems/42_cuda_add"
SHORT = Limits(wall_s=2.5, cpu_s=2.0, memory_mib=512, output_kib=64)


def judge(worker_pool: WorkerPool, request: dict[str, Any]) -> dict[str, Any]:
    """Judge one source by some groups; without a source, the solution."""
    assignment = assignment_of(load_problem(PROBLEM))
    if "source" in request:
        assignment = replace(assignment, limits=SHORT)
    order = Order(
        assignment=assignment,
        source=request.get("source") or (PROBLEM / "solution.cu").read_text(encoding="utf-8"),
        seed=secrets.randbits(62),
        groups=tuple(request["groups"]),
        explain=False,
    )
    return plain(worker_pool.judge(order, lambda event: None))


def main() -> None:
    """Serve until stdin closes."""
    worker_pool = WorkerPool(
        bank_root=CONTENT, cache=paths.cache_dir(), at_most=Isolation(sys.argv[1])
    )
    with worker_pool.running():
        say({"isolation": worker_pool.isolation})
        for line in sys.stdin:
            try:
                say(judge(worker_pool, json.loads(line)) | {"pids": worker_pool.pids})
            # The test that asked fails by it; the others go on.
            except Exception:  # noqa: BLE001
                say({"verdict": "IE", "fault": traceback.format_exc()})
                worker_pool.revive()


def say(answer: dict[str, Any]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

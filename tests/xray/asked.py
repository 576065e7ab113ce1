"""Ask the x-ray about many programs in one process; each runs in forks of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

_PROGRAM = """
import json, sys
from torchstone.xray.__main__ import serve

for line in sys.stdin:
    answers = []
    serve(json.loads(line), answers.append)
    print(json.dumps(answers), flush=True)
"""
Answer = dict[str, Any]


def ask(orders: dict[str, Answer]) -> dict[str, list[Answer]]:
    """Return the answers to some orders, by the name of each."""
    lines = "".join(f"{json.dumps(order)}\n" for order in orders.values())
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=lines,
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return dict(zip(orders, found, strict=True))


def order(text: str, scene: str = "dispatch", **more: Any) -> Answer:
    """Return the order for a scene of a program."""
    return {"command": "scene", "file": "p.py", "text": text, "scenes": [scene], **more}

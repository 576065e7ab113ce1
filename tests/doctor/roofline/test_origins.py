"""Origins: the line of a backward operator is that of its forward operator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from torchstone.doctor.read.run import read_run
from torchstone.doctor.roofline.origins import origins

pytestmark = pytest.mark.pure


def test_a_backward_operator_comes_from_the_forward_one_with_its_number(tmp_path: Path) -> None:
    def span(name: str, begin: float, end: float, tid: int = 1, **args: Any) -> dict[str, Any]:
        timed = {"ts": begin, "dur": end - begin, "pid": 1, "tid": tid}
        return {"ph": "X", "cat": "cpu_op", "name": name, "args": args} | timed

    number = {"Sequence number": 7}
    events = [
        span("aten::linear", 0, 10, **number),
        span("aten::addmm", 2, 8, **number),
        span("aten::exp", 20, 22),
        span("AddmmBackward0", 30, 40, 2, **number),
        span("aten::mm", 32, 38, 2),
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    found = read_run([path]).ranks[0].events
    rows = np.array([4, 2, 1], dtype=np.int64)
    names = [found.names[int(found.name[row])] for row in origins(found, rows)]
    assert names == ["aten::linear", "aten::exp", "aten::addmm"]

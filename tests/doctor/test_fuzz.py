"""Thousands of damaged traces: each has a report or a refusal, and none takes long.

``TORCHSTONE_FUZZ=1000000`` tries so many instead of the usual few.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.simulated import WHOLE
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose
from torchstone.doctor.simulate import PATIENTS, Form, run, write_trace

pytestmark = pytest.mark.pure

NUM = int(os.environ.get("TORCHSTONE_FUZZ", "600"))
# Seconds of the processor for a file of some hundred events; a hang takes for ever.
MOST_S = 20.0
VALUES: list[Any] = [
    *(None, True, "", "x", "7", -1, 0, 1, 0.5, math.nan, math.inf, -math.inf, 1e308, -1e308),
    *(2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 10**40, "9" * 5000, [], {}, [[]], [{}], "\ud800"),
]
CATEGORIES = [
    *("kernel", "cpu_op", "cuda_runtime", "gpu_memcpy", "python_function", "user_annotation"),
    *("Operator", "Kernel", "Runtime", "Memcpy", "python_gc", "overhead", ""),
]
NAMES = [
    *("ProfilerStep#0", "ProfilerStep#1", "cudaMalloc", "cudaStreamSynchronize", "[memory]"),
    *("ncclKernel", "Memcpy DtoH (Device -> Pageable)", "Optimizer.step#SGD.step", "a.py(1): f"),
    *("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "", "(", "\0"),
]
Trace = dict[str, Any]


def seeds(folder: Path) -> list[bytes]:
    """Short traces of several patients, in several forms."""
    forms = [Form(), Form(schema="old", times="int"), Form(times="string", frames=False)]
    texts = []
    for at, name in enumerate(("loader", "pageable", "communication", "allocation", "cold")):
        ranks = [steps[:2] for steps in PATIENTS[name].ranks]
        path = folder / f"{name}.json"
        write_trace(run(ranks, quantum_ns=WHOLE)[0], path, forms[at % len(forms)])
        texts.append(path.read_bytes())
    return texts


def change_field(trace: Trace, draw: random.Random) -> None:
    for _ in range(draw.choice((1, 3, 50))):
        event = draw.choice(trace["traceEvents"])
        held = draw.choice((event, event.get("args") or event))
        if isinstance(held, dict) and held:
            key = draw.choice([*held])
            options = {"cat": CATEGORIES, "name": NAMES}.get(key, VALUES)
            held[key] = draw.choice(options if draw.random() < 0.8 else VALUES)


def change_column(trace: Trace, draw: random.Random) -> None:
    """Give one field of all events, or of many, the same value."""
    key, value, part = (
        draw.choice(("ts", "dur", "pid", "tid", "cat", "name", "correlation", "Python id", "ph")),
        draw.choice((*VALUES, *NAMES, *CATEGORIES)),
        draw.choice((0.1, 0.5, 1.0)),
    )
    for event in trace["traceEvents"]:
        for held in (event, event.get("args")):
            if isinstance(held, dict) and key in held and draw.random() < part:
                held[key] = value


def remove_key(trace: Trace, draw: random.Random) -> None:
    key = draw.choice(("ts", "dur", "args", "cat", "name", "tid", "ph", "pid"))
    for event in trace["traceEvents"]:
        event.pop(key, None)


def remove_events(trace: Trace, draw: random.Random) -> None:
    part = draw.choice((0.02, 0.5, 0.95))
    trace["traceEvents"] = [each for each in trace["traceEvents"] if draw.random() > part]


def remove_category(trace: Trace, draw: random.Random) -> None:
    gone = [draw.choice(trace["traceEvents"]).get("cat") for _ in range(draw.choice((1, 3)))]
    trace["traceEvents"] = [each for each in trace["traceEvents"] if each.get("cat") not in gone]


def repeat_events(trace: Trace, draw: random.Random) -> None:
    trace["traceEvents"] += draw.choices(trace["traceEvents"], k=30)


def shuffle(trace: Trace, draw: random.Random) -> None:
    draw.shuffle(trace["traceEvents"])


def stretch(trace: Trace, draw: random.Random) -> None:
    for event in trace["traceEvents"]:
        if isinstance(event.get("dur"), int) and draw.random() < 0.2:
            event["dur"] *= draw.choice((0, 3, 1000))


def change_head(trace: Trace, draw: random.Random) -> None:
    trace[draw.choice((*trace, "distributedInfo", "deviceProperties"))] = draw.choice(
        (*VALUES, [{"name": 3}], [{"name": "a", "computeMajor": "x"}], {"rank": "x"}, [3])
    )
    events = trace.get("traceEvents")
    trace["traceEvents"] = (
        [each for each in events if isinstance(each, dict)] if isinstance(events, list) else []
    )


OF_TRACES: list[Callable[[Trace, random.Random], None]] = [
    *(change_field, change_column, remove_key, remove_events, remove_category, repeat_events),
    *(shuffle, stretch, change_head),
]


def changed_bytes(text: bytes, draw: random.Random) -> bytes:
    made = bytearray(text)
    for _ in range(draw.choice((1, 1, 4, 200))):
        at = draw.randrange(len(made) or 1)
        new = draw.choice((b"", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b"\xff", b"NaN", b"\0"))
        made[at : at + draw.choice((0, 1, 1, 40))] = new
    return bytes(made)


def damaged(text: bytes, draw: random.Random) -> bytes:
    """One of the texts that the number of the case decides."""
    if draw.random() < 0.6:
        trace = json.loads(text)
        for _ in range(draw.choice((1, 1, 2, 4))):
            if trace["traceEvents"]:
                draw.choice(OF_TRACES)(trace, draw)
        text = json.dumps(trace, allow_nan=True).encode()
    if draw.random() < 0.5:
        text = changed_bytes(text, draw)
    if draw.random() < 0.2:
        text = text[: draw.randrange(len(text) or 1)]
    if draw.random() < 0.2:
        text = gzip.compress(text, 1)
        text = changed_bytes(text, draw) if draw.random() < 0.5 else text[: draw.randrange(20_000)]
    return text


def finite(value: Any) -> bool:
    """Whether all numbers of a report are numbers."""
    if isinstance(value, dict):
        return all(finite(each) for each in value.values())
    if isinstance(value, list):
        return all(finite(each) for each in value)
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.full
@pytest.mark.timeout(0)
def test_a_damaged_trace_has_a_report_or_a_refusal(tmp_path: Path) -> None:
    texts = seeds(tmp_path)
    num_reports = 0
    path = tmp_path / "damaged.json"
    for case in range(NUM):
        draw = random.Random(case)
        path.write_bytes(damaged(draw.choice(texts), draw))
        begun = time.process_time()
        try:
            report = diagnose([path], "en")
        except Refusal:
            continue
        except BaseException as error:
            error.add_note(f"case {case}")
            raise
        finally:
            assert time.process_time() - begun < MOST_S, f"case {case}"
        num_reports += 1
        assert finite(report), f"case {case}"
        shares = report["accounting"]
        told = sum(value for name, value in shares.items() if name != "idle")
        assert told + sum(shares["idle"].values()) == pytest.approx(1.0, abs=1e-3), f"case {case}"
        assert all(0 <= each["confidence"] <= 1 for each in report["findings"]), f"case {case}"
    assert num_reports > NUM / 3

"""Draw the calls of problem 43: sizes around every block, pointers of every alignment."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches

# What a value is comes before where it lies, and both before what is fast.
GROUPS = ("sample", "small", "grad", "special", "layout", "inplace", "edge", "large", "perf")

# Beyond 65535 blocks of 256 threads; of so many only the last are given, and looked at.
LARGE, LARGE_TAIL = 17_000_003, 240_000
PERF = 1 << 15
NEGATIVE = (-1, -256, -(2**40))
# A negative size comes with buffers all the same, in which nothing may change.
UNTOUCHED = 8
INPUTS = {"forward": ("x",), "backward": ("grad_y", "y")}
OUTPUT = {"forward": "y", "backward": "grad_x"}
PHASES = (0, 4, 8, 12)
# Zeros, NaN of both signs, infinities, the neighbours of 0 and of infinity, ordinary numbers.
SPECIAL_BITS = (
    0x00000000, 0x80000000, 0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000, 0x00000001, 0x80000001,
    0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000,
)  # fmt: skip
TAIL_OF_GRADIENTS = (3.0, torch.inf, torch.nan)
TAIL_OF_OUTPUTS = (torch.nan, 0.0, 0.0)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    forward, backward = {"op": "forward"}, {"op": "backward"}
    both = (forward, backward)
    if group == "small":
        return [forward | {"n": n} for n in _small_sizes(draw)]
    if group == "grad":
        return [backward | {"n": n} for n in _small_sizes(draw)]
    if group == "special":
        return [op | {"n": 0, "special": True} for op in both for _ in range(2)]
    if group == "layout":
        layouts = [op | {"phases": phases} for op in both for phases in _layouts(op["op"])]
        many = [each | {"n": draw.integer(61, 1100)} for each in layouts]
        # Where all phases are the same: fewer elements than there are before the first aligned one.
        few = [
            each | {"n": draw.integer(1, 3)} for each in layouts if len(set(each["phases"])) == 1
        ]
        # Two phases that differ, so that nobody loads several at a time.
        apart = {"n": 0, "special": True, "phases": [4, draw.choice((8, 12)), 0]}
        return many + few + [op | apart for op in both]
    if group == "inplace":
        again = [
            op | {"n": draw.integer(300, 1200), "again": True} | manner
            for op in both
            for manner in ({}, {"inplace": True})
        ]
        return (
            again
            + [
                op | {"n": n, "inplace": True, "phases": [phase] * len(INPUTS[op["op"]])}
                for op in both
                for n, phase in (
                    (draw.integer(300, 1200), 0),
                    (draw.integer(300, 1200), draw.choice(PHASES[1:])),
                    (draw.integer(1, 3), draw.choice(PHASES[1:])),
                )
            ]
            + [backward | {"n": draw.integer(300, 1200), "inplace": True, "phases": [4, 8]}]
        )
    plans: dict[str, list[dict[str, Any]]] = {
        # As the statement shows it; only the forward, so that a wrong gradient is told later.
        "sample": [forward | {"n": 1000}],
        "edge": [op | {"n": n} for op in both for n in (0, *NEGATIVE)],
        "large": [op | {"n": LARGE, "sparse": True} for op in both],
        "perf": [
            forward | {"n": PERF, "perf": "aligned"},
            backward | {"n": PERF, "perf": "aligned"},
            forward | {"n": PERF, "perf": "shifted", "phases": [draw.choice(PHASES[1:])] * 2},
        ],
    }
    return plans[group]


def _small_sizes(draw: Draw) -> list[int]:
    around = [size + draw.integer(-1, 3) for size in (4, 32, 128, 256, 1024)]
    return [1, 2, 3, *around, draw.integer(2049, 4098), 4097, 4098, 4099]


def _layouts(operation: str) -> list[list[int]]:
    """Give phases in which any two pointers have every pair of them, and all the same each."""
    if operation == "forward":
        return [list(pair) for pair in itertools.product(PHASES, PHASES)]
    triples = [[a, b, (a + b + 4) % 16] for a, b in itertools.product(PHASES, PHASES)]
    return triples + [[phase] * 3 for phase in PHASES if [phase] * 3 not in triples]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    operation, n = params["op"], params["n"]
    inputs, output = INPUTS[operation], OUTPUT[operation]
    given = _special(operation, draw) if params.get("special") else _ordinary(params, draw)
    length = len(given[0])
    n = length if params.get("special") else n
    values: dict[str, Any] = {"n": n, **dict(zip(inputs, given, strict=True))}
    for flag, name in (("sparse", "sparse"), ("inplace", "in_place")):
        if params.get(flag):
            values[name] = 1
    is_sparse = bool(params.get("sparse"))
    steps = launches(
        operation, values, {output: (torch.float32, [length])},
        seed=draw.integer(0, 2**31),
        offsets=dict(zip((*inputs, output), params.get("phases", ()), strict=False)),
        results=["status"],
        orders=["descending" if operation == "backward" else "ascending"] if is_sparse else
        ["ascending", "descending", "random"],
        check=not is_sparse, counts="perf" in params or n <= 0,
    )  # fmt: skip
    secret = {**params, "n": n, "output": output}
    return Case(steps=steps, secret=secret, shown=dict(values))


def _ordinary(params: dict[str, Any], draw: Draw) -> list[torch.Tensor]:
    n = params["n"]
    length = LARGE_TAIL if params.get("sparse") else UNTOUCHED if n < 0 else n
    if params["op"] == "forward":
        return [draw.normal([length])]
    outputs = draw.normal([length])
    # Which gradients are read must not depend on the data where reads are counted.
    return [draw.normal([length]), outputs.abs() if "perf" in params else outputs.relu()]


def _special(operation: str, draw: Draw) -> list[torch.Tensor]:
    """Give special values in any order; of the backward every gradient meets every output.

    Three more come last: they are the tail behind packs of four.
    """
    bits = torch.tensor(SPECIAL_BITS, dtype=torch.int64).to(torch.int32)
    values = bits.view(torch.float32)
    if operation == "forward":
        many = values.repeat(13)
        order = torch.randperm(len(many), generator=draw.generator)
        return [torch.cat([many[order], torch.tensor([torch.nan, -torch.nan, -torch.inf])])]
    outputs = values[~(values < 0)]
    order = torch.randperm(len(values) * len(outputs), generator=draw.generator)
    gradients = values.repeat_interleave(len(outputs))[order], torch.tensor(TAIL_OF_GRADIENTS)
    saved = outputs.repeat(len(values))[order], torch.tensor(TAIL_OF_OUTPUTS)
    return [torch.cat(gradients), torch.cat(saved)]


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: fewer elements, aligned pointers, an output of its own."""
    n = params["n"]
    if params.get("sparse") or params.get("special"):
        return
    for smaller in (1, 2, 3, 4, 5, 8, 33, n // 2):
        if 0 < smaller < n:
            yield params | {"n": smaller}
    for name in ("inplace", "phases"):
        if name in params:
            yield {key: item for key, item in params.items() if key != name}

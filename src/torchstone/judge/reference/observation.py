"""Observation of a correct program: run a plan once and record its statements' results.

Mutants that would equal their original, such as a detached mask or a rounded index, are then left
out.
"""

from __future__ import annotations

import builtins
import itertools
from typing import Any

import torch

from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load, load_probe
from torchstone.judge.kit import ProblemCode
from torchstone.judge.mutation.mutants import WATCHER, Sight, watch
from torchstone.judge.mutation.watching import SEEDS
from torchstone.judge.reference.misconception import copy_tree

_WIDE = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def observe(code: ProblemCode, source: str, names: list[str]) -> dict[int, Sight]:
    """Return facts about each result of the program, by its number; unreached ones are absent."""
    sights: dict[int, Sight] = {}

    def look(number: int, value: Any) -> Any:
        sights[number] = sights.get(number, Sight()) | _sight(value)
        return value

    probe_path = code.folder / "probe.py"
    probe = load_probe(probe_path.read_text(encoding="utf-8") if probe_path.exists() else "")
    scope_builtins = vars(builtins) | {WATCHER: look}
    program = load(watch(source), names, scope_builtins=scope_builtins)
    for planned in itertools.chain.from_iterable(map(code.plan, SEEDS)):
        session = driver.Session()
        for step in code.build(planned).steps:
            driver.answer(program, step.op, copy_tree(step.data), session, probe)
    return sights


def _sight(value: Any) -> Sight:
    if not isinstance(value, torch.Tensor):
        return Sight()
    return Sight(
        # A Parameter without gradient still differs from the plain tensor that it would become.
        has_graph=value.requires_grad or type(value) is not torch.Tensor,
        is_wide=value.dtype in _WIDE,
        has_elements=value.numel() > 0,
    )

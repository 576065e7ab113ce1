"""Detect answers that are remembered from an earlier call, in calls without gradients.

The oracle repeats a call on overwritten tensors. It requests gradients wherever the problem has
them. A program can detect this, and may remember only answers that need no graph.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import torch

from ..protocol.records import Answer, CallData
from .fault import Fault, attempt
from .observe import Tensor, clone, detach, needs_grad, same_bits, tensors_in

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

_set_grad_enabled = torch._C._set_grad_enabled
_require_grad = Tensor.requires_grad_
# Pairs: whether the tensors of a call require grad, and whether grad mode is enabled.
_WITHOUT_GRADIENTS = ((True, False), (False, True), (False, False))

Results = list[list[Tensor]]


def results_without_gradients(function: Callable[..., Any], data: CallData) -> Results:
    """Make a request's call in each mode without gradients; return copies of the results.

    A call that raises contributes no results: whether it may raise is decided by the cases.
    """
    leaves = [each for each in tensors_in([data["args"], data["kwargs"]]) if needs_grad(each)]
    found: Results = []
    for requires_grad, is_enabled in _WITHOUT_GRADIENTS if leaves else _WITHOUT_GRADIENTS[:1]:
        for leaf in leaves:
            _require_grad(leaf, requires_grad)
        _set_grad_enabled(is_enabled)
        try:
            attempted = attempt(lambda: function(*data["args"], **data["kwargs"]))
        finally:
            _set_grad_enabled(True)
        found.append([clone(detach(each)) for each in tensors_in([attempted.get("value")])])
    for leaf in leaves:
        _require_grad(leaf, True)
    return found


def refuse_former(
    judged: tuple[Answer, Answer], without_gradients: tuple[Results, Results]
) -> None:
    """Refuse a submission whose call without gradients repeats the results of the former values.

    Equal results are refused only where the judged results differ: two inputs may have the same
    results by right.

    Args:
        judged: The answers to the former and to the present values.
        without_gradients: Results of the same calls without gradients.

    Raises:
        Fault: All results of such a call equal those of the former call, bit for bit.
    """
    if _are_same(*map(_results_of, judged)):
        return
    if any(_are_same(*pair) for pair in zip(*without_gradients, strict=True)):
        raise Fault("former_answer")


def _results_of(answer: Answer) -> list[Tensor]:
    return tensors_in([item for key, item in answer.items() if key.partition(".")[0] == "out"])


def _are_same(former: list[Tensor], present: list[Tensor]) -> bool:
    return len(former) == len(present) > 0 and all(map(same_bits, former, present))

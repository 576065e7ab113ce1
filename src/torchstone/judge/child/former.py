"""Answers that are remembered where no gradient is asked for.

The oracle judges a call that is made again on overwritten tensors. It asks for gradients wherever
the problem has some, and a program can tell: it may remember only what needs no graph.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import torch

from .fault import Fault, attempt
from .observe import Tensor, clone, detach, needs_grad, same_bits, tensors_in
from .records import Answer, CallData

# A submission may rebind what `builtins` holds; the functions of this module look names up here.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

_set_grad_enabled = torch._C._set_grad_enabled
_require_grad = Tensor.requires_grad_
# Whether the tensors of a call require grad, and whether autograd is on.
_WITHOUT_GRADIENTS = ((True, False), (False, True), (False, False))

Results = list[list[Tensor]]


def results_without_gradients(function: Callable[..., Any], data: CallData) -> Results:
    """Make the call of a request in each way that asks for no gradient; return copies of results.

    An exception leaves nothing to compare: that the call may be made so is for the cases to say.
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
    """Demand that no call without gradients returns what it returned for the former values.

    Only where the judged results differ: those of two inputs may be the same by right.

    Args:
        judged: The answers to the former and to the present values.
        without_gradients: The results of the same calls without gradients.

    Raises:
        Fault: Every result of such a call has the bits of the former call.
    """
    if _are_same(*map(_results_of, judged)):
        return
    if any(_are_same(*pair) for pair in zip(*without_gradients, strict=True)):
        raise Fault("former_answer")


def _results_of(answer: Answer) -> list[Tensor]:
    return tensors_in([item for key, item in answer.items() if key.partition(".")[0] == "out"])


def _are_same(former: list[Tensor], present: list[Tensor]) -> bool:
    return len(former) == len(present) > 0 and all(map(same_bits, former, present))

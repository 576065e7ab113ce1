"""Drive PyTorch's own samples of its modules against MicroTorch.

For each entry of ``module_db`` of the installed version: the module is made with the same
arguments and the same seed, its state compared, PyTorch's loaded into ours; then, in both types and
modes, values, the buffers left behind, PyTorch's reference where it has one, and in float64 the
gradients of all inputs and parameters, with second gradients of some samples.

Usage: ``python -m tests.microtorch.conformance.module_db [NAME ...] [-v]``
"""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.testing._internal.common_modules import ModuleErrorEnum, module_db
from torch.utils import _pytree as pytree

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import (
    Missing,
    difference,
    leaves,
    named,
    to_array,
    to_micro,
    tree_tensors,
)
from tests.microtorch.conformance.op_db import (
    SECOND_EVERY,
    Entry,
    _compare_each,
    _guarded,
    run,
)


@contextmanager
def _recorded(kind: type) -> Iterator[None]:
    """Let the modules of a class remember what they are made with: some samples take a module."""
    original = kind.__init__  # type: ignore[misc]

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.__dict__["made_with"] = args, kwargs

    kind.__init__ = init  # type: ignore[misc]
    try:
        yield
    finally:
        kind.__init__ = original  # type: ignore[misc]


def given(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Turn what a module is made or called with into ours; what is one tensor stays one."""
    memo = {} if memo is None else memo
    if isinstance(value, torch.Tensor):
        return memo.setdefault(id(value), to_micro(value))
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        return micro.nn.utils.rnn.PackedSequence(*given(tuple(value), memo))
    if isinstance(value, torch.nn.Module):
        args, kwargs = value.__dict__["made_with"]
        made = named(micro.nn, type(value).__name__)(*given(args), **given(kwargs))
        made.load_state_dict(given(dict(value.state_dict())))
        return made
    if dataclasses.is_dataclass(value):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        return named(micro.nn, type(value).__name__)(**fields)
    if isinstance(value, types.BuiltinFunctionType):
        return named(micro.nn.functional, value.__name__)
    if type(value) in (list, tuple):
        return type(value)(given(each, memo) for each in value)
    if type(value) is dict:
        return {key: given(each, memo) for key, each in value.items()}
    return to_micro(value)


def samples(info: Any, dtype: torch.dtype, training: bool) -> Iterator[Any]:
    """Yield the samples of an entry."""
    torch.manual_seed(0)
    with _recorded(torch.nn.TransformerEncoderLayer):
        yield from info.module_inputs_func(
            info, device="cpu", dtype=dtype, requires_grad=True, training=training
        )


def entries() -> Iterator[Any]:
    """Yield the entries."""
    yield from module_db


def full_name(info: Any) -> str:
    """Name an entry."""
    return str(info.name)


def drive(info: Any) -> Entry:
    """Try one entry."""
    entry = Entry(name=full_name(info))
    try:
        kind = named(micro, info.name)
    except Missing as missing:
        entry.is_there = False
        entry.complain(f"no {missing}")
        return entry
    for dtype in (torch.float32, torch.float64):
        if dtype not in info.dtypes:
            continue
        for training in (True, False) if info.train_and_eval_differ else (True,):
            for number, sample in enumerate(samples(info, dtype, training)):
                entry.samples += 1
                run = _Run(info, kind, sample, dtype, training, number % SECOND_EVERY == 0)
                found = _guarded(run.compare)
                if found is None:
                    entry.passed += 1
                else:
                    entry.complain(f"{dtype} {'train' if training else 'eval'} {run}: {found}")
    if info.module_error_inputs_func is not None:
        _drive_errors(info, kind, entry)
    return entry


@dataclasses.dataclass
class _Run:
    """One sample in one type and one mode."""

    info: Any
    kind: Callable[..., Any]
    sample: Any
    dtype: torch.dtype
    training: bool
    is_second: bool

    def __str__(self) -> str:
        maker, caller = self.sample.constructor_input, self.sample.forward_input
        shapes = [tuple(each.shape) for each in tree_tensors((caller.args, caller.kwargs))]
        return f"({maker.args}, {maker.kwargs})({shapes})".replace("\n", " ")[:150]

    def compare(self) -> str | None:
        """Return how ours differs."""
        maker, caller = self.sample.constructor_input, self.sample.forward_input
        torch.manual_seed(0)
        theirs = self.info.module_cls(*maker.args, **maker.kwargs).to(self.dtype)
        micro.manual_seed(0)
        ours = self.kind(*given(maker.args), **given(maker.kwargs)).to(to_micro(self.dtype))
        theirs.train(self.training)
        ours.train(self.training)
        if self.info.is_lazy:
            theirs(*caller.args, **caller.kwargs)
        return compare_modules(
            theirs,
            ours,
            (caller.args, caller.kwargs),
            is_same=not self.info.is_lazy,
            reference=self.sample.reference_fn,
            orders=self.orders(),
        )

    def orders(self) -> int:
        """Return how often it is differentiated."""
        if self.dtype != torch.float64:
            return 0
        return 2 if self.is_second and self.info.supports_gradgrad else 1


def compare_modules(
    theirs: Any,
    ours: Any,
    call: tuple[Any, Any],
    *,
    is_same: bool = True,
    reference: Callable[..., Any] | None = None,
    orders: int = 1,
) -> str | None:
    """Compare two modules, new as they are and with one state; say how ours differs.

    Args:
        theirs: PyTorch's.
        ours: MicroTorch's, made with the same arguments and the same seed.
        call: What they are called with: positional arguments, and keywords.
        is_same: Their states are the same already.
        reference: What gives the right result, of PyTorch's module and its arguments.
        orders: How often the results are differentiated.
    """
    found = _compare_states(theirs, ours, is_same)
    if found is not None:
        return found
    ours.load_state_dict(given(dict(theirs.state_dict())))
    inputs = given(call)
    torch.manual_seed(1)
    wanted = theirs(*call[0], **call[1])
    micro.manual_seed(1)
    got = ours(*inputs[0], **inputs[1])
    found = difference(got, wanted) or _compare_states(theirs, ours)
    if found is None and reference is not None:
        args, kwargs = pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, call)
        right = reference(theirs, *args, **kwargs)
        found = difference(got, right)
        # PyTorch's own result may be further off than the tolerance is.
        if found is not None and difference(to_micro(wanted), right) is not None:
            found = None
    if found is not None or not orders:
        return found
    return _compare_gradients((theirs, ours), (call, inputs), (wanted, got), orders)


def _compare_states(theirs: Any, ours: Any, with_values: bool = True) -> str | None:
    wanted, got = theirs.state_dict(), ours.state_dict()
    if list(got) != list(wanted):
        return f"the state has {list(got)}, wanted {list(wanted)}"
    for key in wanted if with_values else ():
        found = difference(got[key], wanted[key])
        if found is not None:
            return f"state {key}: {found}"
    return None


def _compare_gradients(modules: Any, calls: Any, results: Any, orders: int) -> str | None:
    parameters = [dict(each.named_parameters()) for each in modules]
    if list(parameters[0]) != list(parameters[1]):
        return f"parameters {list(parameters[1])}, wanted {list(parameters[0])}"
    theirs_in, ours_in = (
        [*tree_tensors(call), *own.values()] for call, own in zip(calls, parameters, strict=True)
    )
    places = [place for place, each in enumerate(theirs_in) if each.requires_grad]
    pairs = [
        (mine, other)
        for other, mine in zip(leaves(results[0]), leaves(results[1]), strict=True)
        if isinstance(other, torch.Tensor) and other.requires_grad
    ]
    if not pairs or not places:
        return None
    if not all(mine.requires_grad for mine, _ in pairs):
        return "the result does not require a gradient"
    weights = [torch.randn_like(other) for _, other in pairs]
    theirs_of, ours_of = [theirs_in[p] for p in places], [ours_in[p] for p in places]
    first = torch.autograd.grad(
        [other for _, other in pairs],
        theirs_of,
        weights,
        allow_unused=True,
        create_graph=orders > 1,
    )
    mine = micro.autograd.grad(
        [mine for mine, _ in pairs],
        ours_of,
        [micro.from_numpy(to_array(each)) for each in weights],
        allow_unused=True,
        create_graph=orders > 1,
    )
    found = _compare_each("gradient", mine, first)
    if found is not None or orders == 1:
        return found
    return _compare_second(mine, first, ours_of, theirs_of)


def _compare_second(mine: Any, theirs: Any, ours_of: Any, theirs_of: Any) -> str | None:
    """Differentiate the gradients once more; what is not recorded must have no gradient."""
    pairs = [
        (one, other, torch.randn_like(other))
        for one, other in zip(mine, theirs, strict=True)
        if other is not None and other.requires_grad
    ]
    if not pairs:
        return None
    try:
        second = torch.autograd.grad(
            [other for _, other, _ in pairs],
            theirs_of,
            [weight for _, _, weight in pairs],
            allow_unused=True,
        )
    except RuntimeError as error:
        if "is not implemented" not in str(error):
            raise
        # Some derivatives PyTorch does not have.
        return None
    # A tensor that only says that it is zero has no memory.
    second = [each if each is None else each + torch.zeros(()) for each in second]
    recorded = [(one, weight) for one, _, weight in pairs if one is not None and one.requires_grad]
    ours = [None] * len(ours_of)
    if recorded:
        ours = micro.autograd.grad(
            [one for one, _ in recorded],
            ours_of,
            [micro.from_numpy(to_array(weight)) for _, weight in recorded],
            allow_unused=True,
        )
    return _compare_each("second gradient", ours, second)


def _drive_errors(info: Any, kind: Callable[..., Any], entry: Entry) -> None:
    cases = info.module_error_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=False, training=True
    )
    for case in cases:
        entry.errors += 1
        maker, caller = (
            case.module_error_input.constructor_input,
            case.module_error_input.forward_input,
        )
        where = f"error input {maker.args} {maker.kwargs}"
        try:
            made = kind(*given(maker.args), **given(maker.kwargs))
            if case.error_on == ModuleErrorEnum.FORWARD_ERROR:
                made(*given(caller.args), **given(caller.kwargs))
        except Exception as error:  # noqa: BLE001 - the class of the error is what is tested
            if isinstance(error, case.error_type):
                entry.raised += 1
            else:
                entry.complain(
                    f"{where}: {type(error).__name__}: {error}, wanted {case.error_type}"
                )
        else:
            entry.complain(f"{where}: nothing raised, wanted {case.error_type} {case.error_regex}")


def main() -> int:
    """Drive the entries that the command line names, or all; ``nn.`` may be left out."""
    return run(
        "module_db", entries(), drive, lambda info: (info.name, info.name.removeprefix("nn."))
    )


if __name__ == "__main__":
    sys.exit(main())

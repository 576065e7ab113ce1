"""Drive PyTorch's own configurations of its optimisers against MicroTorch, in lock-step.

For each configuration of ``optim_db``: twenty steps on the same gradients with both; parameters
and state must agree after every step, and bad configurations be refused alike.

Usage: ``python -m tests.microtorch.conformance.optim_db [NAME ...] [-v]``
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.testing._internal.common_optimizers import OptimizerErrorEnum, optim_db

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_array, to_micro
from tests.microtorch.conformance.op_db import conclude

NUM_STEPS = 20
# Each makes up to twenty steps; later ones do nothing.
NUM_CLOSURE_STEPS = 3
SHAPES = ((10, 5), (10,), (), (3, 2, 4))


@dataclass
class Entry:
    """What became of an optimiser.

    Attributes:
        name: Its name.
        samples: How many configurations it has, of good and of bad options.
        passed: How many agree.
        complaints: How the others differ.
    """

    name: str
    is_there: bool = True
    samples: int = 0
    passed: int = 0
    complaints: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether every configuration agrees."""
        return self.is_there and self.samples > 0 and self.passed == self.samples


def entries() -> Iterator[Any]:
    """Yield the entries."""
    yield from optim_db


def full_name(info: Any) -> str:
    """Name an entry."""
    return str(info.optim_cls.__name__)


def drive(info: Any) -> Entry:
    """Try one optimiser in all its configurations."""
    name = full_name(info)
    entry = Entry(name=name)
    ours = getattr(micro.optim, name, None)
    if ours is None:
        entry.is_there = False
        return entry
    for given in info.optim_inputs_func(device="cpu"):
        for dtype in (torch.float32, torch.float64):
            _count(entry, f"{given.kwargs} {dtype}", _lockstep(info, ours, given.kwargs, dtype))
    for case in info.optim_error_inputs_func(device="cpu", dtype=torch.float32):
        if case.error_on == OptimizerErrorEnum.CONSTRUCTION_ERROR:
            _count(entry, f"bad {case.optimizer_error_input.desc}", _refuses(ours, case))
    return entry


def _count(entry: Entry, what: str, found: str | None) -> None:
    entry.samples += 1
    if found is None:
        entry.passed += 1
    else:
        entry.complaints.append(f"{what}: {found}"[:300])


def _lockstep(info: Any, ours: Any, kwargs: dict[str, Any], dtype: torch.dtype) -> str | None:
    torch.manual_seed(0)
    theirs = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in SHAPES]
    mine = [micro.nn.Parameter(to_micro(each.detach())) for each in theirs]
    reference = info.optim_cls(theirs, **kwargs)
    optimizer = ours(mine, **to_micro(kwargs))
    if info.step_requires_closure:
        return _lockstep_of_closures(optimizer, reference, mine, theirs)
    for step in range(NUM_STEPS):
        for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            # The third parameter gets no gradient in some steps.
            if place == 2 and step % 4 == 3:
                one.grad = other.grad = None
                continue
            other.grad = torch.randn(other.shape, dtype=dtype)
            one.grad = micro.from_numpy(to_array(other.grad))
        reference.step()
        optimizer.step()
        found = difference(mine, theirs) or _differing_state(optimizer, reference)
        if found is not None:
            return f"step {step}: {found}"
        if step == NUM_STEPS // 2:
            # Half-way a state that was taken out and put back must make no difference.
            again = ours(mine, **to_micro(kwargs))
            again.load_state_dict(optimizer.state_dict())
            optimizer = again
    return None


def _lockstep_of_closures(optimizer: Any, reference: Any, mine: Any, theirs: Any) -> str | None:
    """Compare those that compute the loss themselves, as often as they like, on a smooth one."""

    def closure(of: Any, parameters: Any) -> Any:
        def run() -> Any:
            of.zero_grad()
            loss = sum((each.cosh() * (2 + place)).sum() for place, each in enumerate(parameters))
            loss.backward()
            return loss

        return run

    for step in range(NUM_CLOSURE_STEPS):
        wanted = reference.step(closure(reference, theirs))
        got = optimizer.step(closure(optimizer, mine))
        found = difference([got, *mine], [wanted, *theirs])
        # In float32 what is remembered of many steps holds their rounding.
        if found is None and mine[0].dtype == micro.float64:
            found = _differing_state(optimizer, reference)
        if found is not None:
            return f"step {step}: {found}"
    return None


def _differing_state(optimizer: Any, reference: Any) -> str | None:
    mine, theirs = optimizer.state_dict()["state"], reference.state_dict()["state"]
    if mine.keys() != theirs.keys():
        return f"state of {list(mine)}, wanted {list(theirs)}"
    for number, wanted in theirs.items():
        if mine[number].keys() != wanted.keys():
            return f"state {number} has {list(mine[number])}, wanted {list(wanted)}"
        for name, value in wanted.items():
            found = difference(mine[number][name], value)
            if found is not None:
                return f"state {number} {name}: {found}"
    return None


def _refuses(ours: Any, case: Any) -> str | None:
    given = case.optimizer_error_input
    params = to_micro(given.params)
    if isinstance(given.params, torch.Tensor):
        params = micro.nn.Parameter(params)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours(params, **to_micro(given.kwargs))
    except case.error_type:
        return None
    except Exception as error:  # noqa: BLE001 - what the code under test raises is its result
        return f"{type(error).__name__}: {error}, wanted {case.error_type.__name__}"
    return f"nothing raised, wanted {case.error_type.__name__}: {case.error_regex}"


def main() -> int:
    """Drive the named optimisers, or all, and print what became of them."""
    parser = argparse.ArgumentParser(description="Drive optim_db against MicroTorch.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what differs")
    arguments = parser.parse_args()
    results = [
        drive(info)
        for info in entries()
        if not arguments.names or info.optim_cls.__name__ in arguments.names
    ]
    for entry in results:
        mark = "ok  " if entry.is_full else "FAIL" if entry.is_there else "none"
        print(f"{mark} {entry.name}: {entry.passed}/{entry.samples}")
        for complaint in entry.complaints if arguments.verbose else ():
            sys.stdout.write(f"       {complaint}\n")
    print(f"{sum(each.is_full for each in results)} full of {len(results)}")
    known = {info.optim_cls.__name__ for info in entries()}
    return conclude("optim_db", results, set(arguments.names) - known)


if __name__ == "__main__":
    sys.exit(main())

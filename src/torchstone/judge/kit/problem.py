"""Loader of a problem's ``cases.py`` and ``oracle.py``, by path."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import torch

from torchstone.judge.child.protocol.records import Params
from torchstone.judge.kit.case import Case, refilled, together
from torchstone.judge.kit.draw import Draw, derive_seed
from torchstone.judge.kit.expect import Expected
from torchstone.judge.kit.shrink import shrink as default_shrink

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A planned case before it is built."""

    group: str
    index: int
    params: Params
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemCode:
    """Functions of a problem's ``cases.py`` and ``oracle.py``.

    A plan may combine small cases: parameters with the entry ``parts`` contain those of several
    cases by name. With the entry ``again`` a call or a launch is repeated after its tensors were
    overwritten in place. A problem's other functions need not handle either.
    """

    folder: Path
    groups: tuple[str, ...]
    draw_plan: Callable[[str, Draw], list[Params]]
    build_case: Callable[[str, Params, Draw], Case]
    expect_case: Callable[[Case], Expected]
    builtin_case: Callable[[Case], dict[str, torch.Tensor]] | None
    shrink_params: Callable[[Params], Iterable[Params]]

    def plan(self, seed: int, groups: Iterable[str] | None = None) -> list[Planned]:
        """Return every case of a job, in order; the same seed gives the same cases."""
        wanted = self.groups if groups is None else tuple(groups)
        planned: list[Planned] = []
        for group in (name for name in self.groups if name in wanted):
            draw = Draw(derive_seed(seed, "plan", group))
            for position, params in enumerate(self.draw_plan(group, draw)):
                case_seed = derive_seed(seed, "case", group, position)
                planned.append(
                    Planned(group=group, index=len(planned), params=params, seed=case_seed)
                )
        return planned

    def build(self, planned: Planned, *, plain: bool = False) -> Case:
        """Build the inputs of a planned case."""
        group, params, seed = planned.group, planned.params, planned.seed
        if "parts" not in params:
            return self._one(group, params, seed, plain=plain)
        return together(
            {
                name: self._one(group, part, derive_seed(seed, name), plain=plain)
                for name, part in params["parts"].items()
            }
        )

    def _one(self, group: str, params: Params, seed: int, *, plain: bool) -> Case:
        case = self.build_case(group, params, Draw(seed, plain=plain))
        if not params.get("again"):
            return case
        other = Draw(derive_seed(seed, "again"), plain=plain)
        return refilled(case, self.build_case(group, params, other))

    def expect(self, case: Case) -> Expected:
        """Return the expectations of a case."""
        return _each(case, self.expect_case)

    def builtin(self, case: Case) -> dict[str, torch.Tensor]:
        """Compute the results with PyTorch's own operator; empty if the problem names none."""
        return _each(case, self.builtin_case) if self.builtin_case is not None else {}

    def shrink(self, params: Params) -> Iterator[Params]:
        """Yield parameters simpler than those of a failing case, simplest first."""
        yield from params["parts"].values() if "parts" in params else self.shrink_params(params)


def _each(case: Case, function: Callable[[Case], dict[str, Item]]) -> dict[str, Item]:
    if case.again is not None:
        again = function(case.again)
        return function(case) | {f"again:{key}": item for key, item in again.items()}
    if not case.parts:
        return function(case)
    return {
        f"{name}:{key}": item
        for name, part in case.parts.items()
        for key, item in _each(part, function).items()
    }


def load_code(folder: Path) -> ProblemCode:
    """Load ``cases.py`` and ``oracle.py`` of a problem folder."""
    cases, oracle = load_module(folder / "cases.py"), load_module(folder / "oracle.py")
    return ProblemCode(
        folder=folder,
        groups=tuple(cases.GROUPS),
        draw_plan=cases.plan,
        build_case=cases.build,
        expect_case=oracle.expect,
        builtin_case=getattr(oracle, "builtin", None),
        shrink_params=getattr(cases, "shrink", default_shrink),
    )


def load_module(path: Path) -> ModuleType:
    """Execute a Python file as a separate module, outside ``sys.modules``."""
    spec = importlib.util.spec_from_file_location(
        f"torchstone_problem_{path.parent.name}_{path.stem}", path
    )
    assert spec is not None, f"{path} has no loader"
    assert spec.loader is not None, f"{path} has no loader"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

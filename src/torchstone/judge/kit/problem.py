"""Load the Python of one problem by path.

Cases and oracle (and, for the wrong variants, the probe).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from torchstone.judge.kit.case import Case
from torchstone.judge.kit.draw import Draw, derive_seed
from torchstone.judge.kit.expect import Expected
from torchstone.judge.kit.shrink import shrink as default_shrink


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Name one case before it is built."""

    group: str
    index: int
    params: dict[str, Any]
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemCode:
    """Hold the functions of a problem's ``cases.py`` and ``oracle.py``."""

    folder: Path
    groups: tuple[str, ...]
    draw_plan: Callable[[str, Draw], list[dict[str, Any]]]
    build_case: Callable[[str, dict[str, Any], Draw], Case]
    expect: Callable[[Case], Expected]
    builtin: Callable[[Case], dict[str, torch.Tensor]] | None
    shrink: Callable[[dict[str, Any]], Iterable[dict[str, Any]]]

    def plan(self, seed: int, groups: Iterable[str] | None = None) -> list[Planned]:
        """List every case of a job, in order; the same seed gives the same cases."""
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
        return self.build_case(planned.group, planned.params, Draw(planned.seed, plain=plain))


def load_code(folder: Path) -> ProblemCode:
    """Load ``cases.py`` and ``oracle.py`` of a problem folder."""
    cases, oracle = load_module(folder / "cases.py"), load_module(folder / "oracle.py")
    return ProblemCode(
        folder=folder,
        groups=tuple(cases.GROUPS),
        draw_plan=cases.plan,
        build_case=cases.build,
        expect=oracle.expect,
        builtin=getattr(oracle, "builtin", None),
        shrink=getattr(cases, "shrink", default_shrink),
    )


def load_module(path: Path) -> ModuleType:
    """Execute a Python file as a module of its own, outside ``sys.modules``."""
    spec = importlib.util.spec_from_file_location(
        f"torchstone_problem_{path.parent.name}_{path.stem}", path
    )
    assert spec is not None, f"{path} has no loader"
    assert spec.loader is not None, f"{path} has no loader"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

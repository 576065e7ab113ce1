"""Payload and bans of a submission's process."""

from __future__ import annotations

from collections.abc import Mapping

from torchstone.bank.schema import Extension, Package
from torchstone.judge.child.protocol.payloads import (
    FilePayload,
    KernelsPayload,
    LibraryPayload,
    OperatorPayload,
    Payload,
    WheelPayload,
)
from torchstone.judge.child.protocol.zygote_messages import Bans
from torchstone.judge.order import Assignment, Native, OverKernel
from torchstone.judge.pool.submission_process import RECORDING, Mode


def payload_of(
    assignment: Assignment, source: str, mode: Mode, built: Mapping[str, bytes] | None
) -> Payload:
    """Return the payload of a process: a Python file, the products of a build, or both.

    Args:
        assignment: The problem.
        source: The submission.
        mode: The mode of the process.
        built: The products of the compiler, if the problem has a build.
    """
    recipe = assignment.recipe
    if isinstance(recipe, Native):
        assert built is not None, "a CUDA submission is built before it is loaded"
        return KernelsPayload(module=built[mode])
    names, probe = assignment.names, assignment.probe
    if isinstance(recipe, Extension):
        library, namespace = _product(built, "library"), recipe.namespace
        return LibraryPayload(names=names, probe=probe, library=library, namespace=namespace)
    if isinstance(recipe, Package):
        wheel, module = _product(built, "wheel"), recipe.module
        return WheelPayload(names=names, probe=probe, wheel=wheel, module=module)
    if isinstance(recipe, OverKernel):
        return OperatorPayload(
            names=names,
            probe=probe,
            fast=_product(built, "fast"),
            source=source,
            namespace=recipe.namespace,
        )
    kind = "script" if assignment.row.runs_in_each_case else "module"
    return FilePayload(names=names, probe=probe, source=source, kind=kind)


def _product(built: Mapping[str, bytes] | None, name: str) -> bytes:
    assert built is not None, f"the {name} is built before it is loaded"
    return built[name]


def bans_of(assignment: Assignment, mode: Mode) -> Bans | None:
    """Return the bans of a process of a submission, the argument of `child.bans.bans.impose`."""
    deny, recipe = assignment.deny, assignment.recipe
    if isinstance(recipe, Native):
        return None
    if recipe is not None:
        # A submission that registers operators calls functions of torch, so none are banned.
        if mode is Mode.FREE:
            return {"closes": False, "examines": True}
        return {"families": list(deny.families), "modules": list(deny.modules), "closes": False}
    if assignment.row.is_led:
        # Correct answers need more of torch than the list of allowed names has.
        return {
            "families": list(deny.families),
            "functions": list(deny.functions),
            "modules": list(deny.modules),
            "surface": False,
        }
    lifted = RECORDING if mode is Mode.RECORDING else None
    return {
        "families": [family for family in deny.families if family != lifted],
        "forward_only": list(deny.forward_only),
        "functions": list(deny.functions),
        "modules": list(deny.modules),
    }

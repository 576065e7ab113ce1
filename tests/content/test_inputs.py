"""What the cases of every problem draw: each kind of input that its statement names."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from torchstone.bank.loader import CONTENT, TASKS
from torchstone.judge.child import driver
from torchstone.judge.kit import ProblemCode, load_code
from torchstone.judge.kit.problem import load_module

pytestmark = [pytest.mark.torch]

FOLDERS = [*sorted((CONTENT / "problems").iterdir()), *sorted((CONTENT / TASKS).iterdir())]


def has_call(code: ProblemCode) -> bool:
    """Return whether the first case of a group is the driver's own call."""
    firsts = {planned.group: planned for planned in reversed(code.plan(0))}
    steps = [step for planned in firsts.values() for step in code.build(planned).steps]
    together = [step.data for step in steps if step.op == "together"]
    # Requests of the probe may be put together, too.
    return any(step.op == "call" for step in steps) or any(
        data["calls"].keys() - data.get("operations", {}).keys() for data in together
    )


def alone(params: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parameters of the cases that are put together in one."""
    return list(params["parts"].values()) if "parts" in params else [params]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_problem_with_a_call_makes_one_again_on_overwritten_tensors(folder: Any) -> None:
    code = load_code(folder)
    drawn = [params for planned in code.plan(1) for params in alone(planned.params)]
    again = any(params.get("again") for params in drawn)
    assert again or not has_call(code)


# Operations of launchers that have the device memory of a launch to themselves.
OWN_MEMORY = {"44_tiled_matmul": {"far", "long"}}
LAUNCHED = [folder for folder in FOLDERS if (folder / "launcher.cu").exists()]


@pytest.mark.full
@pytest.mark.parametrize("folder", LAUNCHED, ids=lambda folder: folder.name)
def test_every_operation_is_launched_again_on_overwritten_device_memory(folder: Any) -> None:
    code = load_code(folder)
    for seed in range(3):
        steps = [code.build(planned).steps[0] for planned in code.plan(seed)]
        drawn = {step.data["operation"] for step in steps}
        again = {step.data["operation"] for step in steps if "again" in step.data}
        assert again == drawn - OWN_MEMORY.get(folder.name, set())


def dtypes_and_layouts(number: str, groups: tuple[str, ...]) -> list[torch.Tensor]:
    """Return the first argument of every call that a problem draws in some groups."""
    code = load_code(next(folder for folder in FOLDERS if folder.name.startswith(number)))
    steps = [step for planned in code.plan(2, groups) for step in code.build(planned).steps]
    calls = [each for step in steps for each in step.data.get("calls", {"": step.data}).values()]
    found = [each["args"][0] if "args" in each else each.get("x") for each in calls]
    return [item for item in found if isinstance(item, torch.Tensor)]


def test_softmax_meets_scores_at_the_end_of_the_normal_numbers() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        least = torch.finfo(dtype).smallest_normal
        drawn = [x for x in dtypes_and_layouts("01", ("scale",)) if x.dtype == dtype]
        small = [torch.softmax(x.double(), -1) for x in drawn]
        assert any(bool(((y > least) & (y < least**0.7)).any()) for y in small), dtype


def test_a_view_starts_inside_its_storage_in_every_width() -> None:
    drawn = [x for x in dtypes_and_layouts("03", ("layout",)) if x.storage_offset()]
    assert {x.itemsize for x in drawn} == {1, 2, 4, 8}


def test_relu_meets_integers_that_no_float_holds() -> None:
    drawn = [x for x in dtypes_and_layouts("05", ("edge",)) if not x.is_floating_point()]
    for dtype in {x.dtype for x in drawn}:
        whole = torch.cat([x.flatten() for x in drawn if x.dtype == dtype])
        info = torch.iinfo(dtype)
        assert {info.min, info.max} <= set(whole.tolist())
    for dtype, wide in ((torch.int32, torch.float32), (torch.int64, torch.float64)):
        positive = torch.cat([x[x > 0] for x in drawn if x.dtype == dtype])
        positive = positive[positive < torch.iinfo(dtype).max // 2]
        assert not torch.equal(positive.to(wide).to(dtype), positive)


def test_a_package_is_asked_for_slope_one_in_every_empty_layout() -> None:
    code = load_code(next(folder for folder in FOLDERS if folder.name.startswith("50")))
    shapes = {slope: set() for slope in (0.0, 1.0)}  # type: dict[float, set[tuple[int, ...]]]
    for planned in code.plan(3, ("layout", "opcheck")):
        for step in code.build(planned).steps:
            for each in step.data.get("calls", {}).values():
                x, slope = (each["x"], each["slope"]) if "x" in each else slope_of(each)
                if slope in shapes and not x.numel():
                    shapes[slope].add(tuple(x.shape))
    empty = {(0, 4), (2, 0, 3), (3, 0), (2, 3, 0), (0,), (0, 0)}
    assert shapes == {0.0: empty, 1.0: empty}


def slope_of(call: dict[str, Any]) -> tuple[torch.Tensor, float]:
    """Return x and the slope of a call, however they are spelled."""
    args = call["args"]
    return args[0], call["kwargs"].get("slope", args[2] if len(args) > 2 else 0.01)


def test_a_refusal_that_the_judge_wants_leaves_no_log() -> None:
    folder = next(folder for folder in FOLDERS if folder.name.startswith("50"))
    probe = load_module(folder / "probe.py")
    submission = SimpleNamespace(leaky_bias=lambda x, bias, slope: torch.mm(x, bias))
    spec = {"shape": [2, 3], "dtype": "float32"}
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.msg)  # type: ignore[method-assign]
    log = logging.getLogger("torch._subclasses.fake_tensor")
    log.addHandler(handler)
    try:
        found = probe.probe(submission, "errors", {"x": spec, "bias": spec}, driver)
    finally:
        log.removeHandler(handler)
    assert set(found) == {"cpu.raised", "meta.raised", "fake.raised"}
    assert records == []
    assert not log.disabled


@pytest.mark.parametrize(
    ("params", "words"),
    [({"function": "steep"}, "infinity"), ({"fault": "inf"}, "infinity"), ({}, "right")],
)
def test_a_jacobian_that_is_not_finite_is_called_so(params: dict[str, Any], words: str) -> None:
    code = load_code(next(folder for folder in FOLDERS if folder.name.startswith("10")))
    planned = next(
        each
        for each in code.plan(1, ("planted",))
        if all(each.params.get(key) == value for key, value in params.items())
        and ("machine" in each.params or params)
    )
    note = code.expect(code.build(planned))["verdict"].note  # type: ignore[union-attr]
    assert words in note["en"]
    assert ("无穷" in note["zh"]) is (words == "infinity")


def test_a_graph_outlives_the_removal_of_a_monitor() -> None:
    """Some script sends a gradient through a graph after `remove`, and reads the values then."""
    code = load_code(next(folder for folder in FOLDERS if folder.name.startswith("06")))
    scripts = [planned.params["script"] for planned in code.plan(1, ("removal",))]
    names = [[action[0] for action in script] for script in scripts]
    assert any("backward" in each[each.index("remove") :] for each in names if "remove" in each)

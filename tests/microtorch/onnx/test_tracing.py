"""What can't be followed is refused: a file is never wrong without a word."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as F
from tests.microtorch.onnx.judge import agree, exported
from torchstone.microtorch import Tensor, nn
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.primitive import Primitive

pytestmark = pytest.mark.torch
BATCH: Any = {"x0": {0: "batch"}}


def _write_a_view(x: Tensor) -> Tensor:
    y = x * 1
    y[0].add_(1)
    return y * 2


def _write_data(x: Tensor) -> Tensor:
    y = x * 2
    view = y[0]
    y.data.add_(1)
    return view * 2


def _fill_a_buffer(x: Tensor) -> Tensor:
    made = micro.zeros(4, 4)
    made[:, 0] = x[:, 0]
    return made * 2


REFUSED: dict[str, tuple[Any, str]] = {
    "det": (micro.linalg.det, "'det' can't be exported"),
    "item": (lambda x: x * x.sum().item(), r"reads a value .*\(item\)"),
    "bool": (lambda x: x if x.sum() > 0 else -x, r"reads a value .*\(__bool__\)"),
    "float": (lambda x: x * float(x[0, 0]), "reads a value"),
    "tolist": (lambda x: x + micro.tensor(x.tolist()), r"\(tolist\)"),
    "numpy": (lambda x: x + micro.from_numpy(x.numpy() * 2), r"\(numpy\)"),
    "asarray": (lambda x: x + float(np.asarray(x).sum()), r"\(__array__\)"),
    "dlpack": (lambda x: x + micro.from_dlpack(x), r"\(__dlpack__\)"),
    "array": (lambda x: x + float(x.array.sum()), "an operand of 'add' depends on the inputs"),
    "mask": (lambda x: x * micro.from_numpy(x.array > 0.1), "an operand of 'mul' depends"),
    "random": (lambda x: x + micro.randn(4, 4), "drawn at random"),
    "dropout": (lambda x: F.dropout(x, 0.5, True), "drawn at random"),
    "branch": (lambda x: x * 2 if x.array.sum() > 0 else x, "which operations .* depends"),
    "number": (lambda x: x.narrow(1, int(x.array[0, 0] > 0.1), 1), "depends"),
    "view": (_write_a_view, "written in place, through a view"),
    "data": (_write_data, "written in place"),
    "buffer": (_fill_a_buffer, "depends on the inputs"),
    "text": (lambda x: (x, "text"), "not of a str"),
}
OF_SIZES: dict[str, tuple[Any, str]] = {
    "half": (lambda x: x[: x.shape[0] // 2] * 2, "depends on the inputs, or their sizes"),
    "branch": (lambda x: x if x.shape[0] < 5 else -x, "which operations"),
    "fixed": (lambda x: x + micro.ones(4, 4), "fails with other inputs of the sizes"),
    "baked": (lambda x: x * micro.randn(x.shape[0], 4), "depends on the inputs, or their sizes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_not_be_followed_is_refused_by_name(name: str) -> None:
    function, message = REFUSED[name]
    micro.manual_seed(0)
    with pytest.raises(micro.onnx.ExportError, match=message):
        exported(function, micro.randn(4, 4))


@pytest.mark.parametrize("name", OF_SIZES)
def test_what_does_not_follow_the_sizes_is_refused(name: str) -> None:
    function, message = OF_SIZES[name]
    with pytest.raises(micro.onnx.ExportError, match=message):
        exported(function, micro.randn(4, 4), dynamic_axes=BATCH)


def test_a_model_that_writes_what_it_keeps_is_refused() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("calls", micro.zeros(()))

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            return x * self.calls

    with pytest.raises(micro.onnx.ExportError, match="writes 'calls' while it runs"):
        exported(Counter(), micro.ones(2))


def test_what_nobody_needs_may_be_anything() -> None:
    def function(x: Tensor) -> Tensor:
        micro.linalg.det(x)
        return x * 2

    assert [node.op_type for node in agree(function, micro.randn(3, 3)).graph.node] == [
        "Mul",
        "Identity",
    ]


def test_values_of_parameters_may_be_read() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(micro.tensor(2.0))

        def forward(self, x: Tensor) -> Tensor:
            return x * self.scale.item() if self.scale > 1 else x

    agree(Scaled(), micro.ones(2))


def test_nothing_is_left_behind_whatever_happens() -> None:
    finish, item = Primitive.finish, Tensor.item
    with pytest.raises(micro.onnx.ExportError):
        exported(lambda x: x.sum().item(), micro.ones(2))
    with pytest.raises(ZeroDivisionError):
        exported(lambda x: 1 / 0, micro.ones(2))
    assert (Primitive.finish, Tensor.item) == (finish, item)
    assert not state.levels
    assert state.enabled
    x = micro.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_inputs_and_results_may_be_the_same_or_constant() -> None:
    agree(lambda x: (x, x, {"twice": x * 2}), micro.randn(2, 3))
    agree(lambda x: (x * 2, micro.ones(3)), micro.randn(2, 3))

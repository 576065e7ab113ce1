"""Every operator beside its definition, with tensors that lie in memory in any way."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from torchstone import kernels
from torchstone.kernels import activations, losses, probabilities, rotary
from torchstone.kernels.norm_reference import gradients, normalise

pytestmark = pytest.mark.torch

operators = torch.ops.torchstone
Draw = st.DataObject
LAYOUTS = ("dense", "transposed", "sliced", "expanded", "behind others")


def tensor(data: Draw, shape: tuple[int, ...]) -> Tensor:
    """Draw a tensor of a shape that lies in memory in some way."""
    layout = data.draw(st.sampled_from(LAYOUTS))
    if layout == "transposed":
        return torch.randn(shape[::-1]).permute(*reversed(range(len(shape))))
    if layout == "sliced":
        return torch.randn(*shape[:-1], 2 * shape[-1])[..., ::2]
    if layout == "expanded" and shape[0]:
        return torch.randn(1, *shape[1:]).expand(shape)
    if layout == "behind others":
        return torch.randn(shape[0] + 1, *shape[1:])[1:]
    return torch.randn(shape)


def shape_of(data: Draw) -> tuple[int, ...]:
    """Draw sizes, nothing among them."""
    *rows, width = data.draw(st.lists(st.integers(0, 9), min_size=2, max_size=4))
    return *rows, max(width, 1) * data.draw(st.sampled_from([1, 7, 16]))


def norms(data: Draw, name: str) -> tuple[Any, Any]:
    shape, has_mean = shape_of(data), "layer" in name
    row = shape[-1:]
    tensors = [tensor(data, shape) for _ in range(2 if "add" in name else 1)]
    weight, bias = (torch.randn(row) if data.draw(st.booleans()) else None for _ in range(2))
    parameters = (weight, bias) if has_mean else (weight,)
    got = getattr(operators, name)(*tensors, *parameters, 1, 1e-5)
    total = tensors[0] + tensors[1] if len(tensors) > 1 else tensors[0]
    out, mean, rstd = normalise(
        total, weight, bias if has_mean else None, 1, 1e-5, has_mean=has_mean
    )
    kept = (mean, rstd) if has_mean else (rstd,)
    return got, (out, total, *kept) if len(tensors) > 1 else (out, *kept)


def norm_gradients(data: Draw, name: str) -> tuple[Any, Any]:
    shape = shape_of(data)
    grad, x, weight = tensor(data, shape), tensor(data, shape), torch.randn(shape[-1:])
    _, mean, rstd = normalise(x, weight, None, 1, 1e-5, has_mean="layer" in name)
    kept = (mean, rstd) if "layer" in name else (rstd,)
    got = getattr(operators, name)(grad, None, x, *kept, weight, 1, True)
    want = gradients(grad, None, x, mean if "layer" in name else None, rstd, weight, 1, True)
    return got, want[: len(got)]


def of(reference: Callable[..., Any], num_full: int, has_row: bool = False) -> Callable[..., Any]:
    def run(data: Draw, name: str) -> tuple[Any, Any]:
        shape = shape_of(data)
        tensors = [tensor(data, shape) for _ in range(num_full)]
        if has_row:
            tensors.append(tensor(data, shape[-1:]))
        return getattr(operators, name)(*tensors), reference(*tensors)

    return run


def cross_entropy(data: Draw, name: str) -> tuple[Any, Any]:
    shape = shape_of(data)
    arguments = (tensor(data, shape), torch.randint(shape[-1], shape[:-1]), -100, 0.1)
    got, want = operators.cross_entropy(*arguments), losses.reference(*arguments)
    if name == "cross_entropy":
        return got, want
    backward = (tensor(data, shape[:-1]), *arguments[:2], want[1], -100, 0.1)
    return operators.cross_entropy_backward(*backward), losses.reference_backward(*backward)


def rotate(data: Draw, name: str) -> tuple[Any, Any]:
    *rows, width = shape_of(data)
    x = tensor(data, (*rows, 2 * width))
    angles = torch.rand(rows[-1], width)
    arguments = (x, angles.cos(), angles.sin(), data.draw(st.booleans()), data.draw(st.booleans()))
    return operators.rotary(*arguments), rotary.reference(*arguments)


CALLS: dict[str, Callable[[Draw, str], tuple[Any, Any]]] = {
    **dict.fromkeys(("layer_norm", "rms_norm", "add_layer_norm", "add_rms_norm"), norms),
    **dict.fromkeys(("layer_norm_backward", "rms_norm_backward"), norm_gradients),
    "softmax": of(probabilities.reference, 1),
    "softmax_backward": of(probabilities.reference_backward, 2),
    "bias_gelu": of(activations.reference_bias_gelu, 1, has_row=True),
    "bias_gelu_backward": of(activations.reference_bias_gelu_backward, 2, has_row=True),
    "swiglu": of(activations.reference_swiglu, 2),
    "swiglu_backward": of(activations.reference_swiglu_backward, 3),
    **dict.fromkeys(("cross_entropy", "cross_entropy_backward"), cross_entropy),
    "rotary": rotate,
}


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_it_is_the_definition_in_any_layout(name: str, data: Draw) -> None:
    assert kernels.load()
    got, want = CALLS[name](data, name)
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)

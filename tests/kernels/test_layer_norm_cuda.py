"""LayerNorm in CUDA C++, on the simulator: its values, and nothing for the detectors to find."""

import functools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact
from tests.kernels.simulated import assert_as_exact, operators_on_card
from torchstone import cudasim
from torchstone.kernels import norm_reference
from torchstone.kernels.cuda.build import SOURCES, declare
from torchstone.kernels.cuda.launch import TYPES

pytestmark = [pytest.mark.torch, pytest.mark.cudasim, pytest.mark.full]

SOURCE = SOURCES / "layer_norm.cu"


@functools.cache
def module(check: bool) -> Any:
    return cudasim.compile(SOURCE, check=check)


@dataclass
class Device:
    """Call the functions of a module with tensors of the host."""

    check: bool

    def __post_init__(self) -> None:
        found = module(self.check).function
        self.forward = found("torchstone_layer_norm")
        self.backward = found("torchstone_layer_norm_backward")
        declare(
            SimpleNamespace(
                torchstone_layer_norm=self.forward, torchstone_layer_norm_backward=self.backward
            )
        )

    def layer_norm(
        self, x: Tensor, w: Tensor | None, b: Tensor | None, grad: Tensor, num_parts: int = 3
    ) -> list[Tensor]:
        """Return the output, and the gradients of input, weight and bias."""
        rows, width = x.shape
        number = torch.float64 if x.dtype == torch.float64 else torch.float32
        parameter = x.dtype if w is None else w.dtype
        up = [None if t is None else self._up(t) for t in (x, w, b, grad)]
        out, grad_input = self._up(torch.empty_like(x)), self._up(torch.empty_like(x))
        mean, rstd = (self._up(torch.empty(rows, dtype=number)) for _ in range(2))
        of_weight, of_bias = (self._up(torch.empty(width, dtype=parameter)) for _ in range(2))
        parts = self._up(torch.empty(2 * num_parts * width, dtype=number))
        flags = (TYPES[x.dtype], int(parameter != x.dtype))
        error = self.forward(*flags, *up[:3], out, mean, rstd, rows, width, 1e-5, None)
        assert error == 0
        error = self.backward(
            *flags, up[3], up[0], up[1], mean, rstd, grad_input, of_weight, of_bias, parts,
            num_parts, rows, width, None,
        )  # fmt: skip
        assert error == 0
        assert module(self.check).findings() == ()
        down = [self._down(out, x.dtype).view_as(x), self._down(grad_input, x.dtype).view_as(x)]
        return [*down, self._down(of_weight, parameter), self._down(of_bias, parameter)]

    def _up(self, tensor: Tensor) -> Any:
        host = tensor.contiguous().view(torch.uint8).numpy()
        return cudasim.to_device(host, check=self.check)

    @staticmethod
    def _down(array: Any, dtype: torch.dtype) -> Tensor:
        return torch.from_numpy(array.copy_to_host().view(np.uint8).copy()).view(dtype)


def assert_right(device: Device, x: Tensor, w: Tensor, b: Tensor, grad: Tensor) -> None:
    got = device.layer_norm(x, w, b, grad)

    def plain(dtype: torch.dtype | None) -> list[Tensor]:
        leaves = [(t if dtype is None else t.to(dtype)).requires_grad_() for t in (x, w, b)]
        out = F.layer_norm(leaves[0], x.shape[1:], *leaves[1:])
        return [out.detach(), *torch.autograd.grad(out, leaves, grad.to(out.dtype))]

    peer, truth = plain(None), plain(torch.float64)
    scale = 4 * float(grad.abs().max()) * len(x)
    assert_exact(got[:1], peer[:1], truth[:1], FORWARD, scale=8.0)
    assert_exact(got[1:], peer[1:], truth[1:], GRADIENT, scale=scale)


@pytest.mark.parametrize("dtype", TYPES)
# A pack for each thread, four, sixteen; packs of one number; a row narrower than a warp.
@pytest.mark.parametrize("width", [64, 1000, 4099, 20_000, 5])
def test_values(width: int, dtype: torch.dtype) -> None:
    torch.manual_seed(width)
    x, grad = (torch.randn(7, width) + 1).to(dtype), torch.randn(7, width).to(dtype)
    w, b = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
    assert_right(Device(check=False), x, w, b, grad)


def test_float32_parameters_beside_half_types() -> None:
    x, grad = torch.randn(5, 96).bfloat16(), torch.randn(5, 96).bfloat16()
    assert_right(Device(check=False), x, torch.randn(96), torch.randn(96), grad)


@pytest.mark.parametrize(("dtype", "width"), [(torch.float32, 100), (torch.bfloat16, 257)])
def test_the_detectors_find_nothing(dtype: torch.dtype, width: int) -> None:
    x, grad = torch.randn(5, width).to(dtype), torch.randn(5, width).to(dtype)
    w, b = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
    assert_right(Device(check=True), x, w, b, grad)


def test_a_row_wider_than_a_block_can_hold_is_refused() -> None:
    width = 16 * 1024 * 16 + 4
    error = Device(check=False).forward(
        0, 0, None, None, None, None, None, None, 1, width, 1e-5, None
    )
    assert error == 9  # cudaErrorInvalidConfiguration


@pytest.mark.parametrize("has_parameters", [True, False])
def test_tensors_of_any_shape(monkeypatch: pytest.MonkeyPatch, has_parameters: bool) -> None:
    operators = operators_on_card(monkeypatch)
    x, grad = torch.randn(4, 6, 7, 5).transpose(0, 1), torch.randn(6, 4, 7, 5)
    w, b = (torch.randn(7, 5) if has_parameters else None for _ in range(2))

    def normalised(x: Tensor, w: Tensor | None, b: Tensor | None) -> tuple[Tensor, ...]:
        return norm_reference.normalise(x, w, b, 2, 1e-5, has_mean=True)

    def on_card(x: Tensor, w: Tensor | None, b: Tensor | None) -> Any:
        return operators["layer_norm"](x, w, b, 2, 1e-5)

    assert_as_exact(on_card, normalised, (x, w, b), FORWARD, 8.0)
    _, mean, rstd = normalised(x, w, b)
    for grad_sum in (None, torch.randn(6, 4, 7, 5)):
        arguments = (grad, grad_sum, x, mean, rstd, w, 2, has_parameters)
        backward = operators["layer_norm_backward"]
        assert_as_exact(backward, norm_reference.gradients, arguments, GRADIENT, 64.0)

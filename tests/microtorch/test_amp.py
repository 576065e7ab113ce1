"""Mixed precision that is switched off, and the scaling of losses."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_a_block_that_is_switched_off_changes_nothing() -> None:
    @micro.autocast("cpu", enabled=False)
    def product(x: Any) -> Any:
        return x @ x

    with micro.amp.autocast(device_type="cuda", dtype=micro.float16, enabled=False):
        assert product(micro.eye(2)).dtype is micro.float32
    assert not micro.is_autocast_enabled()


def test_a_block_for_a_gpu_switches_itself_off() -> None:
    with pytest.warns(UserWarning, match="CUDA is not available. Disabling"):
        block = micro.cuda.amp.autocast()
    with block:
        assert (micro.eye(2) @ micro.eye(2)).dtype is micro.float32
    with pytest.warns(UserWarning, match="target dtype is not supported"):
        micro.autocast("cpu", dtype=micro.float32)


@pytest.mark.parametrize("dtype", [None, "bfloat16", "float16"])
def test_a_block_on_the_cpu_says_that_it_is_not_there(dtype: str | None) -> None:
    with pytest.raises(NotImplementedError, match=r"enabled=False to compute in float32"):
        micro.autocast("cpu", dtype=dtype and getattr(micro, dtype))
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        micro.autocast("nowhere")


def test_a_scaler_that_is_switched_off_only_steps() -> None:
    with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available"):
        scaler = micro.cuda.amp.GradScaler()
    weight = micro.ones(2, requires_grad=True)
    optimizer = micro.optim.SGD([weight], lr=1.0)
    loss = weight.sum()
    assert scaler.scale(loss) is loss
    assert not scaler.is_enabled()
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [0, 0]
    assert scaler.state_dict() == {}
    assert scaler.get_scale() == 1.0


def run(torch: Any) -> list[Any]:
    """Train with a scaler through a step whose gradient is not finite."""
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    seen: list[Any] = []
    for factor in (1.0, float("inf"), 2.0, 3.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * weight * factor).sum()).backward()
        scaler.unscale_(optimizer)
        with pytest.raises(RuntimeError, match="has already been called on this optimizer"):
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        seen += [scaler.get_scale(), weight.tolist()]
    again = torch.amp.GradScaler("cpu")
    again.load_state_dict(scaler.state_dict())
    return [*seen, again.state_dict()]


def test_a_scaler_adapts_its_scale_as_pytorchs_does() -> None:
    assert run(micro) == run(torch)


MISUSES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "two steps": lambda t, scaler, optimizer: [scaler.step(optimizer) for _ in range(2)],
    "unscaled late": lambda t, scaler, optimizer: (
        scaler.step(optimizer), scaler.unscale_(optimizer),
    ),
    "a closure": lambda t, scaler, optimizer: scaler.step(optimizer, closure=lambda: 0),
    "nothing to go on from": lambda t, scaler, optimizer: scaler.load_state_dict({}),
    "a number": lambda t, scaler, optimizer: scaler.scale(3),
    "gradients of 16 bits": lambda t, scaler, optimizer: scaler.unscale_(
        t.optim.SGD([with_gradient(t, t.float16)], lr=0.1)
    ),
}  # fmt: skip


def with_gradient(torch: Any, dtype: Any) -> Any:
    weight = torch.ones(2, dtype=dtype, requires_grad=True)
    weight.grad = torch.ones(2, dtype=dtype)
    return weight


def refusal(torch: Any, misuse: str) -> tuple[str, str]:
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.ones(1))
    optimizer = torch.optim.SGD([with_gradient(torch, torch.float32)], lr=0.1)
    with pytest.raises((RuntimeError, ValueError)) as caught:
        MISUSES[misuse](torch, scaler, optimizer)
    return caught.type.__name__, str(caught.value)


@pytest.mark.parametrize("misuse", MISUSES)
def test_a_scaler_refuses_what_pytorchs_does(misuse: str) -> None:
    assert refusal(micro, misuse) == refusal(torch, misuse)


def test_a_loss_of_16_bits_is_scaled_beyond_them() -> None:
    scaled = [
        lib.amp.GradScaler("cpu").scale(lib.tensor(0.25, dtype=lib.float16)).item()
        for lib in (micro, torch)
    ]
    assert scaled == [2.0**14] * 2

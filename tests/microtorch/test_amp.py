"""Mixed precision that is switched off, and the scaling of losses."""

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

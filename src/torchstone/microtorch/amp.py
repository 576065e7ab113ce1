"""Mixed precision, under the names of ``torch.amp``: autocast and GradScaler.

Scripts write ``autocast`` and ``GradScaler`` with ``enabled=use_amp``. When disabled, or when
requested for an unavailable GPU, both are no-ops, as in PyTorch.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import ContextDecorator
from typing import Any

import numpy as np

from torchstone.microtorch.device import device
from torchstone.microtorch.dtypes import bfloat16, float16
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.tensor import Tensor, wrap


class autocast(ContextDecorator):
    """Context manager and decorator for mixed precision; a no-op unless enabled on the CPU.

    Raises:
        NotImplementedError: It is enabled on the CPU, where PyTorch would compute in 16 bits.
    """

    def __init__(
        self,
        device_type: str,
        dtype: Dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        device(device_type)
        if enabled and device_type != "cpu":
            warnings.warn(
                f"{device_type.upper()} is not available. Disabling autocast.", stacklevel=2
            )
        elif enabled and dtype not in (None, bfloat16, float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.",
                stacklevel=2,
            )
        elif enabled:
            raise NotImplementedError(
                f"autocast('cpu', dtype={dtype or bfloat16}): microtorch has no mixed precision, "
                "for NumPy has no bfloat16 and multiplies float16 slowly; pass enabled=False to "
                "compute in float32."
            )

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing: there is no state to restore."""


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Return False: autocast is not implemented."""
    return False


is_autocast_available = is_autocast_enabled


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Dtype | None = None) -> Any:
    """Return the forward function unchanged. A decorator."""
    return fwd if fwd is not None else lambda fwd: fwd


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Return the backward function unchanged. A decorator."""
    return bwd if bwd is not None else lambda bwd: bwd


class GradScaler:
    """Loss scaling for float16 gradients, which prevents underflow and skips non-finite steps.

    Args:
        device: Device type; the scaler disables itself for a GPU.
        init_scale: Initial scale factor.
        growth_factor: Factor that multiplies the scale after ``growth_interval`` finite steps.
        backoff_factor: Factor that multiplies the scale after a step with non-finite gradients.
        growth_interval: Number of consecutive finite steps before the scale grows.
        enabled: If False, ``scale`` returns its input and ``step`` calls the optimizer's step.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device != "cpu":
            warnings.warn(
                f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not "
                "available.  Disabling.",
                stacklevel=2,
            )
        self._enabled = enabled and device == "cpu"
        self._scale, self._good_steps = init_scale, 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        # Optimizer id -> whether its unscaled gradients are finite.
        self._finite: dict[int, bool] = {}
        self._stepped: set[int] = set()

    def is_enabled(self) -> bool:
        """Return whether the scaler is enabled."""
        return self._enabled

    def get_scale(self) -> float:
        """Return the current scale factor; 1.0 if disabled."""
        return self._scale if self._enabled else 1.0

    def scale(self, outputs: Any) -> Any:
        """Multiply a loss, or each loss of an iterable, by the scale factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            # A float32 factor promotes a float16 loss to float32, where the scaled loss cannot
            # overflow.
            return outputs * wrap(np.float32(self._scale))
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        kind: Any = type(outputs)
        return kind(self.scale(each) for each in outputs)

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients by the scale, for example to clip them before the step."""
        if not self._enabled:
            return
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._finite:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        parameters = [each for group in optimizer.param_groups for each in group["params"]]
        grads = [each.grad.data for each in parameters if each.grad is not None]
        if any(grad.dtype is float16 for grad in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        for grad in grads:
            grad.mul_(1 / self._scale)
        self._finite[id(optimizer)] = all(grad.isfinite().all().item() for grad in grads)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the optimizer's step unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._finite:
            self.unscale_(optimizer)
        self._stepped.add(id(optimizer))
        return optimizer.step(*args, **kwargs) if self._finite[id(optimizer)] else None

    def update(self, new_scale: float | None = None) -> None:
        """Update the scale factor from the gradients checked since the last call."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not all(self._finite.values()):
            self._scale, self._good_steps = self._scale * self._backoff_factor, 0
        else:
            self._good_steps += 1
            if self._good_steps == self._growth_interval:
                self._scale, self._good_steps = self._scale * self._growth_factor, 0
        self._finite, self._stepped = {}, set()

    def state_dict(self) -> dict[str, Any]:
        """Return the state for ``load_state_dict``; empty if disabled."""
        return {
            "scale": self._scale, "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
            "_growth_tracker": self._good_steps,
        } if self._enabled else {}  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state of another scaler."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        self._scale, self._good_steps = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

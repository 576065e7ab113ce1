"""Fused AdamW: one pass reads and writes the parameter and both moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim.optimizer import Optimizer

from torchstone.kernels.arguments import require_floating
from torchstone.kernels.library import define_in_place, ready
from torchstone.kernels.norm_reference import statistics_dtype


class AdamW(Optimizer):
    """AdamW, as ``torch.optim.AdamW``, with a fused step.

    For half-precision parameters the running means are float32. PyTorch keeps them in the dtype of
    the parameters, where the mean of squares stops growing after some hundred steps.

    Args:
        params: The parameters, or parameter groups.
        lr: Learning rate.
        betas: Decay rates of the two running means.
        eps: Added to the root of the mean of squares.
        weight_decay: Weight decay coefficient.

    Raises:
        ValueError: An argument is out of range.
        TypeError: The dtype of a parameter is not supported.

    Source:
        Loshchilov, Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        for name, value in (("lr", lr), ("eps", eps), ("weight_decay", weight_decay)):
            if not value >= 0:
                raise ValueError(f"AdamW: {name} is {value}; expected 0 or more")
        for place, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"AdamW: betas[{place}] is {beta}; expected 0 or more, below 1")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state of another optimizer of these parameters.

        Args:
            state_dict: The result of ``state_dict()``.
        """
        super().load_state_dict(state_dict)
        # PyTorch casts the running means to the parameters' dtype; restore them as they were saved.
        saved = state_dict["state"]
        places = [place for group in state_dict["param_groups"] for place in group["params"]]
        params = [param for group in self.param_groups for param in group["params"]]
        for place, param in zip(places, params, strict=True):
            for name in ("exp_avg", "exp_avg_sq") if place in saved else ():
                self.state[param][name] = saved[place][name].to(
                    device=param.device, dtype=statistics_dtype(param), copy=True
                )

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient.

        Args:
            closure: Reevaluates the loss; its result is returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        ready()
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    self._step_one(param, group)
        return loss

    def _step_one(self, param: Tensor, group: dict[str, Any]) -> None:
        require_floating("AdamW", "a parameter", param)
        if param.grad is None or param.grad.is_sparse:
            raise ValueError("AdamW: a gradient is sparse; expected a dense one")
        state = self.state[param]
        if not state:
            state["step"] = 0
            for name in ("exp_avg", "exp_avg_sq"):
                state[name] = torch.zeros(
                    param.shape, dtype=statistics_dtype(param), device=param.device
                )
        state["step"] += 1
        # The kernel needs contiguous memory; other layouts are copied and written back.
        dense = param if param.is_contiguous() else param.contiguous()
        _adamw(
            dense, state["exp_avg"], state["exp_avg_sq"], param.grad.to(param.dtype),
            group["lr"], *group["betas"], group["eps"], group["weight_decay"], state["step"],
        )  # fmt: skip
        if dense is not param:
            param.copy_(dense)


def reference(
    param: Tensor,
    mean: Tensor,
    square: Tensor,
    grad: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    step: int,
) -> None:
    """Compute the operator in plain PyTorch."""
    g = grad.to(mean.dtype)
    mean.mul_(beta1).add_(g, alpha=1 - beta1)
    square.mul_(beta2).addcmul_(g, g, value=1 - beta2)
    scaled = square.sqrt() / (1 - beta2**step) ** 0.5 + eps
    change = mean / scaled * (lr / (1 - beta1**step))
    param.copy_(param.to(mean.dtype) * (1 - lr * weight_decay) - change)


_adamw = define_in_place(
    "adamw_(Tensor(a!) param, Tensor(b!) mean, Tensor(c!) square, Tensor grad, float lr, "
    "float beta1, float beta2, float eps, float weight_decay, int step) -> ()",
    reference=reference,
    num_changed=3,
)

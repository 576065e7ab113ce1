"""weight_norm and spectral_norm by forward pre-hooks, the deprecated implementation.

``parametrizations`` has the current implementation.
"""

from __future__ import annotations

import warnings
from typing import Any

from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.nn.utils.parametrizations import (
    as_matrix,
    check_iterations,
    norm_except,
    spectral_dim,
)
from torchstone.microtorch.tensor import Tensor


class _Normed:
    """Forward pre-hook that recomputes a weight from learned parts.

    Attributes:
        what: The name of the reparametrization.
        parts: Suffixes of the names of the parts.
    """

    what: str
    parts: tuple[str, ...]

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module))

    def compute(self, module: Module) -> Tensor:
        """Compute the weight."""
        raise NotImplementedError

    def remove(self, module: Module) -> None:
        """Turn the current weight into a parameter, and remove the parts."""
        with no_grad():
            weight = self.compute(module)
        for name in (self.name, *(self.name + part for part in self.parts)):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))


def _hooks(module: Module, kind: type[_Normed], name: str) -> list[int]:
    hooks = module._forward_pre_hooks.items()
    return [key for key, (hook, _) in hooks if isinstance(hook, kind) and hook.name == name]


def _refuse_second(module: Module, kind: type[_Normed], name: str) -> None:
    if _hooks(module, kind, name):
        raise RuntimeError(f"Cannot register two {kind.what} hooks on the same parameter {name}")


def _remove(module: Module, kind: type[_Normed], name: str) -> Module:
    found = _hooks(module, kind, name)
    if not found:
        raise ValueError(f"{kind.what} of '{name}' not found in {module}")
    hook, _ = module._forward_pre_hooks.pop(found[0])
    hook.remove(module)
    return module


class WeightNorm(_Normed):
    """Weight normalization: a weight computed from its norm and its direction."""

    what, parts = "weight_norm", ("_g", "_v")

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def compute(self, module: Module) -> Tensor:
        """Compute the weight."""
        length, direction = (getattr(module, self.name + part) for part in self.parts)
        weight: Tensor = direction * (length / norm_except(direction, self.dim))
        return weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Reparametrize a weight by its norm and its direction."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    _refuse_second(module, WeightNorm, name)
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight, hook.dim).data))
    module.register_parameter(f"{name}_v", Parameter(weight.data))
    hook(module, ())
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Remove the weight normalization; the weight becomes a parameter again."""
    return _remove(module, WeightNorm, name)


class SpectralNorm(_Normed):
    """Spectral normalization: the largest singular value is estimated by power iteration."""

    what, parts = "spectral_norm", ("_u", "_v", "_orig")

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        check_iterations(n_power_iterations)
        self.n_power_iterations, self.dim, self.eps = n_power_iterations, dim, eps

    def __call__(self, module: Module, inputs: Any) -> None:
        """Run the power iterations in training mode, and set the weight."""
        if module.training:
            matrix = as_matrix(getattr(module, f"{self.name}_orig").detach(), self.dim)
            u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
            for _ in range(self.n_power_iterations):
                v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
        super().__call__(module, inputs)

    def compute(self, module: Module) -> Tensor:
        """Compute the weight."""
        u, v, weight = (getattr(module, self.name + part) for part in self.parts)
        result: Tensor = weight / u.clone().dot(as_matrix(weight, self.dim).mv(v.clone()))
        return result


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value."""
    _refuse_second(module, SpectralNorm, name)
    hook = SpectralNorm(name, n_power_iterations, spectral_dim(module, dim), eps)
    weight = getattr(module, name)
    sizes = as_matrix(weight.detach(), hook.dim).shape
    u, v = (
        F.normalize(weight.detach().new_empty(size).normal_(0, 1), dim=0, eps=eps) for size in sizes
    )
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Remove the spectral normalization; the weight becomes a parameter again."""
    return _remove(module, SpectralNorm, name)

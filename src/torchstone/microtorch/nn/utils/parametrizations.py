"""Parametrizations of weights: weight_norm and spectral_norm.

Source:
    Salimans and Kingma, Weight normalization (2016).
    Miyato et al., Spectral normalization for generative adversarial networks (2018).
"""

from __future__ import annotations

from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.convolution import _ConvTransposeNd
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.utils.parametrize import register_parametrization
from torchstone.microtorch.tensor import Tensor


def norm_except(weight: Tensor, dim: int) -> Tensor:
    """Compute the norm over all dimensions except ``dim``; over all if ``dim`` is -1."""
    if dim == -1:
        return weight.norm()
    ndim = weight.array.ndim
    rest = [each for each in range(ndim) if each != dim % ndim]
    return weight.norm(2, rest, keepdim=True) if rest else weight.abs()


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """Compute the weight from its norm and its direction."""
        return weight_v * (weight_g / norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return the norm and the direction of a weight."""
        return norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Reparametrize a weight by its norm and its direction."""
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Reshape a weight to a matrix whose rows are dimension ``dim``."""
    return weight.movedim(dim, 0).flatten(1)


def spectral_dim(module: Module, dim: int | None) -> int:
    """Return the output dimension of a weight."""
    if dim is not None:
        return dim
    return 1 if isinstance(module, _ConvTransposeNd) else 0


def check_iterations(n_power_iterations: int) -> None:
    """Raise an error unless the number of iterations is positive."""
    if n_power_iterations <= 0:
        raise ValueError(
            "Expected n_power_iterations to be positive, but got "
            f"n_power_iterations={n_power_iterations}"
        )


class _SpectralNorm(Module):
    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        if not -weight.array.ndim <= dim < weight.array.ndim:
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{weight.array.ndim}, {weight.array.ndim - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
        if weight.array.ndim > 1:
            matrix = as_matrix(weight.detach(), dim)
            for name, size in zip(("_u", "_v"), matrix.shape, strict=True):
                self.register_buffer(name, self._unit(matrix.new_empty(size).normal_(0, 1)))
            self._iterate(matrix, 15)

    def _unit(self, vector: Tensor) -> Tensor:
        return F.normalize(vector, dim=0, eps=self.eps)

    @no_grad()
    def _iterate(self, matrix: Tensor, times: int) -> None:
        for _ in range(times):
            self._u.copy_(self._unit(matrix.mv(self._v)))
            self._v.copy_(self._unit(matrix.mH.mv(self._u)))

    def forward(self, weight: Tensor) -> Tensor:
        """Divide a weight by its largest singular value."""
        if weight.array.ndim == 1:
            return self._unit(weight)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        return weight / self._u.clone().vdot(matrix.mv(self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the value unchanged."""
        return value


def _tensor_of(module: Module, name: str) -> Tensor:
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value."""
    weight = _tensor_of(module, name)
    dim = spectral_dim(module, dim)
    return register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )

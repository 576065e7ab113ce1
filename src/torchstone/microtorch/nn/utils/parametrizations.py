"""Parametrizations of weights: weight_norm, spectral_norm, orthogonal.

Source:
    Salimans and Kingma, Weight normalization (2016).
    Miyato et al., Spectral normalization for generative adversarial networks (2018).
    Lezcano-Casado, Trivializations for gradient-based optimization on manifolds (2019).
"""

from __future__ import annotations

from typing import Any

from torchstone.microtorch import linalg
from torchstone.microtorch.dtypes import finfo
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.convolution import _ConvTransposeNd
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.utils.parametrize import register_parametrization
from torchstone.microtorch.ops.creation import eye
from torchstone.microtorch.ops.joining import cat
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


def _is_orthogonal(q: Tensor) -> bool:
    rows, columns = q.shape[-2:]
    q = q.mT if rows < columns else q
    size = min(rows, columns)
    bound = 10 * max(rows, columns) * finfo(q.dtype).eps
    return bool((q.mH @ q).allclose(eye(size, dtype=q.dtype), atol=bound))


def _made_orthogonal(a: Tensor) -> Tensor:
    reflectors, tau = a.geqrf()
    q: Tensor = linalg.householder_product(reflectors, tau)
    return q * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, weight: Tensor) -> Tensor:
        """Compute the orthogonal matrix from the stored parameters."""
        is_wide = weight.shape[-2] < weight.shape[-1]
        x = weight.mT if is_wide else weight
        rows, columns = x.shape[-2:]
        if self.orthogonal_map == "householder":
            a = x.tril(-1)
            q = linalg.householder_product(a, 2.0 / (1.0 + (a * a).sum(-2)))
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            x = x.tril()
            if rows != columns:
                x = cat([x, x.new_zeros(*x.shape[:-1], rows - columns)], -1)
            q = self._of_skew(x - x.mH)[..., :columns]
        if getattr(self, "base", None) is not None:
            q = self.base @ q
        return q.mT if is_wide else q

    def _of_skew(self, a: Tensor) -> Any:
        if self.orthogonal_map == "matrix_exp":
            return a.matrix_exp()
        one = eye(a.shape[-1], dtype=a.dtype)
        return linalg.solve(one - a / 2, one + a / 2)

    @no_grad()
    def right_inverse(self, q: Tensor) -> Tensor:
        """Return the parameters to store for a matrix, which is orthogonalized if needed."""
        if self.shape != q.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of "
                f"shape {q.shape}."
            )
        is_wide = q.shape[-2] < q.shape[-1]
        tall = q.mT if is_wide else q
        rows, columns = tall.shape[-2:]
        if "base" in self._buffers:
            if rows != columns:
                more = tall.new_empty(*tall.shape[:-2], rows, rows - columns).normal_()
                self.base = _made_orthogonal(cat([tall, more], -1))
            else:
                self.base = tall.clone() if _is_orthogonal(tall) else _made_orthogonal(tall)
            stored = q.new_zeros(q.shape)
            stored.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return stored
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley "
                "parametrizations when use_trivialization=False."
            )
        a, tau = tall.geqrf()
        diagonal = a.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[tau == 0] *= -1
        return a.mT if is_wide else a


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep a weight orthogonal: its columns, or rows, are orthonormal.

    Args:
        module: The module.
        name: The name of the weight.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; by default "matrix_exp" for square
            matrices and "householder" for others.
        use_trivialization: Learn a rotation relative to the current weight instead of relative to
            the matrix that zero parameters give.
    """
    weight = _tensor_of(module, name)
    if weight.array.ndim < 2:
        raise ValueError(
            "Expected a matrix or batch of matrices. Got a tensor of "
            f"{weight.array.ndim} dimensions."
        )
    if orthogonal_map is None:
        is_square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: '
            f"{orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)

"""Embedding modules: Embedding and EmbeddingBag."""

from __future__ import annotations

import inspect
from typing import Any, Self

from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import normal_, unset
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.tensor import Tensor


class _Table(Module):
    """Base class of the embeddings.

    Attributes:
        padding_idx: Index of the row of the padding token, which is zero and gets no gradient.
        max_norm: If given, looked-up rows with a larger norm are scaled down to it.
    """

    def _set(
        self,
        size: tuple[int, int],
        padding_idx: int | None,
        weight: Tensor | None,
        *,
        freeze: bool,
        dtype: Any,
        **options: Any,
    ) -> None:
        self.num_embeddings, self.embedding_dim = size
        if padding_idx is not None:
            if not -size[0] <= padding_idx < size[0]:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= size[0]
        self.padding_idx = padding_idx
        for name, value in options.items():
            setattr(self, name, value)
        if weight is None:
            self.weight = unset(*size, dtype=dtype)
            self.weight.requires_grad = not freeze
            self.reset_parameters()
            return
        if weight.array.shape != size:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(weight, requires_grad=not freeze)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, *args: Any, **kwargs: Any
    ) -> Self:
        """Create an embedding from an existing table; the other arguments are the constructor's."""
        if embeddings.array.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.array.shape
        # The remaining arguments are in the constructor's order, without the private ones.
        names = [name for name in inspect.signature(cls).parameters if not name.startswith("_")]
        options: dict[str, Any] = dict(zip(names[2:], args, strict=False)) | kwargs
        options |= {"num_embeddings": rows, "embedding_dim": columns, "_weight": embeddings}
        made = cls(**options)
        made.weight.requires_grad = not freeze
        return made

    def reset_parameters(self) -> None:
        """Initialize from the standard normal distribution; the padding row is zero."""
        normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def _unusual(self, *usual: tuple[str, Any]) -> str:
        """Return the options that differ from the defaults, as text."""
        parts = [f"{self.num_embeddings}, {self.embedding_dim}"]
        for name, value in usual:
            if getattr(self, name) != value:
                parts.append(f"{name}={getattr(self, name)!r}")
        return ", ".join(parts)


class Embedding(_Table):
    """Embedding table: maps indices to vectors."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._set(
            (num_embeddings, embedding_dim),
            padding_idx,
            _weight,
            freeze=_freeze,
            dtype=dtype,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the embedding of each index."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        return self._unusual(
            ("padding_idx", None),
            ("max_norm", None),
            ("norm_type", 2),
            ("scale_grad_by_freq", False),
            ("sparse", False),
        )


class EmbeddingBag(_Table):
    """Embedding table that maps each bag of indices to the sum, mean or maximum of its vectors."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._set(
            (num_embeddings, embedding_dim),
            padding_idx,
            _weight,
            freeze=False,
            dtype=dtype,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
        )

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Return one vector for each bag."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        return self._unusual(
            ("max_norm", None),
            ("norm_type", 2),
            ("scale_grad_by_freq", False),
            ("mode", None),
            ("padding_idx", None),
        )

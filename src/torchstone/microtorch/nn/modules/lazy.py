"""Lazy modules: LazyLinear, LazyConv, LazyBatchNorm infer the input size at the first call.

Until then their parameters are uninitialized. An optimizer may already refer to them, because they
remain the same objects.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.nn.modules import convolution, linear, normalization
from torchstone.microtorch.nn.modules.module import KINDS, TABLES, Module
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.ops.creation import numpy_dtype
from torchstone.microtorch.ops.seeds import fork_rng
from torchstone.microtorch.tensor import Array, Tensor, wrap

_slot: Any = vars(Tensor)["array"]


class UninitializedTensor(Tensor):
    """Uninitialized tensor with a known dtype."""

    _becomes: ClassVar[Any] = Tensor

    if not TYPE_CHECKING:

        @property
        def array(self) -> Any:
            """Raise an error: there are no elements yet."""
            raise ValueError(
                "Attempted to use an uninitialized parameter. When using LazyModules call "
                "`forward` with a dummy batch to initialize the parameters before."
            )

        @array.setter
        def array(self, array: Array) -> None:
            _slot.__set__(self, array.reshape(-1)[:0])

    def __new__(
        cls, requires_grad: bool | None = None, device: Any = None, dtype: Any = None
    ) -> Any:
        """Create an uninitialized tensor; a parameter requires a gradient by default."""
        wanted = cls._becomes is Parameter if requires_grad is None else requires_grad
        made: Any = Parameter(wrap(np.empty(0, numpy_dtype(dtype))), wanted)
        made.__class__ = cls
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    @property
    def dtype(self) -> Any:
        """Return the dtype."""
        return dtypes.of_numpy(_slot.__get__(self).dtype)

    @property
    def shape(self) -> Any:
        """Raise an error: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before accessing their attributes."
        )

    def materialize(self, shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> None:
        """Allocate the tensor with a shape."""
        kind = self.dtype if dtype is None else dtype
        self.__class__ = self._becomes
        self.array = np.empty(shape, kind.numpy)

    def detach(self) -> Any:
        """Return the tensor itself; it has no history."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return memo.setdefault(id(self), type(self)(self.requires_grad, dtype=self.dtype))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(UninitializedTensor, Parameter):
    """Parameter without a shape yet."""

    _becomes = Parameter


class UninitializedBuffer(UninitializedTensor):
    """Buffer without a shape yet."""


class LazyModuleMixin(Module):
    """Mixin for lazy modules, placed before the class that the module becomes.

    Attributes:
        cls_to_become: That class.
        _dim: The input dimension whose size is the first constructor argument of that class.
    """

    cls_to_become: ClassVar[Any]
    _dim: ClassVar[int]
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(cls, *, dim: int | None = None, **defaults: Any) -> None:
        super().__init_subclass__()
        if dim is None:
            return
        cls._dim, cls.cls_to_become = dim, cls.__bases__[1]
        given = list(inspect.signature(cls.cls_to_become).parameters.values())[1:]
        cls.__signature__ = inspect.Signature(
            [each.replace(default=defaults.get(each.name, each.default)) for each in given]
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        bound = type(self).__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        self._fill(self.__dict__, 0, bound)
        object.__setattr__(self, "_arguments", bound)
        for kind in ("_parameters", "_buffers"):
            made = UninitializedParameter if kind == "_parameters" else UninitializedBuffer
            for each in getattr(self, kind).values():
                if each is not None and (array := each.array).ndim:
                    each.__class__ = made
                    each.array = array

    def _fill(self, spaces: dict[str, Any], size: int, bound: inspect.BoundArguments) -> None:
        """Take over the attributes of a newly created module; the random state is not changed."""
        with fork_rng(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spaces.update(self.cls_to_become(size, *bound.args, **bound.kwargs).__dict__)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Change the dtypes of the uninitialized tensors."""
        spaces: list[dict[str, Any]] = [self._parameters, self._buffers]
        found = [
            (space, name, type(each))
            for space in spaces
            for name, each in space.items()
            if isinstance(each, UninitializedTensor)
        ]
        for space, name, kind in found:
            space[name].__class__ = kind._becomes
        super()._apply(fn, recurse)
        for space, name, kind in found:
            space[name].__class__ = kind
        return self

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer is uninitialized."""
        tensors = (*self._parameters.values(), *self._buffers.values())
        return any(isinstance(each, UninitializedTensor) for each in tensors)

    def reset_parameters(self) -> None:
        """Reset the parameters if they are initialized."""
        if not self.has_uninitialized_params():
            self.cls_to_become.reset_parameters(self)

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Initialize the parameters from the input of ``forward``."""
        dims = (-self._dim, 1 - self._dim)
        if issubclass(self.cls_to_become, convolution._ConvNd) and input.ndim not in dims:
            raise RuntimeError(
                f"Expected {dims[0]}D (unbatched) or {dims[1]}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {input.shape}"
            )
        made: dict[str, Any] = {}
        self._fill(made, input.array.shape[self._dim], self._arguments)
        self.__dict__.update({name: each for name, each in made.items() if name not in _KEPT})
        if not self.has_uninitialized_params():
            return
        for kind in ("_parameters", "_buffers"):
            for name, each in made[kind].items():
                own = getattr(self, kind)[name]
                if isinstance(own, UninitializedTensor):
                    own.materialize(each.array.shape)
        self.reset_parameters()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Initialize the parameters, become the final class, and call it."""
        self.initialize_parameters(*args, **kwargs)
        del self.__dict__["_arguments"]
        self.__class__ = self.cls_to_become
        return self(*args, **kwargs)

    def _load_one(self, name: str, own: Tensor, value: Any, *rest: Any) -> None:
        if isinstance(own, UninitializedTensor) and isinstance(value, Tensor):
            if isinstance(value, UninitializedTensor):
                return
            own.materialize(value.array.shape)
        super()._load_one(name, own, value, *rest)


_KEPT = {*TABLES, *KINDS, "training", "_non_persistent_buffers_set"}


class LazyLinear(LazyModuleMixin, linear.Linear, dim=-1):
    """``Linear`` with ``in_features`` inferred at the first call."""


class LazyConv1d(LazyModuleMixin, convolution.Conv1d, dim=-2):
    """``Conv1d`` with ``in_channels`` inferred at the first call."""


class LazyConv2d(LazyModuleMixin, convolution.Conv2d, dim=-3):
    """``Conv2d`` with ``in_channels`` inferred at the first call."""


class LazyConv3d(LazyModuleMixin, convolution.Conv3d, dim=-4):
    """``Conv3d`` with ``in_channels`` inferred at the first call."""


class LazyConvTranspose1d(LazyModuleMixin, convolution.ConvTranspose1d, dim=-2):
    """``ConvTranspose1d`` with ``in_channels`` inferred at the first call."""


class LazyConvTranspose2d(LazyModuleMixin, convolution.ConvTranspose2d, dim=-3):
    """``ConvTranspose2d`` with ``in_channels`` inferred at the first call."""


class LazyConvTranspose3d(LazyModuleMixin, convolution.ConvTranspose3d, dim=-4):
    """``ConvTranspose3d`` with ``in_channels`` inferred at the first call."""


class LazyBatchNorm1d(LazyModuleMixin, normalization.BatchNorm1d, dim=1):
    """``BatchNorm1d`` with ``num_features`` inferred at the first call."""


class LazyBatchNorm2d(LazyModuleMixin, normalization.BatchNorm2d, dim=1):
    """``BatchNorm2d`` with ``num_features`` inferred at the first call."""


class LazyBatchNorm3d(LazyModuleMixin, normalization.BatchNorm3d, dim=1):
    """``BatchNorm3d`` with ``num_features`` inferred at the first call."""


_LIKE_BATCH_NORM = {"affine": True, "track_running_stats": True}


class LazyInstanceNorm1d(LazyModuleMixin, normalization.InstanceNorm1d, dim=1, **_LIKE_BATCH_NORM):
    """``InstanceNorm1d`` with ``num_features`` inferred at the first call."""


class LazyInstanceNorm2d(LazyModuleMixin, normalization.InstanceNorm2d, dim=1, **_LIKE_BATCH_NORM):
    """``InstanceNorm2d`` with ``num_features`` inferred at the first call."""


class LazyInstanceNorm3d(LazyModuleMixin, normalization.InstanceNorm3d, dim=1, **_LIKE_BATCH_NORM):
    """``InstanceNorm3d`` with ``num_features`` inferred at the first call."""

"""Registry of operations: registers each under its PyTorch names and namespaces."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar

from torchstone.microtorch.autograd.inplace import check_writable, refuse_sources, replace
from torchstone.microtorch.autograd.node import next_number
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


class Namespace(dict[str, Any]):
    """Functions by name, and the modules that export them.

    Attributes:
        shown: The globals of those modules; functions registered later are added to them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[dict[str, Any]] = []

    def __setitem__(self, name: str, function: Any) -> None:
        super().__setitem__(name, function)
        for space in self.shown:
            _put(space, name, function)


def _put(space: dict[str, Any], name: str, function: Any) -> None:
    """Set a function in a namespace unless the name is taken; a module of that name is replaced."""
    if name not in space or isinstance(space[name], ModuleType):
        space[name] = function


# "torch" is the package itself.
functions: dict[str, Namespace] = {
    name: Namespace() for name in ("torch", "nn.functional", "linalg", "special")
}


def show(namespace: str, space: dict[str, Any]) -> Callable[[str], Any]:
    """Export a namespace's functions from a module; return a lookup for lazily imported ones.

    Args:
        namespace: The name of the namespace.
        space: The ``globals()`` of the module; its ``__getattr__`` is set to the result.
    """
    functions[namespace].shown.append(space)
    for name, function in functions[namespace].items():
        _put(space, name, function)

    def find(name: str) -> Any:
        if not name.startswith("__") and load_seldom() and name in space:
            return space[name]
        raise AttributeError(f"module '{space['__name__']}' has no attribute '{name}'")

    return find


def load_seldom() -> bool:
    """Import the lazily imported families; return False if that was done before.

    They are imported at the first access to a missing name.
    """
    name = "torchstone.microtorch.ops.seldom"
    if name in sys.modules:
        return False
    importlib.import_module(name)
    return True


def named(function: F, name: str, doc: str | None = None) -> F:
    """Set the name and the docstring of a generated function."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc or function.__doc__
    return function


def op(
    *namespaces: str,
    name: str | None = None,
    method: bool | None = None,
    inplace: bool = False,
    aliases: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Register a function. A decorator factory.

    Args:
        namespaces: The namespaces; by default the package and the tensor's methods.
        name: Its public name, if it differs from that of the function.
        method: Whether to make it a tensor method.
        inplace: Also register an in-place variant with a trailing ``_``.
        aliases: Further names.
    """

    def enter(function: F) -> F:
        function = _for_vmap(function, name or function.__name__)
        public = _for_numpy(function)
        for each in (name or function.__name__, *aliases):
            for namespace in namespaces or ("torch",):
                functions[namespace][each] = public
            if method if method is not None else not namespaces:
                setattr(Tensor, each, public)
            if inplace:
                variant = in_place(function, f"{each}_")
                setattr(Tensor, variant.__name__, variant)
                for namespace in namespaces or ("torch",):
                    functions[namespace][variant.__name__] = variant
        return function

    return enter


# Functions that ``vmap`` cannot run as compositions of primitives: they read values, draw random
# numbers, or create tensors like another one.
_UNDER_VMAP = {
    "loop": """
        _unsafe_masked_index _unsafe_masked_index_put_accumulate bincount cholesky cov ctc_loss
        embedding embedding_bag gather gaussian_nll_loss histc histogram histogramdd index_add
        index_copy index_fill index_put index_reduce index_select inv inv_ex isin linspace logspace
        lstsq lu lu_factor lu_factor_ex lu_solve lu_unpack masked_scatter matrix_rank max_unpool1d
        max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss nanquantile pinv pinverse
        put quantile repeat_interleave scatter scatter_add scatter_reduce solve solve_ex take
        take_along_dim
        """,
    "draw": """
        bernoulli bernoulli_ cauchy_ exponential_ geometric_ gumbel_softmax log_normal_ multinomial
        normal normal_ rand rand_like randint randint_like randn randn_like random_ randperm
        uniform_
        """,
    "may_draw": """
        alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout rrelu
        scaled_dot_product_attention
        """,
    "like": """
        empty_like full_like new_empty new_full new_ones new_zeros ones_like zeros_like
        """,
}
_METHODS = {name: method for method, names in _UNDER_VMAP.items() for name in names.split()}


def _for_numpy(function: Any) -> Any:
    """Accept NumPy's ``axis`` and ``keepdims`` for ``dim`` and ``keepdim``."""
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    if "dim" not in names or "axis" in names:
        return function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")) if kwargs else ():
            if theirs in kwargs:
                kwargs[ours] = kwargs.pop(theirs)
        return function(*args, **kwargs)

    return call


def _for_vmap(function: Any, name: str) -> Any:
    method = _METHODS.get(name)
    if method is None:
        return function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not state.levels:
            return function(*args, **kwargs)
        return getattr(state.levels[-1], method)(function, args, kwargs)

    return call


# These write a single value, so target elements may share memory.
_SAME_VALUE = {"fill_", "masked_fill_", "index_fill_", "index_put_", "_index_put_"}
# These read other elements than they write.
_READS_ELSEWHERE = {
    f"{name}_"
    for name in (
        "index_add", "index_copy", "index_put", "_index_put", "index_reduce", "masked_scatter",
        "put", "scatter", "scatter_add", "scatter_reduce",
    )
}  # fmt: skip


def in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """Create the in-place variant of an operation."""

    def variant(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, *args, may_overlap=name in _SAME_VALUE)
        refuse_sources(self, *args, even_itself=name in _READS_ELSEWHERE)
        mark = next_number()
        return replace(self, function(self, *args, **kwargs), mark)

    return named(variant, name, f"Write the result of ``{function.__name__}`` into the tensor.")

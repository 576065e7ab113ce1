"""Binary arithmetic with broadcasting and type promotion: add, sub, mul, div, remainder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import check_writable, refuse_sources
from torchstone.microtorch.autograd.node import wants_gradient
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.broadcasting import expect_tensors
from torchstone.microtorch.ops.elementwise import Binary
from torchstone.microtorch.ops.namespace import functions, in_place, named, op
from torchstone.microtorch.ops.op_math import HALF, SINGLE
from torchstone.microtorch.ops.pointwise import into, reciprocal, zero_rule
from torchstone.microtorch.ops.primitive import Operation
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor

Rule = Callable[..., Tensor]
Function = Callable[[Any, Any], Tensor]


def _of_both(self: Rule | None, other: Rule | None) -> dict[str, Rule]:
    return {name: rule for name, rule in (("self", self), ("other", other)) if rule is not None}


def binary(
    name: str,
    ufunc: Callable[..., Any],
    self: Rule | None = None,
    other: Rule | None = None,
    *,
    keeps_integers: bool = True,
    numbers: str = "either",
    refuses: str = "",
    node: type[Operation] | None = None,
    kind: type[Binary] = Binary,
) -> Function:
    """Create a function of two operands.

    Args:
        name: Its name.
        ufunc: The computation on two arrays of one dtype.
        self: The rule of the first operand's gradient.
        other: The rule of the second operand's gradient.
        keeps_integers: Integers give integers; otherwise they are promoted to floats.
        numbers: Which operand may be a Python scalar; see ``Binary``.
        refuses: The dtype kinds (NumPy's letters) that PyTorch does not support.
        node: The node type, if it is hand-written.
        kind: A subclass of ``Binary``.
    """

    def checked(x: Array, y: Array) -> Any:
        if x.dtype.kind in refuses:
            raise TypeError
        return ufunc(x, y)

    rules, forward = _of_both(self, other), checked if refuses else ufunc
    made = kind(name, forward, rules, keeps_integers=keeps_integers, node=node)
    # Only these PyTorch kernels keep a 0-d second operand in full precision.
    made.numbers, made.keeps_scalars = numbers, name in ("mul", "div", "floor_divide")
    return made.function()


def entered(
    name: str,
    made: Function,
    *,
    inplace: bool = True,
    namespaces: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    special: str | None = None,
) -> Function:
    """Register a function of two operands and its in-place variant.

    Args:
        name: Its name.
        made: The function created by ``binary``.
        inplace: Register an in-place variant.
        namespaces: The namespaces to register it in; by default the package.
        aliases: Further names.
        special: Its name in ``torch.special``, if it has one.
    """

    def function(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
        return made(input, other) if out is None else into(out, made(input, other))

    named(function, name)
    if special is not None:
        functions["special"][special] = function
    return op(*namespaces, inplace=inplace, aliases=aliases)(function)


_ENTRY = {"inplace", "namespaces", "aliases", "special"}


def define(name: str, ufunc: Callable[..., Any], *rules: Rule | None, **options: Any) -> Function:
    """Create a function of two operands (see ``binary``) and register it (see ``entered``)."""
    entry = {each: options.pop(each) for each in _ENTRY & options.keys()}
    return entered(name, binary(name, ufunc, *rules, **options), **entry)


class AddBackward0(Operation):
    """Node of addition, hand-written for speed: both inputs get the incoming gradient."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        """Return the incoming gradient for both inputs."""
        return grads[0], grads[0]


class Subtraction(Binary):
    """Subtraction; unlike addition, it rejects booleans."""

    def promoted(self, a: Any, b: Any) -> list[Array]:
        """Convert both operands to arrays of their common dtype."""
        if _is_boolean(a) and _is_boolean(b):
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
                "`^` or `logical_xor()` operator instead."
            )
        if _is_boolean(a) or _is_boolean(b):
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                "trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        return super().promoted(a, b)


def _is_boolean(operand: Any) -> bool:
    return type(operand) is bool or (
        isinstance(operand, Tensor) and operand.array.dtype.kind == "b"
    )


def _refusing_zero(ufunc: Callable[..., Any]) -> Callable[[Array, Array], Any]:
    def divide(x: Array, y: Array) -> Any:
        if y.dtype.kind in "iu" and x.size and not np.all(y):
            raise RuntimeError("ZeroDivisionError")
        return ufunc(x, y)

    return divide


def _divide_trunc(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f":
        return np.trunc(np.true_divide(x, y))
    floor, rest = _refusing_zero(np.divmod)(x, y)
    return floor + ((rest != 0) & ((x < 0) != (y < 0)))


def _per_square(self: Tensor, other: Tensor) -> Tensor:
    """Return ``1 / (x**2 + y**2)``; 0 at the origin, where the angle is undefined."""
    square = self * self + other * other
    return reciprocal(square).masked_fill(square.eq(0), 0)


def _copysign_rule(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    return grad * (result / self).masked_fill(self.eq(0), 0)


_add = binary("add", np.add, lambda grad: grad, lambda grad: grad, node=AddBackward0)
_sub = binary("sub", np.subtract, lambda grad: grad, lambda grad: -grad, kind=Subtraction)
_mul = binary("mul", np.multiply, lambda grad, other: grad * other, lambda grad, self: grad * self)
_div = binary(
    "div",
    np.true_divide,
    lambda grad, other: grad / other,
    # The rule does not use the result, which may be modified in place, as in PyTorch.
    lambda grad, self, other: -grad * (self / other / other),
    keeps_integers=False,
)
_floor_divide = binary(
    "floor_divide", _refusing_zero(np.floor_divide), zero_rule, zero_rule, refuses="bc"
)
_trunc_divide = binary("div", _divide_trunc, zero_rule, zero_rule, refuses="bc")
_mod = binary(
    "remainder",
    _refusing_zero(np.remainder),
    lambda grad: grad,
    lambda grad, self, other: -grad * _floor_divide(self, other),
    refuses="bc",
)
entered("true_divide", _div)
entered("floor_divide", _floor_divide)
entered("remainder", _mod)
define(
    "fmod",
    _refusing_zero(np.fmod),
    lambda grad: grad,
    lambda grad, self, other: -grad * _trunc_divide(self, other),
    numbers="other",
    refuses="bc",
)
define(
    "atan2",
    np.arctan2,
    lambda grad, self, other: grad * other * _per_square(self, other),
    lambda grad, self, other: grad * -self * _per_square(self, other),
    keeps_integers=False,
    numbers="none",
    aliases=("arctan2",),
)
define(
    "hypot",
    np.hypot,
    lambda grad, self, result: grad * (self / result),
    lambda grad, other, result: grad * (other / result),
    numbers="none",
    refuses="iubc",
)
define(
    "copysign",
    np.copysign,
    _copysign_rule,
    zero_rule,
    keeps_integers=False,
    numbers="other",
)
define(
    "nextafter",
    np.nextafter,
    lambda grad, self, other: grad.masked_fill(self.eq(other), 0),
    zero_rule,
    numbers="none",
    refuses="iubc",
)
define("gcd", np.gcd, numbers="none")
define("lcm", np.lcm, numbers="none")


def _multiple(made: Function, first: Any, second: Any, alpha: Any) -> Tensor:
    """Add ``alpha * second`` to the first operand, or subtract it."""
    if type(alpha) is int and alpha == 1:
        return made(first, second)
    wanted = dtypes.result_type(first, second)
    kind_of_alpha = dtypes.result_type(alpha).kind
    if type(alpha) is bool and wanted.kind != dtypes.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if wanted.kind < dtypes.FLOAT <= kind_of_alpha:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    if wanted.kind < kind_of_alpha == dtypes.COMPLEX:
        raise RuntimeError(
            "For non-complex input tensors, argument alpha must not be a complex number."
        )
    alpha = bool(alpha) if wanted.kind == dtypes.BOOL else dtypes.held(alpha, wanted)
    return _sum_with(made, first, second, alpha)


@rounded_once
def _sum_with(made: Function, first: Any, second: Any, alpha: Any) -> Tensor:
    return made(first, second * alpha)


@op(inplace=True)
def add(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Compute ``input + alpha * other``."""
    result = _multiple(_add, input, other, alpha)
    return result if out is None else into(out, result)


@op(inplace=True, aliases=("subtract",))
def sub(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Compute ``input - alpha * other``."""
    result = _multiple(_sub, input, other, alpha)
    return result if out is None else into(out, result)


@op(method=False)
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Compute ``other - alpha * input``."""
    expect_tensors("rsub", input=input)
    return _multiple(_sub, other, input, alpha)


@op(inplace=True, aliases=("multiply",))
def mul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Compute ``input * other``."""
    result = _mul(input, other)
    return result if out is None else into(out, result)


@op(inplace=True, aliases=("divide",))
def div(
    input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """Divide; with ``rounding_mode`` "floor" or "trunc", round the quotient.

    Raises:
        RuntimeError: ``rounding_mode`` is invalid.
    """
    if rounding_mode not in (None, "trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    divide = {None: _div, "trunc": _trunc_divide, "floor": _floor_divide}[rounding_mode]
    result = divide(input, other)
    return result if out is None else into(out, result)


def _swapped(name: str, made: Function) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if not isinstance(self, Tensor):
            raise TypeError(f"'{name}' requires a 'Tensor' object, not '{type(self).__name__}'")
        return made(other, self)

    return named(operator, name)


def define_operators(table: dict[str, Function]) -> None:
    """Define operators on the tensor class: plain, reflected and in-place."""
    for name, made in table.items():
        setattr(Tensor, f"__{name}__", made)
        setattr(Tensor, f"__r{name}__", _swapped(f"__r{name}__", made))
        setattr(Tensor, f"__i{name}__", in_place(made, f"__i{name}__"))


define_operators(
    {
        "add": _add,
        "sub": _sub,
        "mul": _mul,
        "truediv": _div,
        "div": _div,
        "floordiv": _floor_divide,
        "mod": _mod,
    }
)
# As in PyTorch, the scalar is the second operand of these as well.
for _name, _made in {
    "__rmul__": lambda number, self: _mul(self, number),
    "__rtruediv__": lambda number, self: _mul(reciprocal(self), number),
    "__rdiv__": lambda number, self: _mul(reciprocal(self), number),
}.items():
    setattr(Tensor, _name, _swapped(_name, _made))


def _directly(name: str, ufunc: Callable[..., Any]) -> Callable[..., Tensor]:
    """Create an in-place variant that writes directly when nothing is recorded."""
    general = getattr(Tensor, name)
    known = {"alpha"} if ufunc in (np.add, np.subtract) else set()

    def variant(self: Tensor, other: Any, **options: Any) -> Tensor:
        alpha = options.get("alpha", 1)
        is_known = options.keys() <= known and type(alpha) in (int, float)
        # In half precision ``alpha * other`` must not be rounded before the sum.
        is_known = is_known and (alpha == 1 or self.array.dtype is not HALF)
        if not is_known or not _is_plain(self, other):
            return general(self, other, **options)
        check_writable(self)
        refuse_sources(self, other)
        values = getattr(other, "array", other)
        if self.array.dtype is HALF and ufunc in (np.multiply, np.true_divide):
            # The scalar keeps full precision; see ``Binary.keeps_scalars``.
            values = SINGLE.type(values) if type(values) in (int, float) else values
        try:
            ufunc(self.array, values if alpha == 1 else values * alpha, out=self.array)
        except ValueError:
            return general(self, other, **options)
        self.bump_version()
        return self

    return named(variant, name, general.__doc__)


def _is_plain(self: Tensor, other: Any) -> bool:
    """Return whether the dtypes are equal and nothing is recorded."""
    if not isinstance(self, Tensor) or self.array.dtype.kind not in "fc":
        return False
    if isinstance(other, Tensor):
        is_same = other.array.dtype is self.array.dtype
    else:
        is_same = type(other) in (int, float)
    is_recorded = state.enabled and (wants_gradient(self) or wants_gradient(other))
    return is_same and not is_recorded and not state.levels


for _operator, _ufunc in (
    ("add", np.add),
    ("sub", np.subtract),
    ("mul", np.multiply),
    ("div", np.true_divide),
):
    _variant = _directly(f"{_operator}_", _ufunc)
    setattr(Tensor, f"{_operator}_", _variant)
    setattr(Tensor, f"__i{'true' * (_operator == 'div')}{_operator}__", _variant)
    functions["torch"][f"{_operator}_"] = _variant
for _name, _unary in (("neg", "neg"), ("pos", "positive"), ("abs", "abs")):
    setattr(Tensor, f"__{_name}__", functions["torch"][_unary])

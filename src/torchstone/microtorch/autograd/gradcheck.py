"""Numerical gradient checking: gradcheck and gradgradcheck by central differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.gradients import grad
from torchstone.microtorch.autograd.node import wants_gradient
from torchstone.microtorch.tensor import Array, Tensor, wrap


class GradcheckError(RuntimeError):
    """Raised when a gradient differs from the numerical one."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
    **options: Any,
) -> bool:
    """Compare the Jacobian of backward with that of central differences.

    Args:
        func: Returns one tensor or several.
        inputs: Its arguments; those that require gradients are checked, in double precision.
        eps: Step size of the differences.
        atol: Absolute tolerance.
        rtol: Relative tolerance.
        raise_exception: Raise an error instead of returning False.
        nondet_tol: Maximum difference between two backward passes.
        check_undefined_grad: Not used: an output that no gradient reaches contributes none.
        check_batched_grad: Not used.
        fast_mode: Not used: every entry is checked.
        options: Not used.

    Raises:
        GradcheckError: A gradient differs.
    """
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    try:
        _check(func, arguments, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> None:
    checked = [each for each in inputs if wants_gradient(each)]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    outputs = _outputs(func, inputs)
    for number, output in enumerate(outputs):
        analytical = _analytical(output, checked)
        again = _analytical(output, checked)
        for place, tensor in enumerate(checked):
            if np.abs(analytical[place] - again[place]).max(initial=0.0) > nondet_tol:
                raise GradcheckError(f"backward of output {number} is not deterministic")
            numerical = _numerical(func, inputs, tensor, number, eps)
            if not np.allclose(analytical[place], numerical, rtol=rtol, atol=atol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {place},\n"
                    f"numerical:{wrap(numerical)}\nanalytical:{wrap(analytical[place])}\n"
                )


def _outputs(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Tensor]:
    results = func(*inputs)
    several = results if isinstance(results, tuple | list) else (results,)
    # If no output requires a gradient, all are checked: their derivatives must be zero.
    tensors = [each for each in several if isinstance(each, Tensor)]
    return [each for each in tensors if wants_gradient(each)] or tensors


def _analytical(output: Tensor, inputs: list[Tensor]) -> list[Array]:
    """Compute the Jacobian with respect to each input.

    Shapes:
        each: (elements of the input, elements of the output); complex elements count twice.
    """
    columns: list[list[Array]] = [[] for _ in inputs]
    like = _reals(output.array)
    for unit in np.eye(like.size, dtype=like.dtype):
        root = wrap(unit.view(output.array.dtype).reshape(output.shape))
        grads: Sequence[Tensor | None] = [None] * len(inputs)
        if wants_gradient(output):
            grads = grad(output, inputs, root, retain_graph=True, allow_unused=True)
        for column, tensor, each in zip(columns, inputs, grads, strict=True):
            column.append(_reals(np.zeros_like(tensor.array) if each is None else each.array))
    return [
        np.stack(column, axis=1) if column else np.zeros((_reals(tensor.array).size, 0))
        for column, tensor in zip(columns, inputs, strict=True)
    ]


def _reals(array: Array) -> Array:
    """Flatten an array to real numbers; complex elements become two."""
    flat = np.array(array, order="C").reshape(-1)
    return flat.view(flat.real.dtype)


def _numerical(
    func: Callable[..., Any], inputs: tuple[Any, ...], tensor: Tensor, number: int, eps: float
) -> Array:
    rows = []
    array = tensor.array
    for place in np.ndindex(array.shape):
        before = array[place].copy()
        for unit in (1, 1j) if array.dtype.kind == "c" else (1,):
            values = []
            for step in (eps, -eps):
                array[place] = before + step * unit
                values.append(_values(func, inputs, number))
            rows.append((values[0] - values[1]) / (2 * eps))
        array[place] = before
    return np.stack(rows) if rows else np.zeros((0, _values(func, inputs, number).size))


def _values(func: Callable[..., Any], inputs: tuple[Any, ...], number: int) -> Array:
    # The function must run with recording on, so that the same outputs are selected.
    return _reals(_outputs(func, inputs)[number].array)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    gen_non_contig_grad_outputs: bool = False,
    **options: Any,
) -> bool:
    """Compare second derivatives with central differences of the first ones."""
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    outputs = _outputs(func, arguments)
    if grad_outputs is None:
        random = np.random.default_rng(0)
        made = [
            wrap(random.standard_normal(each.shape).astype(each.array.dtype)) for each in outputs
        ]
        weights = [each.requires_grad_() for each in made]
    else:
        weights = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    count = len(arguments)

    def first_gradients(*both: Any) -> tuple[Tensor, ...]:
        given, sent = both[:count], both[count:]
        targets = [each for each in given if wants_gradient(each)]
        found = grad(
            _outputs(func, given), targets, list(sent), create_graph=True, allow_unused=True
        )
        return tuple(each for each in found if each is not None)

    return gradcheck(first_gradients, (*arguments, *weights), **options)

"""Functional derivatives: vjp, jvp, jacobian, hessian, as in ``torch.autograd.functional``.

Inputs and outputs are tensors or tuples of tensors, and so are the results. With ``create_graph``
the results can be differentiated in turn. With ``strict`` an output that does not depend on an
input is an error instead of a zero derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.microtorch.autograd.gradients import grad
from torchstone.microtorch.autograd.node import wants_gradient
from torchstone.microtorch.func import derivatives
from torchstone.microtorch.grad_mode import enable_grad, set_grad_enabled
from torchstone.microtorch.ops.namespace import named
from torchstone.microtorch.tensor import Tensor

Function = Callable[..., Any]
Tensors = Tensor | tuple[Tensor, ...]


def _tuple(value: Any, what: str, name: str) -> tuple[Tensor, ...]:
    """Normalize a tensor or a tuple of tensors to a tuple."""
    values = (value,) if isinstance(value, Tensor) else value
    if not isinstance(values, tuple) or not all(isinstance(each, Tensor) for each in values):
        raise TypeError(
            f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
            f"given {what} has type {type(value)}."
        )
    return values


def _vectors(v: Any, likes: tuple[Tensor, ...], source: str, *, is_single: bool) -> Any:
    """Check the vectors of a product; the default is 1 for a single-element tensor."""
    if v is None:
        if not is_single or likes[0].array.size != 1:
            raise RuntimeError(
                f"The vector v can only be None if {source} a single Tensor with a single element."
            )
        return (likes[0].new_ones(likes[0].array.shape),)
    vectors = _tuple(v, "v", "the function")
    if len(vectors) != len(likes):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(likes)} but got {len(vectors)}."
        )
    for vector, like in zip(vectors, likes, strict=True):
        if vector.array.shape != like.array.shape:
            raise RuntimeError(
                f"v has invalid size: should be {like.shape} but got {vector.shape}."
            )
    return vectors


_OF_INPUTS = "the input to the user-provided function is"
_OF_OUTPUTS = "the user-provided function returns"


def _refuse_constants(func: Function, inputs: tuple[Tensor, ...], name: str) -> None:
    """Raise an error for outputs that do not depend on every input."""
    with enable_grad():
        own = [each.detach().requires_grad_() for each in inputs]
        outputs = _tuple(func(*own), "outputs of the user-provided function", name)
        for number, output in enumerate(outputs):
            if not wants_gradient(output):
                raise RuntimeError(
                    f"Output {number} of the user-provided function does not require gradients. "
                    "The outputs must be computed in a differentiable manner from the input when "
                    "running in strict mode."
                )
            found = grad(output.sum(), own, retain_graph=True, allow_unused=True)
            for place, each in enumerate(found):
                if each is None:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input "
                        f"{place}. This is not allowed in strict mode."
                    )


def _read(func: Function, inputs: Tensors, name: str, strict: bool) -> tuple[Tensor, ...]:
    own = _tuple(inputs, "inputs", name)
    if strict:
        _refuse_constants(func, own, name)
    return own


def _scalar(func: Function, name: str) -> Function:
    """Wrap a function: check that its output has a single element, and reshape it to 0-d."""

    def checked(*args: Tensor) -> Tensor:
        output = func(*args)
        if not isinstance(output, Tensor) or output.array.size != 1:
            raise RuntimeError(
                f"The Tensor returned by the function given to {name} should contain a single "
                "element"
            )
        return output.reshape(())

    return checked


def vjp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs and the vector-Jacobian product."""
    own = _read(func, inputs, "vjp", strict)
    with set_grad_enabled(create_graph):

        def checked(*args: Tensor) -> Any:
            output = func(*args)
            _tuple(output, "outputs of the user-provided function", "vjp")
            return output

        output, back = derivatives.vjp(checked, *own)
        is_single = isinstance(output, Tensor)
        outputs = (output,) if is_single else output
        vectors = _vectors(v, outputs, _OF_OUTPUTS, is_single=is_single)
        found = back(vectors[0] if is_single else vectors)
    return output, found[0] if isinstance(inputs, Tensor) else found


def jvp(
    func: Function,
    inputs: Tensors,
    v: Tensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return the outputs and the Jacobian-vector product."""
    own = _read(func, inputs, "jvp", strict)
    vectors = _vectors(v, own, _OF_INPUTS, is_single=isinstance(inputs, Tensor))
    with set_grad_enabled(create_graph):
        return derivatives.jvp(func, own, vectors)


def jacobian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Compute the Jacobian of each output with respect to each input: (*output, *input).

    Args:
        func: The function.
        inputs: The point at which the Jacobian is computed.
        create_graph: Record the computation, so that the result can be differentiated.
        strict: Raise an error for outputs that are independent of an input.
        vectorize: Not used: all rows are computed at once.
        strategy: "reverse-mode", row by row, or "forward-mode", column by column.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
            "supported together. Please either set `strict=False` or `vectorize=False`."
        )
    own = _read(func, inputs, "jacobian", strict)
    transform: Any = derivatives.jacrev if strategy == "reverse-mode" else derivatives.jacfwd
    numbers = 0 if isinstance(inputs, Tensor) else tuple(range(len(own)))
    with set_grad_enabled(create_graph):
        return transform(func, numbers)(*own)


def hessian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Compute the Hessian of a scalar function, for each pair of inputs."""
    numbers = 0 if isinstance(inputs, Tensor) else tuple(range(len(inputs)))
    slope = derivatives.grad(_scalar(func, "hessian"), numbers)
    return jacobian(slope, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _of_hessian(name: str, what: str) -> Function:
    """Define a Hessian product; ``hvp`` and ``vhp`` are equal, because the Hessian is symmetric."""

    def product(
        func: Function,
        inputs: Tensors,
        v: Tensors | None = None,
        create_graph: bool = False,
        strict: bool = False,
    ) -> tuple[Any, Any]:
        own = _read(func, inputs, name, strict)
        vectors = _vectors(v, own, _OF_INPUTS, is_single=isinstance(inputs, Tensor))
        slope = derivatives.grad_and_value(_scalar(func, name), tuple(range(len(own))))
        with set_grad_enabled(create_graph):
            _, back, value = derivatives.vjp(slope, *own, has_aux=True)
            found = back(vectors)
        return value, found[0] if isinstance(inputs, Tensor) else found

    return named(product, name, what)


hvp = _of_hessian("hvp", "Return the output, and the product of the Hessian and a vector.")
vhp = _of_hessian("vhp", "Return the output, and the product of a vector and the Hessian.")

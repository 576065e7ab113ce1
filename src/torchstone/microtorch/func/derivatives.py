"""Derivative transforms: grad, vjp, jvp, jacrev, jacfwd, hessian, linearize."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.func.graph import Variables, gradients, is_watched, released, variables
from torchstone.microtorch.func.tree import flatten, shown, unflatten
from torchstone.microtorch.func.vmap import vmap
from torchstone.microtorch.grad_mode import enable_grad
from torchstone.microtorch.ops.namespace import functions
from torchstone.microtorch.tensor import Tensor, wrap

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


def _chosen(argnums: Argnums, args: Sequence[Any]) -> Any:
    """Return the arguments with respect to which a function is differentiated."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    for each in numbers:
        if not isinstance(each, int):
            raise RuntimeError(f"argnums elements must be int, got {type(each)}")
        if not -len(args) <= each < len(args):
            raise RuntimeError(f"Got argnum={each}, but only {len(args)} positional inputs")
    if len({each % len(args) for each in numbers}) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    chosen = tuple(args[each] for each in numbers)
    return chosen[0] if isinstance(argnums, int) else chosen


def _with(args: Sequence[Any], argnums: Argnums, values: Any) -> list[Any]:
    """Replace the arguments selected by ``argnums`` by other values."""
    replaced = list(args)
    pairs = ((argnums, values),) if isinstance(argnums, int) else zip(argnums, values, strict=True)
    for number, value in pairs:
        replaced[number] = value
    return replaced


def _split(result: Any, has_aux: bool, where: str) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def _called(
    func: Function, argnums: Argnums, args: Any, kwargs: Any, has_aux: bool, where: str
) -> tuple[Variables, Any, Any, Any]:
    """Call a function on variables; return these, their structure, the output and the aux."""
    leaves, spec = flatten(_chosen(argnums, args))
    inputs = variables(leaves)
    own = _with(args, argnums, unflatten(inputs.seen, spec))
    with enable_grad():
        output, aux = _split(func(*own, **kwargs), has_aux, where)
    return inputs, spec, output, aux


def _tensors(output: Any, where: str) -> tuple[list[Tensor], Any]:
    """Flatten the outputs of a function, checking that all are tensors."""
    leaves, spec = flatten(output)
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{where}: expected f(*primals) to return only tensors, got unsupported type "
                f"{type(each)}"
            )
    return leaves, spec


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of ``func`` and its value.

    Args:
        func: Returns a 0-d tensor.
        argnums: Which arguments to differentiate by; a tuple gives a tuple of gradients.
        has_aux: ``func`` returns a pair, of which only the first element is differentiated.
    """
    where = "grad_and_value(f)(*args)"

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        inputs, spec, output, aux = _called(func, argnums, args, kwargs, has_aux, where)
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{where}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.array.ndim:
            raise RuntimeError(
                f"{where}: Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        is_kept = is_watched([output], inputs)
        one = wrap(np.ones((), output.array.dtype))
        found = gradients([output], inputs, [one], create_graph=is_kept)
        value = released((output, aux) if has_aux else output, is_kept=is_kept)
        return unflatten(found, spec), value

    return wrapper


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of ``func``; see ``grad_and_value``."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Compute ``func`` and return its vector-Jacobian product as a function.

    Returns:
        The output; the function that maps output cotangents to input cotangents; with ``has_aux``
        the auxiliary output.
    """
    where, everything = "vjp(f, *primals)", tuple(range(len(primals)))
    inputs, spec, output, aux = _called(func, everything, primals, {}, has_aux, where)
    outputs, shape = _tensors(output, where)
    is_kept = is_watched(outputs, inputs)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: Any = None) -> Any:
        flows, got = flatten(cotangents)
        if got != shape:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of "
                f"outputs to the function. cotangents: {shown(got)}, primal output: {shown(shape)}"
            )
        for number, (each, flow) in enumerate(zip(outputs, flows, strict=True)):
            if each.array.shape != flow.array.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{number}] has a shape of {flow.shape} and "
                    f"output[{number}] has a shape of {each.shape}."
                )
        recorded = create_graph or is_watched([*outputs, *flows], inputs)
        return unflatten(gradients(outputs, inputs, flows, create_graph=recorded), spec)

    value, more = released((output, aux), is_kept=is_kept)
    return (value, vjp_fn, more) if has_aux else (value, vjp_fn)


class _Linearized:
    """Linear map of tangents that approximates a function near a point.

    The vector-Jacobian product is linear in its cotangents; its own vector-Jacobian product is the
    Jacobian-vector product. (Townsend, A new trick for calculating Jacobian vector products, 2017.)
    """

    def __init__(self, outputs: list[Tensor], inputs: Variables) -> None:
        self.outputs, self.inputs = outputs, inputs
        self.duals = variables([functions["torch"]["zeros_like"](each) for each in outputs])
        with enable_grad():
            self.back = gradients(outputs, inputs, self.duals.seen, create_graph=True)

    def __call__(self, tangents: Sequence[Tensor]) -> list[Tensor]:
        """Return the tangents of the outputs."""
        recorded = is_watched([*self.outputs, *tangents], self.inputs)
        return gradients(self.back, self.duals, tangents, create_graph=recorded)


def jvp(
    func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """Compute ``func`` and its Jacobian-vector product with tangents of its inputs.

    Returns:
        The output; its tangent; with ``has_aux`` the auxiliary output.
    """
    where = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{where}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    (leaves, spec), (steps, got) = flatten(primals), flatten(tangents)
    if spec != got:
        raise RuntimeError(
            f"{where}: Expected primals and tangents to have the same python structure. For "
            "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with "
            f"structure {shown(spec)} and tangents with structure {shown(got)}"
        )
    inputs = variables(leaves)
    for each, step in zip(inputs.seen, steps, strict=True):
        if each.array.shape != step.array.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the "
                f"original Tensor, this is not supported. Tensor is of size {list(each.shape)} "
                f"while the given forward gradient is of size {list(step.shape)}."
            )
    with enable_grad():
        output, aux = _split(func(*unflatten(inputs.seen, spec)), has_aux, where)
    outputs, shape = _tensors(output, where)
    slope = unflatten(_Linearized(outputs, inputs)(steps), shape)
    value, more = released((output, aux), is_kept=is_watched(outputs, inputs))
    return (value, slope, more) if has_aux else (value, slope)


def jacrev(
    func: Function,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Function:
    """Return a function that computes the Jacobian of ``func`` in reverse mode, row by row.

    Args:
        func: Returns a tensor, or a tree of tensors.
        argnums: Which arguments to differentiate by.
        has_aux: ``func`` returns a pair, of which only the first element is differentiated.
        chunk_size: Number of rows computed at once; all by default.

    Shapes:
        -> (*output, *input): a tree of outputs whose leaves are trees of arguments.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def rows(outputs: list[Tensor], inputs: Variables, is_kept: bool) -> list[list[Tensor]]:
        def of(output: Tensor) -> list[Tensor]:
            def row(flow: Tensor) -> list[Tensor]:
                return gradients([output], inputs, [flow], create_graph=is_kept)

            return [
                each.reshape(*output.array.shape, *seen.array.shape)
                for each, seen in zip(
                    _over_basis(row, output, chunk_size), inputs.seen, strict=True
                )
            ]

        return [of(output) for output in outputs]

    return _jacobian(func, argnums, has_aux, rows, "vjp(f, *primals)")


def jacfwd(
    func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Function:
    """Return a function that computes the Jacobian of ``func`` in forward mode, column by column.

    ``func`` is called once, outside ``vmap``, so ``randomness`` has no effect.

    Shapes:
        -> (*output, *input): a tree of outputs whose leaves are trees of arguments.
    """

    def columns(outputs: list[Tensor], inputs: Variables, is_kept: bool) -> list[list[Tensor]]:
        linearized = _Linearized(outputs, inputs)
        zeros = [functions["torch"]["zeros_like"](each) for each in inputs.seen]
        made = []
        for place, each in enumerate(inputs.seen):

            def column(step: Tensor, place: int = place) -> list[Tensor]:
                return linearized([*zeros[:place], step, *zeros[place + 1 :]])

            found = _over_basis(column, each, None)
            made.append(
                [
                    one.movedim(0, -1).reshape(*output.array.shape, *each.array.shape)
                    for one, output in zip(found, outputs, strict=True)
                ]
            )
        return [list(row) for row in zip(*made, strict=True)]

    return _jacobian(func, argnums, has_aux, columns, "jvp(f, primals, tangents)")


def _over_basis(
    function: Callable[[Tensor], list[Tensor]], like: Tensor, chunk_size: int | None
) -> list[Tensor]:
    """Apply a function to all basis tensors of a shape, in one batch.

    Shapes:
        -> (like.numel(), *any) each
    """
    size, shape = like.array.size, like.array.shape
    basis = wrap(np.eye(size, dtype=like.array.dtype).reshape(size, *shape))
    if not size:
        zero = wrap(np.zeros(shape, like.array.dtype))
        return [each.new_zeros((0, *each.array.shape)) for each in function(zero)]
    return vmap(function, chunk_size=chunk_size)(basis)


def _jacobian(
    func: Function, argnums: Argnums, has_aux: bool, compute: Callable[..., Any], where: str
) -> Function:
    """Create the function that computes a Jacobian in forward or reverse mode."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        inputs, spec, output, aux = _called(func, argnums, args, kwargs, has_aux, where)
        outputs, shape = _tensors(output, where)
        is_kept = is_watched(outputs, inputs)
        found = compute(outputs, inputs, is_kept)
        tree = unflatten([unflatten(row, spec) for row in found], shape)
        return (tree, released(aux, is_kept=is_kept)) if has_aux else tree

    return wrapper


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """Return a function that computes the Hessian: forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """Compute ``func`` and return its Jacobian-vector product as a function of the tangents."""
    where, everything = "linearize(f, *primals)", tuple(range(len(primals)))
    inputs, spec, output, _ = _called(func, everything, primals, {}, False, where)
    outputs, shape = _tensors(output, where)
    linearized = _Linearized(outputs, inputs)

    def jvp_fn(*tangents: Any) -> Any:
        steps, got = flatten(tangents)
        if got != spec:
            raise RuntimeError(
                f"Expected the tangents {shown(got)} to have the same structure as the primals "
                f"{shown(spec)}"
            )
        return unflatten(linearized(steps), shape)

    return released(output, is_kept=is_watched(outputs, inputs)), jvp_fn

"""Tensor contraction: einsum, tensordot, inner, kron, cross, multi_dot, chain_matmul."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from torchstone.microtorch.ops.broadcasting import broadcast_error
from torchstone.microtorch.ops.matmul import bmm, conjugate, expect_factors, mm
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import count_of
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim

# Labels of the dimensions covered by an ellipsis, counted from the last one; at most 64.
_ELLIPSIS = tuple(range(-1, -65, -1))
Labels = list[str | int]


@op(method=False)
def einsum(*args: Any) -> Tensor:
    """Compute a sum of products in Einstein notation.

    Shapes:
        "bij,bjk->bik": (b, i, j), (b, j, k) -> (b, i, k). "..." covers any dimensions, which
        broadcast. Without "->" the result has the labels that occur once, in alphabetical order.

    Raises:
        RuntimeError: The equation is invalid, or does not match the tensors.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    equation, operands = (args[0], args[1:]) if isinstance(args[0], str) else _of_sublists(args)
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    if not operands:
        raise RuntimeError("einsum(): must provide at least one operand")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(
            f"einsum(): {'fewer' if len(operands) > len(terms) else 'more'} subscripts in the "
            f"equation than operands: {len(terms)} and {len(operands)}"
        )
    inputs = [_labels(term, each.array.ndim) for term, each in zip(terms, operands, strict=True)]
    given = {label for each in inputs for label in each}
    output = _output_labels(right, inputs) if arrow else _implicit_labels(inputs)
    if len(set(output)) != len(output) or not given.issuperset(output):
        raise RuntimeError(
            f"einsum(): the output subscripts {right} name a dimension twice, or one that no "
            "operand has"
        )
    return _contract(list(operands), inputs, output)


def _of_sublists(args: Sequence[Any]) -> tuple[str, tuple[Tensor, ...]]:
    """Convert ``(a, [0, 1], b, [1, 2], [0, 2])`` to an equation and operands."""

    def term(sublist: Sequence[Any]) -> str:
        if any(each is not Ellipsis and not 0 <= each < 52 for each in sublist):
            raise RuntimeError(
                f"einsum(): expected subscripts to be within the range [0, 52): {sublist}"
            )
        return "".join("..." if each is Ellipsis else _alphabet[each] for each in sublist)

    pairs = len(args) // 2
    equation = ",".join(term(each) for each in args[1 : 2 * pairs : 2])
    if len(args) % 2:
        equation += "->" + term(args[-1])
    return equation, tuple(args[0 : 2 * pairs : 2])


_alphabet = ascii_letters[26:] + ascii_letters[:26]


def _labels(term: str, ndim: int) -> Labels:
    """Return a label for every dimension of an operand."""
    before, dots, after = term.partition("...")
    if not all(each in ascii_letters for each in before + after):
        raise RuntimeError(f"einsum(): invalid subscript given in {term!r}, must be in [a-zA-Z]")
    hidden = ndim - len(before) - len(after)
    if hidden < 0 or (hidden and not dots):
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(before) + len(after)}) "
            f"does not match the number of dimensions ({ndim}) for an operand"
        )
    return [*before, *reversed(_ELLIPSIS[:hidden]), *after]


def _hidden(inputs: Sequence[Labels]) -> Labels:
    """Return the labels of the dimensions covered by ellipses."""
    found: set[int] = {label for each in inputs for label in each if isinstance(label, int)}
    return [*sorted(found)]


def _output_labels(term: str, inputs: Sequence[Labels]) -> Labels:
    before, dots, after = term.partition("...")
    return [*before, *(_hidden(inputs) if dots else ()), *after]


def _implicit_labels(inputs: Sequence[Labels]) -> Labels:
    letters = [label for each in inputs for label in each if isinstance(label, str)]
    return [*_hidden(inputs), *sorted(each for each in set(letters) if letters.count(each) == 1)]


def _contract(operands: list[Tensor], inputs: list[Labels], output: Labels) -> Tensor:
    """Multiply from left to right, summing over a dimension with its last operand."""
    summed = list(dict.fromkeys(x for each in inputs for x in each if x not in output))
    order = [*output, *summed]
    last = {label: n for n, each in enumerate(inputs) for label in each}
    aligned = [_align(each, labels, order) for each, labels in zip(operands, inputs, strict=True)]
    result = aligned[0]
    for number, operand in enumerate(aligned):
        dims = [d for d, x in enumerate(order) if d >= len(output) and last[x] == number]
        if number:
            result = _multiply_and_sum(result, operand, dims)
        elif dims:
            result = result.sum(dims, keepdim=True)
    return result.reshape(result.array.shape[: len(output)])


def _align(operand: Tensor, labels: Labels, order: Labels) -> Tensor:
    """Align an operand to all dimensions in one order; missing ones get size 1."""
    labels = list(labels)
    for label in [each for each in dict.fromkeys(labels) if labels.count(each) > 1]:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            sizes = operand.array.shape[first], operand.array.shape[second]
            if sizes[0] != sizes[1]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for an operand but the sizes don't "
                    f"match, {sizes[1]} != {sizes[0]}"
                )
            operand = operand.diagonal(dim1=first, dim2=second)
            labels = [each for n, each in enumerate(labels) if n not in (first, second)] + [label]
    operand = operand.permute([labels.index(each) for each in order if each in labels])
    sizes = iter(operand.array.shape)
    return operand.reshape([next(sizes) if each in labels else 1 for each in order])


def _multiply_and_sum(a: Tensor, b: Tensor, dims: list[int]) -> Tensor:
    """Multiply two broadcastable tensors and sum over some dimensions, as one batched product.

    Shapes:
        a, b: (*shape) with equal ndim -> the broadcast shape, with size 1 in the summed dimensions.
    """
    both: list[int] = []
    only_a: list[int] = []
    only_b: list[int] = []
    inner: list[int] = []
    lone_a: list[int] = []
    lone_b: list[int] = []
    for dim, (size_a, size_b) in enumerate(zip(a.array.shape, b.array.shape, strict=True)):
        if size_a != size_b and 1 not in (size_a, size_b):
            raise RuntimeError(
                f"einsum(): subscript has size {size_b} for an operand which does not broadcast "
                f"with previously seen size {size_a}"
            )
        if dim in dims and size_a != 1 != size_b:
            inner.append(dim)
        elif dim in dims:
            (lone_a if size_b == 1 else lone_b).append(dim)
            only_a.append(dim)
        else:
            (only_a if size_b == 1 else only_b if size_a == 1 else both).append(dim)
    a = a.sum(lone_a, keepdim=True) if lone_a else a
    b = b.sum(lone_b, keepdim=True) if lone_b else b
    order = [*both, *only_a, *only_b, *inner]
    shape_a, shape_b = a.array.shape, b.array.shape
    count, depth = count_of(shape_a, both), count_of(shape_a, inner)
    rows = a.permute(order).reshape(count, count_of(shape_a, only_a), depth)
    columns = b.permute([*both, *only_a, *inner, *only_b])
    columns = columns.reshape(count, depth, count_of(shape_b, only_b))
    sizes = [1 if dim in inner else (shape_b if dim in only_b else shape_a)[dim] for dim in order]
    back = np.argsort(order).tolist()
    return bmm(rows, columns).reshape(sizes).permute(back)


@op(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Contract dimensions of two tensors; by default the last of ``a`` with the first of ``b``.

    Args:
        a: The first factor.
        b: The second factor.
        dims: The number of dimensions, or two lists: those of ``a`` and those of ``b``.
        out: The output tensor.
    """
    of_a, of_b = _contracted(a, b, dims)
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    for one, other in zip(of_a, of_b, strict=True):
        size_a, size_b = a.array.shape[one], b.array.shape[other]
        if size_a == 1 != size_b:
            b = b.sum(other, keepdim=True)
        elif size_b == 1 != size_a:
            a = a.sum(one, keepdim=True)
        elif size_a != size_b:
            raise RuntimeError(
                "contracted dimensions need to match, but first has size "
                f"{size_a} in dim {one} and second has size {size_b} in dim {other}"
            )
    shape_a, shape_b = a.array.shape, b.array.shape
    kept_a = [dim for dim in range(a.array.ndim) if dim not in of_a]
    kept_b = [dim for dim in range(b.array.ndim) if dim not in of_b]
    depth = count_of(shape_a, of_a)
    sizes = [shape_a[dim] for dim in kept_a], [shape_b[dim] for dim in kept_b]
    rows = a.permute([*kept_a, *of_a]).reshape(math.prod(sizes[0]), depth)
    columns = b.permute([*of_b, *kept_b]).reshape(depth, math.prod(sizes[1]))
    return into(out, mm(rows, columns).reshape([*sizes[0], *sizes[1]]))


def _contracted(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.array.ndim, b.array.ndim):
            raise RuntimeError(
                "tensordot expects dims < ndim_a or ndim_b, but got "
                f"dims={dims}, ndim_a={a.array.ndim} and ndim_b={b.array.ndim}"
            )
        return list(range(a.array.ndim - dims, a.array.ndim)), list(range(dims))
    first, second = ([each] if isinstance(each, int) else each for each in dims)
    return (
        [wrap_dim(each, a.array.ndim) for each in first],
        [wrap_dim(each, b.array.ndim) for each in second],
    )


@op()
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the inner product along the last dimensions."""
    if not input.array.ndim or not other.array.ndim:
        result: Tensor = input * other
    elif input.array.shape[-1] != other.array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    else:
        result = tensordot(input, other, dims=([-1], [-1]))
    return into(out, result)


@op()
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the Kronecker product."""
    ndim = max(input.array.ndim, other.array.ndim)
    first = (1,) * (ndim - input.array.ndim) + input.array.shape
    second = (1,) * (ndim - other.array.ndim) + other.array.shape
    spread = [size for each in first for size in (each, 1)]
    packed = [size for each in second for size in (1, each)]
    product = input.reshape(spread) * other.reshape(packed)
    return into(out, product.reshape([a * b for a, b in zip(first, second, strict=True)]))


def _cross_of_first(grad: Tensor, other: Tensor, dim: int) -> Any:
    return _cross(conjugate(other), grad, dim)


def _cross_of_second(grad: Tensor, self: Tensor, dim: int) -> Any:
    return _cross(grad, conjugate(self), dim)


@primitive(self=_cross_of_first, other=_cross_of_second)
def _cross(self: Array, other: Array, dim: int) -> Array:
    return np.ascontiguousarray(np.cross(self, other, axis=dim))


@op("linalg", name="cross")
def linalg_cross(
    input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None
) -> Tensor:
    """Return the cross product of vectors of three elements, along a dimension."""
    if input.array.ndim != other.array.ndim:
        raise RuntimeError(
            "linalg.cross: inputs must have the same number of dimensions, but got "
            f"{input.array.ndim} and {other.array.ndim}"
        )
    place = wrap_dim(dim, input.array.ndim)
    if input.array.shape[place] != 3 or other.array.shape[place] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got "
            f"{input.array.shape[place]} and {other.array.shape[place]}"
        )
    try:
        result: Tensor = _cross(input, other, place)
    except ValueError:
        raise broadcast_error(input.array.shape, other.array.shape) from None
    return into(out, result)


@op()
def cross(
    input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the cross product; ``dim`` is by default the first dimension of size 3."""
    if dim is None:
        if 3 not in input.array.shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input.array.shape.index(3)
    return linalg_cross(input, other, dim=dim, out=out)


@op("linalg")
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Multiply two or more matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors.

    Source:
        Cormen et al., Introduction to Algorithms (2022), section 14.2.
    """
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0], tensors[-1]
    matrices = list(tensors)
    if first.array.ndim == 1:
        matrices[0] = first.unsqueeze(0)
    if last.array.ndim == 1:
        matrices[-1] = last.unsqueeze(1)
    for number, each in enumerate(matrices):
        if each.array.ndim != 2:
            raise RuntimeError(
                f"multi_dot(): tensor {number} must be 2D but got {each.array.ndim}D"
            )
    for before, after in itertools.pairwise(matrices):
        expect_factors(before.array.shape, after.array.shape)
    splits = _best_splits([matrices[0].array.shape[0], *[each.array.shape[1] for each in matrices]])
    result = _multiply_chain(matrices, splits, 0, len(matrices) - 1)
    if last.array.ndim == 1:
        result = result.squeeze(-1)
    if first.array.ndim == 1:
        result = result.squeeze(0)
    return into(out, result)


def _best_splits(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return, for each range of matrices, the index after which to split it."""
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            tried = [
                (costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            costs[i, j], splits[i, j] = min(tried)
    return splits


def _multiply_chain(
    matrices: list[Tensor], splits: dict[tuple[int, int], int], i: int, j: int
) -> Tensor:
    if i == j:
        return matrices[i]
    k = splits[i, j]
    return mm(_multiply_chain(matrices, splits, i, k), _multiply_chain(matrices, splits, k + 1, j))


@op(method=False)
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """Multiply matrices in the order that takes the fewest multiplications."""
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices, out=out)

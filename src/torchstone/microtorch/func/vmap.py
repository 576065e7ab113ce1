"""``vmap``: vectorize a function over a batch dimension."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torchstone.microtorch.func.batched import is_over, lift, lower
from torchstone.microtorch.func.levels import Mapping
from torchstone.microtorch.func.tree import flatten, leaves_of, shown, spread, unflatten
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.tensor import Tensor, wrap_dim

Dims = Any


def vmap(
    func: Callable[..., Any],
    in_dims: Dims = 0,
    out_dims: Dims = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that maps ``func`` over a dimension of its inputs.

    Args:
        func: Takes and returns tensors, or trees of tensors.
        in_dims: For each input the dimension to map over; None for an input that all examples
            share. A single value applies to all inputs, or to the whole subtree below it.
        out_dims: The position of the mapped dimension in each output.
        randomness: Random numbers in ``func`` raise an "error", are "different" for each example,
            or the "same" for all.
        chunk_size: Number of examples computed at once; all by default.

    Raises:
        RuntimeError: ``randomness`` is invalid.
        ValueError: ``chunk_size`` is not positive.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = flatten(args)
        dims = _in_dims(_name(func), in_dims, leaves, spec)
        size = _size(leaves, dims)
        step = size if chunk_size is None else chunk_size
        chunks = []
        for start in range(0, size, step) if size > step else (0,):
            part = min(step, size - start)
            inputs = [
                each if dim is None or part == size else each.narrow(dim, start, part)
                for each, dim in zip(leaves, dims, strict=True)
            ]
            with Mapping(part, randomness) as level:
                batch = [
                    each if dim is None else lift(each.movedim(dim, 0), level)
                    for each, dim in zip(inputs, dims, strict=True)
                ]
                output = func(*unflatten(batch, spec), **kwargs)
                chunks.append(_outputs(_name(func), output, out_dims, level))
        return _joined(chunks)

    return mapped


def _name(func: Any) -> str:
    return getattr(func, "__name__", None) or repr(func)


def _in_dims(name: str, in_dims: Dims, leaves: Sequence[Any], spec: Any) -> list[int | None]:
    """Return the mapped dimension of each leaf of the inputs."""
    where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, int | tuple | list | dict):
        raise ValueError(
            f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the "
            f"structure of inputs, got: {type(in_dims)}."
        )
    if not leaves:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
            "trying to vmap over a function with no inputs. The latter is unsupported."
        )
    dims = spread(tuple(in_dims) if isinstance(in_dims, list) else in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {shown(flatten(in_dims)[1])} but inputs has structure {shown(spec)}."
        )
    return [_in_dim(where, *each) for each in zip(leaves, dims, strict=True)]


def _in_dim(where: str, leaf: Any, dim: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension "
            "or None."
        )
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{where}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We "
            "cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    ndim = leaf.array.ndim
    if not -ndim <= dim < ndim:
        raise ValueError(
            f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
            f"{ndim} so expected in_dim to satisfy -{ndim} <= in_dim < {ndim}."
        )
    return dim % ndim


def _size(leaves: Sequence[Any], dims: Sequence[int | None]) -> int:
    sizes = [
        each.array.shape[dim] for each, dim in zip(leaves, dims, strict=True) if dim is not None
    ]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]


def _outputs(name: str, output: Any, out_dims: Dims, level: Mapping) -> tuple[Any, Any, Any]:
    """Move the mapped dimension of the outputs to its requested position.

    Returns:
        The leaves; their dimensions; the structure.
    """
    leaves, spec = flatten(output)
    where = f"vmap({name}, ..., out_dims={out_dims})"
    if any(each is not None and not isinstance(each, int) for each in leaves_of(out_dims)):
        raise ValueError(
            f"{where}: `out_dims` must be an int, None or a python collection of ints representing "
            "where in the outputs the vmapped dimension should appear."
        )
    if len(leaves) == 1 and isinstance(output, Tensor) and isinstance(out_dims, tuple):
        out_dims = out_dims[0] if len(out_dims) == 1 else out_dims
    dims = spread(tuple(out_dims) if isinstance(out_dims, list) else out_dims, spec)
    if dims is None:
        raise ValueError(
            f"{where}(<inputs>): out_dims is not compatible with the structure of `outputs`. "
            f"out_dims has structure {shown(flatten(out_dims)[1])} but outputs has structure "
            f"{shown(spec)}."
        )
    return [_out(name, *each, level) for each in zip(leaves, dims, strict=True)], dims, spec


def _out(name: str, leaf: Any, dim: int | None, level: Mapping) -> Any:
    if dim is None:
        if is_over(leaf, level):
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return leaf
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. Did you "
            "mean to set out_dims= to None for output?"
        )
    return lower(leaf, level).movedim(0, wrap_dim(dim, leaf.array.ndim + 1))


def _joined(chunks: Sequence[tuple[Any, Any, Any]]) -> Any:
    leaves, dims, spec = chunks[0]
    if len(chunks) > 1:
        columns = zip(*(each[0] for each in chunks), strict=True)
        leaves = [
            column[0] if dim is None else cat(column, dim)
            for column, dim in zip(columns, dims, strict=True)
        ]
    return unflatten(leaves, spec)

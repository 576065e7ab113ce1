"""``export``: write a model as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from torchstone.microtorch.nn import Module
from torchstone.microtorch.onnx import protobuf
from torchstone.microtorch.onnx.graph import ExportError, Graph
from torchstone.microtorch.onnx.sizes import Sizes, resolve
from torchstone.microtorch.onnx.tracing import named, trace
from torchstone.microtorch.tensor import Array, wrap_dim

OPSETS = range(18, 23)
# Input name -> dimension -> name of the dynamic size.
Axes = Mapping[str, Mapping[int, str]]


def export(
    model: Module,
    args: Any = (),
    f: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]] | None = None,
    **ignored: Any,
) -> None:
    """Export a model in evaluation mode as an ONNX file.

    The model runs several times: with the given inputs, with other values, and with other sizes if
    some are dynamic; its operations are recorded. Operations that ONNX can't express are an error,
    and so are values that depend on the inputs without a recorded operation.

    Args:
        model: The model.
        args: A tensor, or a tuple of arguments; tensors are inputs, other values constants.
        f: A path, or a file opened for writing bytes.
        kwargs: Keyword arguments of the model.
        input_names: The names of the inputs.
        output_names: The names of the results.
        opset_version: The version of the operator set, from 18 to 22.
        dynamic_axes: Input name -> dimensions of variable size, with names; equal names are equal
            sizes. Unnamed dimensions are called ``dim_0`` and so on.
        ignored: ``export_params``, ``do_constant_folding``, ``verbose``, ``dynamo``.

    Raises:
        ExportError: The model can't be exported.
    """
    unknown = ignored.keys() - {"export_params", "do_constant_folding", "verbose", "dynamo"}
    if unknown:
        raise TypeError(f"onnx.export() got an unexpected argument {sorted(unknown)[0]!r}")
    opset = OPSETS[0] if opset_version is None else opset_version
    if opset not in OPSETS:
        raise ValueError(f"onnx.export: opset_version is 18 to 22, not {opset_version}")
    if f is None:
        raise TypeError("onnx.export: f, a path or a file, is where the model is written")
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    args, named_args, inputs = named(args, kwargs or {}, input_names or ())
    axes = _named_axes(dynamic_axes or {}, inputs, output_names or ())
    sizes, sources = _dynamic(axes, inputs)
    graphs = _runs(model, args, named_args, inputs, axes, sizes)
    shapes = [
        sizes.shape(name, [graph.results[place].shape for graph in graphs])
        for place, name in enumerate(graphs[0].outputs)
    ]
    graph = resolve(graphs, sizes, sources)
    blob = _written(graph, inputs, shapes, output_names or (), opset, axes)
    if isinstance(f, str | os.PathLike):
        Path(f).write_bytes(blob)
    else:
        f.write(blob)


def _runs(
    model: Module, args: Any, kwargs: Any, inputs: Mapping[str, Array], axes: Axes, sizes: Sizes
) -> list[Graph]:
    """Run the model with all sizes and record its operations."""
    was_training = [(module, module.training) for module in model.modules()]
    model.eval()
    graphs: list[Graph] = []
    try:
        for number, run in enumerate(sizes.runs):
            wanted = dict(zip(sizes.names, run.tolist(), strict=True))
            changed = _changed(inputs, axes, wanted)
            if number > len(sizes.names):
                changed = _others(changed, is_last=number == len(sizes.runs) - 1)
            try:
                graphs.append(trace(model, args, kwargs, changed))
            except (RuntimeError, ValueError, TypeError, IndexError) as error:
                if not graphs or isinstance(error, ExportError):
                    raise
                sized = f" of the sizes {wanted}" if wanted else ""
                raise ExportError(f"the model fails with other inputs{sized}: {error}") from error
    finally:
        for module, training in was_training:
            module.training = training
    return graphs


def _named_axes(
    given: Mapping[str, Mapping[int, str] | Sequence[int]],
    inputs: Mapping[str, Array],
    output_names: Sequence[str],
) -> Axes:
    """Return the name of each dynamic dimension, with dimensions non-negative."""
    axes: dict[str, dict[int, str]] = {name: {} for name in inputs}
    for name, dims in given.items():
        if name not in inputs:
            # Dynamic dimensions of outputs are inferred.
            if name not in output_names:
                raise ValueError(f"onnx.export: dynamic_axes names {name!r}, which is no input")
            continue
        ndim = inputs[name].ndim
        symbols = dims if isinstance(dims, Mapping) else {dim: f"dim_{dim}" for dim in dims}
        axes[name] = {wrap_dim(dim, ndim): symbol for dim, symbol in symbols.items()}
    return axes


def _dynamic(axes: Axes, inputs: Mapping[str, Array]) -> tuple[Sizes, dict[str, tuple[str, int]]]:
    """Return the dynamic sizes, and the first input and dimension that has each."""
    sources: dict[str, tuple[str, int]] = {}
    given: dict[str, int] = {}
    for name, symbols in axes.items():
        for dim, symbol in symbols.items():
            size = inputs[name].shape[dim]
            if given.setdefault(symbol, size) != size:
                raise ValueError(
                    f"onnx.export: dynamic_axes gives one name, {symbol!r}, to sizes of "
                    f"{given[symbol]} and {size}"
                )
            sources.setdefault(symbol, (name, dim))
    return Sizes(given), sources


def _changed(inputs: Mapping[str, Array], axes: Axes, sizes: Mapping[str, int]) -> dict[str, Array]:
    """Return the inputs with other sizes."""
    changed = {}
    for name, array in inputs.items():
        for dim, symbol in axes[name].items():
            places = np.arange(sizes[symbol]) % max(array.shape[dim], 1)
            array = np.take(array, places, dim)
        changed[name] = array
    return changed


def _others(inputs: Mapping[str, Array], *, is_last: bool) -> dict[str, Array]:
    """Return the inputs with other values: first permuted and negated, then random."""
    rng = np.random.default_rng(int(is_last))
    return {name: _other_values(array, rng, is_last) for name, array in inputs.items()}


def _other_values(array: Array, rng: np.random.Generator, is_any: bool) -> Array:
    if array.dtype.kind in "iub":
        # Integers may be indices, so they stay within the observed range.
        low, high = int(array.min(initial=0)), int(array.max(initial=1))
        other: Any = rng.integers(low, high, array.shape, endpoint=True)
    elif is_any:
        other = rng.normal(0, 3 * np.abs(array).max(initial=1), array.shape)
    else:
        other = -rng.permutation(array.reshape(-1)).reshape(array.shape)
    return np.asarray(other, array.dtype)


def _written(
    graph: Graph,
    inputs: Mapping[str, Array],
    shapes: Sequence[Any],
    output_names: Sequence[str],
    opset: int,
    axes: Axes,
) -> bytes:
    if len(output_names) > len(graph.outputs):
        raise ValueError(
            f"onnx.export: there are {len(output_names)} output_names for {len(graph.outputs)} "
            "results"
        )
    names = dict(zip(graph.outputs, output_names, strict=False))
    outputs = []
    for output, array, shape in zip(graph.outputs, graph.results, shapes, strict=True):
        outputs.append(protobuf.value_info(names.get(output, output), array.dtype, shape))
    given = []
    for name, array in inputs.items():
        sizes = [axes[name].get(dim, size) for dim, size in enumerate(array.shape)]
        given.append(protobuf.value_info(name, array.dtype, sizes))
    nodes = [
        protobuf.node(
            node.op_type,
            node.inputs,
            [names.get(each, each) for each in node.outputs],
            node.attributes,
        )
        for node in graph.nodes
    ]
    constants = [protobuf.tensor(name, array) for name, array in graph.constants.items()]
    return protobuf.model("model", nodes, constants, given, outputs, opset)

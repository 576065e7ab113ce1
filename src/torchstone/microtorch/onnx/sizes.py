"""Dynamic axes of an ONNX graph, inferred by running the model with several input sizes.

A number in the graph that changes with a dynamic size must be the same linear function of the sizes
in all runs; it is then computed from the input shapes. Any other change is an error, such as a
number that depends on the values of the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from torchstone.microtorch.onnx.graph import ExportError, Graph, Node
from torchstone.microtorch.onnx.protobuf import Shape
from torchstone.microtorch.tensor import Array

# Name of a dynamic size -> an input and a dimension that has it.
Sources = Mapping[str, tuple[str, int]]


class Sizes:
    """Dynamic sizes in each run: as given, then each one changed, then all changed.

    Attributes:
        names: Their names.
        runs: The sizes in each run.
    """

    def __init__(self, given: Mapping[str, int]) -> None:
        self.names = list(given)
        base = np.array(list(given.values()), np.int64)
        each = np.eye(len(base), dtype=np.int64)
        # The last two runs change all sizes, to verify the result of the others.
        self.runs = [base, *(base + row for row in each), *[base + 3 + np.arange(len(base))] * 2]

    def fit(self, found: Sequence[Array]) -> tuple[Array, Array] | None:
        """Express numbers as integer combinations of the sizes plus a constant.

        Args:
            found: The numbers, as a vector, in each run.

        Returns:
            The factors and the constants; None if the runs are inconsistent.

        Shapes:
            -> (sizes, numbers), (numbers,)
        """
        wide = [np.asarray(each, np.float64) for each in found]
        if not all(np.array_equal(each, np.round(each)) for each in wide):
            return None
        values = [each.astype(np.int64) for each in wide]
        changes = [each - values[0] for each in values[1:-2]]
        factors = np.array(changes, np.int64).reshape(len(changes), values[0].size)
        rest = values[0] - self.runs[0] @ factors
        for sizes, each in zip(self.runs, values, strict=True):
            if not np.array_equal(sizes @ factors + rest, each):
                return None
        return factors, rest

    def shape(self, name: str, shapes: Sequence[tuple[int, ...]]) -> Shape:
        """Return the shape of a value; combined sizes remain unknown."""
        if len({len(each) for each in shapes}) != 1:
            raise ExportError(f"the number of dimensions of {name!r} depends on the sizes")
        fitted = self.fit([np.array(each, np.int64) for each in shapes])
        if fitted is None:
            return [None] * len(shapes[0])
        named: list[int | str | None] = []
        for factors, rest in zip(fitted[0].T, fitted[1], strict=True):
            if not factors.any():
                named.append(int(rest))
            elif not rest and factors.sum() == 1 and np.count_nonzero(factors) == 1:
                named.append(self.names[int(np.argmax(factors))])
            else:
                named.append(None)
        return named


def resolve(graphs: Sequence[Graph], sizes: Sizes, sources: Sources) -> Graph:
    """Combine the graphs of all runs into one.

    Raises:
        ExportError: The runs differ by more than integer combinations of the sizes.
    """
    base = graphs[0]
    matches = [_match(base, other) for other in graphs]
    users = {name: node for node in base.nodes for name in node.inputs}
    solved = Graph(prefix="size_")
    maker = _Maker(solved, sizes, sources)
    solved.inputs, solved.outputs, solved.results = base.inputs, base.outputs, base.results
    for name, array in base.constants.items():
        found = [other.constants[match[name]] for other, match in zip(graphs, matches, strict=True)]
        if all(_is_same(array, each) for each in found):
            solved.constants[name] = array
            continue
        rest = _inferred(found, users[name])
        if rest is not None:
            solved.constants[name] = rest
            continue
        made, origin = maker.make(found, users[name]), users[name].origin
        solved.nodes.append(
            Node(op_type="Identity", inputs=(made,), outputs=(name,), attributes={}, origin=origin)
        )
    solved.nodes += base.nodes
    solved.prune()
    return solved


def _is_same(one: Array, other: Array) -> bool:
    return one is other or (
        one.dtype == other.dtype
        and one.shape == other.shape
        and np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()
    )


def _inferred(found: Sequence[Array], user: Node) -> Array | None:
    """Return a ``Reshape`` shape with -1 for its only changing size."""
    first = found[0]
    if user.op_type != "Reshape" or any(each.shape != first.shape for each in found):
        return None
    changes = np.any([each != first for each in found], axis=0)
    if np.count_nonzero(changes) != 1 or not all(np.all(each) for each in found):
        return None
    return np.where(changes, -1, first)


def _match(base: Graph, other: Graph) -> dict[str, str]:
    """Map the names of one graph to those of another, which must have the same nodes."""
    names = dict(zip(base.inputs, other.inputs, strict=True)) | {"": ""}
    if len(base.nodes) != len(other.nodes) or len(base.outputs) != len(other.outputs):
        raise ExportError("which operations the model does depends on its inputs, or their sizes")
    for one, two in zip(base.nodes, other.nodes, strict=True):
        same = (one.op_type, one.attributes, len(one.inputs)) == (
            two.op_type, two.attributes, len(two.inputs),
        )  # fmt: skip
        pairs = zip(one.inputs, two.inputs, strict=False)
        if not same or any(names.setdefault(a, b) != b for a, b in pairs):
            raise ExportError(
                f"what {one.origin!r} does depends on the inputs, or their sizes, in a way that "
                "can't be expressed"
            )
        names.update(zip(one.outputs, two.outputs, strict=True))
    return names


class _Maker:
    """Builder of constants that depend on the sizes.

    Attributes:
        graph: The graph in which their computation is recorded.
        sizes: The sizes in each run.
        sources: Where each size is found.
    """

    def __init__(self, graph: Graph, sizes: Sizes, sources: Sources) -> None:
        self.graph, self.sizes, self.sources = graph, sizes, sources

    def make(self, found: Sequence[Array], user: Node) -> str:
        """Record the computation of a constant from its values in the runs; return its name."""
        self.graph.origin = user.origin
        name = None
        if self.sizes.names and len({(each.ndim, each.dtype) for each in found}) == 1:
            has_one_shape = len({each.shape for each in found}) == 1
            ways = [self._numbers] if has_one_shape else [self._same, self._range, self._triangle]
            name = next((name for way in ways if (name := way(found)) is not None), None)
        if name is None:
            raise ExportError(
                f"an operand of {user.origin!r} depends on the inputs, or their sizes, in a way "
                "that can't be followed: it was read from a tensor, drawn at random, or computed "
                "outside of tensors"
            )
        return name

    def _vector(self, found: Sequence[Array]) -> str | None:
        """Record a vector of integer combinations of sizes, read from the input shapes."""
        fitted = self.sizes.fit(found)
        if fitted is None:
            return None
        factors, rest = fitted
        total = self.graph.name(rest)
        for name, row in zip(self.sizes.names, factors, strict=True):
            if row.any():
                source, dim = self.sources[name]
                size = self.graph.add("Shape", source, start=dim, end=dim + 1)
                total = self.graph.add("Add", self.graph.add("Mul", size, row.copy()), total)
        return total

    def _numbers(self, found: Sequence[Array]) -> str | None:
        """Record an array of fixed shape whose elements are integer combinations of sizes."""
        name, first = self._vector([each.reshape(-1) for each in found]), found[0]
        if name is None or first.ndim == 1:
            return name and self.graph.cast(name, first.dtype)
        shaped = self.graph.add("Reshape", name, np.array(first.shape, np.int64))
        return self.graph.cast(shaped, first.dtype)

    def _same(self, found: Sequence[Array]) -> str | None:
        """Record an array that is constant along the dimensions of dynamic size."""
        first = found[0]
        varying = [dim for dim in range(first.ndim) if len({each.shape[dim] for each in found}) > 1]
        cut = first[tuple(slice(0, 1) if d in varying else slice(None) for d in range(first.ndim))]
        if not all(_is_same(np.broadcast_to(cut, each.shape), each) for each in found):
            return None
        shape = self._vector([np.array(each.shape, np.int64) for each in found])
        return shape and self.graph.add("Expand", cut.copy(), shape)

    def _places(self, found: Sequence[Array], dim: int) -> str | None:
        """Record the indices along a dimension."""
        size = self._vector([np.array([each.shape[dim]], np.int64) for each in found])
        zero, one = np.array(0, np.int64), np.array(1, np.int64)
        return size and self.graph.add("Range", zero, self.graph.add("Squeeze", size), one)

    def _range(self, found: Sequence[Array]) -> str | None:
        """Record an ``arange`` along one dimension."""
        first, dim = found[0], int(np.argmax(found[0].shape))
        is_range = all(
            each.size == each.shape[dim]
            and np.array_equal(each.reshape(-1), np.arange(each.size).astype(first.dtype))
            for each in found
        )
        name = self._places(found, dim) if is_range else None
        if name is None:
            return None
        shape = np.where(np.arange(first.ndim) == dim, -1, 1)
        return self.graph.cast(self.graph.add("Reshape", name, shape), first.dtype)

    def _triangle(self, found: Sequence[Array]) -> str | None:
        """Record a causal mask: one value on and below the diagonal, another above."""
        first = found[0]
        if first.ndim != 2 or min(first.shape) < 2:
            return None
        low, high = first[-1, 0], first[0, -1]
        for each in found:
            if not _is_same(each, np.where(np.tri(*each.shape, dtype=np.bool_), low, high)):
                return None
        rows, columns = self._places(found, 0), self._places(found, 1)
        if rows is None or columns is None:
            return None
        column = self.graph.add("Unsqueeze", rows, np.array([1]))
        return self.graph.add("Where", self.graph.add("GreaterOrEqual", column, columns), low, high)

"""The ONNX graph that tracing builds: nodes, initializers and value names."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchstone.microtorch.onnx.protobuf import DATA_TYPES
from torchstone.microtorch.tensor import Array, Tensor

# Name of a value that no ONNX operation produces; it must not be used by a result.
UNKNOWN = "?"


class ExportError(RuntimeError):
    """Raised when a model cannot be exported to ONNX."""

    def __init__(self, what: str) -> None:
        super().__init__(f"onnx.export: {what}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """ONNX operation.

    Attributes:
        op_type: The name of the operator.
        inputs: The names of the inputs; an empty name marks an omitted one.
        outputs: The names of the outputs.
        attributes: Integers, floats, strings or lists of integers.
        origin: The recorded operation of this package, for messages.
    """

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    origin: str


@dataclass(frozen=True, slots=True)
class Known:
    """Array with a name in the graph.

    Attributes:
        array: The array.
        name: Its name.
        print: The fingerprint of its contents when it was named.
        depends: It depends on the inputs, not only on parameters.
    """

    array: Array
    name: str
    print: Any
    depends: bool


def fingerprint(array: Array) -> Any:
    """Return a value that changes if the array is modified."""
    return array.shape, array.dtype, zlib.crc32(array.tobytes())


class Graph:
    """Nodes in execution order, and the names of arrays.

    References to the named arrays are kept, so that no other array gets the same identity. An
    unnamed array is a constant; additional runs with other inputs verify this.

    Attributes:
        nodes: The nodes in the order of recording.
        constants: Name -> array; parameters keep their own names.
        inputs: The names of the model's inputs.
        outputs: The names of its results.
        results: The results.
        origin: The operation that is being recorded.
        forward: Its computation on arrays.
    """

    def __init__(self, prefix: str = "") -> None:
        self.nodes: list[Node] = []
        self.constants: dict[str, Array] = {}
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.results: list[Array] = []
        self.origin = ""
        self.forward: Any = None
        self._prefix = prefix
        self._known: dict[int, Known] = {}
        # By content, because some arrays are copies of named ones.
        self._copies: dict[Any, Known] = {}
        self._parameters: list[Known] = []

    def input(self, name: str, value: Tensor) -> None:
        """Register an input of the model."""
        self.inputs.append(name)
        self.bind(value, name)

    def parameter(self, name: str, value: Tensor) -> None:
        """Register a parameter of the model."""
        self.constants[name] = value.array
        self.bind(value, name, depends=False)
        self._parameters.append(self._known[id(value.array)])

    def bind(
        self, value: Tensor | Sequence[Tensor], names: str | Sequence[str], *, depends: bool = True
    ) -> None:
        """Give names to tensors."""
        if isinstance(value, Tensor):
            assert isinstance(names, str), "one tensor has one name"
            known = Known(value.array, names, fingerprint(value.array), depends)
            self._known[id(value.array)] = self._copies[known.print] = known
            return
        # Tensors without a name are constants, or are not used.
        for each, name in zip(value, names, strict=False):
            self.bind(each, name, depends=depends)

    def find(self, value: Any) -> list[Known]:
        """Return the entries of the named arrays in a value."""
        if isinstance(value, list | tuple):
            return [known for each in value for known in self.find(each)]
        known = None
        if isinstance(value, Tensor):
            known = self._known.get(id(value.array))
        elif isinstance(value, np.ndarray):
            known = self._known.get(id(value)) or self._copies.get(fingerprint(value))
        return [] if known is None else [known]

    def originals(self, value: Any) -> Any:
        """Replace copies by the named arrays they were copied from."""
        if isinstance(value, list | tuple):
            return type(value)(self.originals(each) for each in value)
        known = self.find(value) if isinstance(value, np.ndarray) else None
        return known[0].array if known else value

    def name(self, value: Any) -> str:
        """Return the name of a value; an unnamed array becomes a constant.

        Raises:
            ExportError: The array was modified in a way that was not recorded.
        """
        if value is None or isinstance(value, str):
            return value or ""
        known = self._known.get(id(value.array if isinstance(value, Tensor) else value))
        if known is not None:
            if fingerprint(known.array) != known.print:
                raise ExportError(
                    f"an operand of {self.origin!r} was written in place, through a view or in "
                    "another way that can't be followed; use operations that are not in place"
                )
            return known.name
        name = f"{self._prefix}constant_{len(self.constants)}"
        # Copied, because it may be modified later.
        self.constants[name] = np.array(value.array if isinstance(value, Tensor) else value)
        return name

    def check_parameters(self) -> None:
        """Raise an error if the model has written to its parameters or buffers.

        Raises:
            ExportError: A parameter or a buffer was modified.
        """
        for known in self._parameters:
            if fingerprint(known.array) != known.print:
                raise ExportError(f"the model writes {known.name!r} while it runs")

    def add(self, op_type: str, *inputs: Any, **attributes: Any) -> str:
        """Record an operation with one output, and return its name."""
        return self.add_several(op_type, *inputs, count=1, **attributes)[0]

    def cast(self, value: Any, dtype: Any) -> str:
        """Record a conversion to a dtype, if needed."""
        array = value.array if isinstance(value, Tensor) else value
        if isinstance(array, np.ndarray) and array.dtype == dtype:
            return self.name(value)
        return self.add("Cast", value, to=DATA_TYPES[np.dtype(dtype)])

    def add_several(
        self, op_type: str, *inputs: Any, count: int, **attributes: Any
    ) -> tuple[str, ...]:
        """Record an operation; inputs and attributes that are None are omitted."""
        names = [self.name(each) for each in inputs]
        while names and not names[-1]:
            names.pop()
        stem = f"{self._prefix}{op_type.lower()}_{len(self.nodes)}"
        outputs = tuple(f"{stem}_{place}" for place in range(count))
        self.nodes.append(
            Node(
                op_type=op_type,
                inputs=tuple(names),
                outputs=outputs,
                attributes={key: each for key, each in attributes.items() if each is not None},
                origin=self.origin,
            )
        )
        return outputs

    def prune(self) -> None:
        """Remove nodes and constants that no result needs.

        Raises:
            ExportError: A result needs an operation that ONNX does not have.
        """
        wanted, kept = set(self.outputs), []
        for node in reversed(self.nodes):
            if wanted.isdisjoint(node.outputs):
                continue
            if node.op_type == UNKNOWN:
                raise ExportError(f"the operation {node.origin!r} can't be exported")
            wanted.update(node.inputs)
            kept.append(node)
        self.nodes = kept[::-1]
        self.constants = {name: each for name, each in self.constants.items() if name in wanted}

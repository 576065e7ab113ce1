"""The ONNX graph that tracing builds: nodes, initializers and value names."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchstone.microtorch.onnx.protobuf import DATA_TYPES
from torchstone.microtorch.tensor import Array, Tensor

# The name of a value that no operation of ONNX produces; no node reads that value.
UNKNOWN = "?"


class ExportError(RuntimeError):
    """Raised when a model cannot be exported to ONNX."""

    def __init__(self, what: str) -> None:
        super().__init__(f"onnx.export: {what}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operation of ONNX.

    Attributes:
        op_type: Its name in ONNX.
        inputs: The names of values; an empty name marks an omitted input.
        outputs: Likewise.
        attributes: Integers, floats, texts, lists of integers.
        origin: The operation of this package that it is part of, for messages.
    """

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    origin: str


@dataclass(frozen=True, slots=True)
class Known:
    """An array that has a name.

    Attributes:
        array: The array.
        name: Its name.
        print: What was in it when it got that name.
        depends: It comes from the inputs, and not from parameters alone.
    """

    array: Array
    name: str
    print: Any
    depends: bool


def fingerprint(array: Array) -> Any:
    """Return what tells whether something was written meanwhile."""
    return array.shape, array.dtype, zlib.crc32(array.tobytes())


class Graph:
    """Nodes in order, and the names of arrays.

    Arrays are kept, so that no other one can get the identity of one that has a name. What has
    none is a constant: whether it truly is, shows when the model has run with other inputs.

    Attributes:
        nodes: In the order in which they were noted.
        constants: By their names; parameters go by their own.
        inputs: The names of the model's inputs.
        outputs: The names of its results, once they are there.
        results: The results.
        origin: The operation that is noted now.
        forward: What it does to arrays.
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
        # By what is in them: some arrays are copies of those that have names.
        self._copies: dict[Any, Known] = {}
        self._parameters: list[Known] = []

    def input(self, name: str, value: Tensor) -> None:
        """Name an input of the model."""
        self.inputs.append(name)
        self.bind(value, name)

    def parameter(self, name: str, value: Tensor) -> None:
        """Name a parameter of the model."""
        self.constants[name] = value.array
        self.bind(value, name, depends=False)
        self._parameters.append(self._known[id(value.array)])

    def bind(
        self, value: Tensor | Sequence[Tensor], names: str | Sequence[str], *, depends: bool = True
    ) -> None:
        """Name the tensors."""
        if isinstance(value, Tensor):
            assert isinstance(names, str), "one tensor has one name"
            known = Known(value.array, names, fingerprint(value.array), depends)
            self._known[id(value.array)] = self._copies[known.print] = known
            return
        # Some of several tensors have no name: they are constants, or no node reads them.
        for each, name in zip(value, names, strict=False):
            self.bind(each, name, depends=depends)

    def find(self, value: Any) -> list[Known]:
        """Find what is known of a value, or of its parts."""
        if isinstance(value, list | tuple):
            return [known for each in value for known in self.find(each)]
        known = None
        if isinstance(value, Tensor):
            known = self._known.get(id(value.array))
        elif isinstance(value, np.ndarray):
            known = self._known.get(id(value)) or self._copies.get(fingerprint(value))
        return [] if known is None else [known]

    def originals(self, value: Any) -> Any:
        """Put what has a name in the place of its copies."""
        if isinstance(value, list | tuple):
            return type(value)(self.originals(each) for each in value)
        known = self.find(value) if isinstance(value, np.ndarray) else None
        return known[0].array if known else value

    def name(self, value: Any) -> str:
        """Return the name of a value; what has none, but is an array, is a constant.

        Raises:
            ExportError: It was written since, in a way that is not noted.
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
        # It may be written later.
        self.constants[name] = np.array(value.array if isinstance(value, Tensor) else value)
        return name

    def check_parameters(self) -> None:
        """Raise an error if the model has written to its parameters or buffers.

        Raises:
            ExportError: A parameter or a buffer is not what it was.
        """
        for known in self._parameters:
            if fingerprint(known.array) != known.print:
                raise ExportError(f"the model writes {known.name!r} while it runs")

    def add(self, op_type: str, *inputs: Any, **attributes: Any) -> str:
        """Record an operation with one output, and return its name."""
        return self.add_several(op_type, *inputs, count=1, **attributes)[0]

    def cast(self, value: Any, dtype: Any) -> str:
        """Record a change of type, where there is one."""
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
        """Remove everything that no result needs.

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

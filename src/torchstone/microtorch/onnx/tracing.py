"""Tracing: run a model and record its operations in an ONNX graph.

Tracing replaces the functions below by recording ones. For a primitive applied to a value that
depends on the inputs, its exporter is called; a primitive on constants just runs. A few functions
are recorded as a whole, because ONNX has an operator for them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.inplace import replace
from torchstone.microtorch.func.tree import leaves_of, mapped
from torchstone.microtorch.grad_mode import Level, no_grad, state
from torchstone.microtorch.nn import Module
from torchstone.microtorch.onnx.graph import UNKNOWN, ExportError, Graph, fingerprint
from torchstone.microtorch.onnx.operators import PRIMITIVES
from torchstone.microtorch.onnx.structure import WHOLES
from torchstone.microtorch.ops import arithmetic
from torchstone.microtorch.ops.elementwise import Binary, Unary
from torchstone.microtorch.ops.joining import Joining
from torchstone.microtorch.ops.primitive import Primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

# Methods that read tensor values into Python, where they can no longer be traced.
_READERS = (
    "item", "tolist", "numpy", "__array__", "__bool__", "__int__", "__float__", "__complex__",
    "__index__", "__dlpack__",
)  # fmt: skip


def trace(
    model: Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    inputs: Mapping[str, Array],
) -> Graph:
    """Run a model, and record its operations.

    Args:
        model: The model.
        args: Its arguments; a placeholder is replaced by the input of that name, in ``inputs``.
        kwargs: Its keyword arguments, likewise.
        inputs: The inputs by name.
    """
    graph = Graph()
    for name, parameter in (*model.named_parameters(), *model.named_buffers()):
        graph.parameter(name, parameter)
    tensors = {name: wrap(array.copy()) for name, array in inputs.items()}
    for name, tensor in tensors.items():
        graph.input(name, tensor)
    given = mapped(lambda each: tensors.get(each) if type(each) is _Input else each, (args, kwargs))
    with no_grad(), _Tracer(graph).listening():
        result = model(*given[0], **given[1])
        graph.origin = "the result"
        for each in _tensors_in(result):
            graph.outputs.append(graph.add("Identity", each))
            graph.results.append(each.array)
    graph.check_parameters()
    graph.prune()
    return graph


class _Input(str):
    """Placeholder of an input among the arguments."""


def named(args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Replace the tensors among the arguments by placeholders.

    Returns:
        The arguments, the keyword arguments, and the tensors by name.

    Raises:
        ValueError: There are more names than tensors.
    """
    found: dict[str, Array] = {}

    def name(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        place = len(found)
        chosen = names[place] if place < len(names) else f"input_{place}"
        found[chosen] = value.detach().array
        return _Input(chosen)

    changed = mapped(name, (args, kwargs))
    if len(names) > len(found):
        raise ValueError(
            f"onnx.export: there are {len(names)} input_names, {list(names)}, for {len(found)} "
            "tensors among the arguments"
        )
    return *changed, found


def _tensors_in(result: Any) -> Iterator[Tensor]:
    for each in leaves_of(result):
        if isinstance(each, Tensor):
            yield each
        elif each is not None:
            raise ExportError(
                "a model's result is made of tensors, lists and dictionaries, not of a "
                f"{type(each).__name__}"
            )


class _Tracer(Level):
    """Level that records the operations on values that depend on the inputs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._is_paused = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record all operations while the context is open."""
        with ExitStack() as stack:
            for kind in (Primitive, Joining):
                finish = self._finish(kind.finish)
                _put(stack, kind, "finish", finish)
            for name in _READERS:
                _put(stack, Tensor, name, self._reader(name))
            _put(stack, Tensor, "lay_in_order", self._laid(Tensor.lay_in_order))
            for whole, (function, exporter) in WHOLES.items():
                self._everywhere(stack, function, self._whole(whole, function, exporter))
            # The fast path for plain arrays bypasses recording.
            _put(stack, arithmetic, "_is_plain", lambda *args: False)
            state.levels.append(self)
            stack.callback(state.levels.remove, self)
            yield

    @staticmethod
    def _everywhere(stack: ExitStack, function: Any, instead: Any) -> None:
        """Replace a function in all modules that refer to it."""
        name = function.__name__
        for module in list(sys.modules.values()):
            is_ours = getattr(module, "__name__", "").startswith("torchstone.microtorch")
            if is_ours and module.__dict__.get(name) is function:
                _put(stack, module, name, instead)

    def _finish(self, finish: Callable[..., Any]) -> Callable[..., Any]:
        def telling(op: Primitive, results: Any, args: Sequence[Any]) -> Any:
            if not self._is_paused and self.graph.find(args):
                self._note(op, results, args)
            return finish(op, results, args)

        return telling

    def _note(self, op: Primitive, results: Any, args: Sequence[Any]) -> None:
        graph = self.graph
        graph.origin, graph.forward = op.__name__, op.forward
        depends = any(each.depends for each in graph.find(args))
        args = graph.originals(tuple(args))
        if isinstance(op, Binary):
            args = [self._cast(each, x) for each, x in zip(args, op.promoted(*args), strict=True)]
        elif isinstance(op, Unary):
            # Integers become floats if the function has no integer version.
            is_whole = args[0].array.dtype.kind in op._whole
            args = [graph.cast(args[0], results.array.dtype) if is_whole else graph.name(args[0])]
        exporter = PRIMITIVES.get(op.__name__)
        names = NotImplemented if exporter is None else exporter(graph, results, *args)
        if names is NotImplemented:
            operands = [each for each in args if isinstance(each, str | Tensor | np.ndarray)]
            several = isinstance(results, tuple)
            made = graph.add_several(UNKNOWN, *operands, count=len(results) if several else 1)
            names = made if several else made[0]
        graph.bind(results, names, depends=depends)

    def _cast(self, operand: Any, promoted: Array) -> str:
        """Return the name of an operand, recording a type conversion if needed."""
        is_known = self.graph.find(operand)
        return self.graph.cast(operand, promoted.dtype) if is_known else self.graph.name(promoted)

    def _reader(self, name: str) -> Callable[..., Any]:
        read = getattr(Tensor, name)

        def refusing(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
            if not self._is_paused and any(each.depends for each in self.graph.find(tensor)):
                raise ExportError(
                    f"the model reads a value that depends on its inputs ({name}); what it then "
                    "does can't be followed"
                )
            return read(tensor, *args, **kwargs)

        return refusing

    def _laid(self, lay: Callable[[Tensor], Array]) -> Callable[[Tensor], Array]:
        """Keep a tensor's name when its array is replaced by a copy."""

        def telling(tensor: Tensor) -> Array:
            known = self.graph.find(tensor)
            array = lay(tensor)
            for each in known:
                if each.array is not array and each.print == fingerprint(array):
                    self.graph.bind(tensor, each.name, depends=each.depends)
            return array

        return telling

    def _whole(self, name: str, function: Any, exporter: Any) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def telling(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = list(bound.arguments.values())
            known = self.graph.find(values)
            if self._is_paused or not known:
                return function(*args, **kwargs)
            self._is_paused = True
            try:
                results = function(*args, **kwargs)
            finally:
                self._is_paused = False
            self.graph.origin = name
            names = exporter(self.graph, results, *values)
            if names is NotImplemented:
                # Fall back to recording the parts.
                return function(*args, **kwargs)
            depends = any(each.depends for each in known)
            self.graph.bind(results, names, depends=depends)
            return results

        return telling

    # The tracer is also a level, like ``vmap``; see ``func/levels.py``.

    def write(self, target: Tensor, result: Tensor, mark: int | None) -> bool:
        """Write a result into a tensor, which takes over the result's name."""
        graph, known = self.graph, self.graph.find([target, result])
        name = graph.name(result) if known and not self._is_paused else ""
        state.levels.remove(self)
        try:
            replace(target, result, mark)
        finally:
            state.levels.append(self)
        if name and result.array.dtype != target.array.dtype:
            name = graph.cast(name, target.array.dtype)
        if name:
            graph.bind(target, name, depends=any(each.depends for each in known))
        return True


def _put(stack: ExitStack, where: Any, name: str, instead: Any) -> None:
    """Replace an attribute until the stack is closed."""
    stack.callback(setattr, where, name, getattr(where, name))
    setattr(where, name, instead)

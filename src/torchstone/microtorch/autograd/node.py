"""The autograd graph: nodes, edges, saved tensors, AccumulateGrad and topological order.

No topological sort is needed: a node is created after the nodes of its inputs, so descending
sequence numbers are a topological order.
"""

from __future__ import annotations

import itertools
import traceback
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from torchstone.microtorch.refusals import INFERENCE_SAVED, changed
from torchstone.microtorch.refusals import freed as freed
from torchstone.microtorch.tensor import Tensor, alias

# Sequence numbers of nodes, in order of creation.
next_number = itertools.count(1).__next__


class Tracing:
    """Global switches that change what operations record.

    Attributes:
        anomaly: Record the stack of the forward call, for the message if backward fails.
        check_nan: Raise an error for NaN gradients.
        saved_hooks: Pairs of functions that pack and unpack saved tensors; the last pair applies.
    """

    __slots__ = ("anomaly", "check_nan", "saved_hooks")

    def __init__(self) -> None:
        self.anomaly = False
        self.check_nan = True
        self.saved_hooks: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]] = []


tracing = Tracing()


class SavedTensor:
    """Tensor saved in the forward pass; a later in-place change is detected.

    An output is saved without its history: otherwise it and its node would form a reference cycle.
    """

    __slots__ = ("edge", "output_nr", "tensor", "unpack", "version")

    def __init__(self, tensor: Tensor, output_nr: int | None = None) -> None:
        self.output_nr = output_nr
        self.unpack: Callable[[Any], Tensor] | None = None
        self.tensor: Any = tensor if output_nr is None else alias(tensor)
        if tensor._inference:
            raise RuntimeError(INFERENCE_SAVED)
        counter = tensor._counter
        self.version = counter[0] if counter is not None else 0
        if tracing.saved_hooks:
            pack, self.unpack = tracing.saved_hooks[-1]
            # The unpacked tensor gets the gradient edge of the original tensor.
            self.edge = None if output_nr is not None else gradient_edge(tensor)
            self.tensor = pack(self.tensor)

    def get(self, node: Node) -> Tensor:
        """Return the saved tensor, with its gradient edge."""
        tensor: Tensor = self.tensor
        if self.unpack is not None:
            tensor = self.unpack(self.tensor)
        else:
            counter = tensor._counter
            if (counter[0] if counter is not None else 0) != self.version:
                made_by = node if self.output_nr is not None else tensor.grad_fn
                raise changed(tensor, self.version, made_by)
        if self.output_nr is None:
            if self.unpack is not None and self.edge is not None:
                tensor = alias(tensor)
                tensor._edge, tensor._requires_grad = self.edge, True
            return tensor
        tensor = alias(tensor)
        tensor._edge = node if not self.output_nr else Port(node, self.output_nr, tensor)
        tensor._requires_grad = True
        return tensor


class Node:
    """Recorded operation: a node of the autograd graph.

    Attributes:
        edges: For each input, the node that receives its gradient; None if no gradient is needed.
        order: Negated sequence number: the backward pass runs nodes in ascending order.
        shape: The shape of the output, which incoming gradients must match.
        dtype: The NumPy dtype of the output, which incoming gradients must match.
        saved: What the backward pass needs. A list is freed after the pass, unless the graph is
            retained.
        extra: Attributes that few nodes need; None if there are none.
    """

    __slots__ = ("__weakref__", "dtype", "edges", "extra", "order", "saved", "shape")
    # Whether the gradients it returns are new arrays that no other object refers to.
    makes_new_gradients: ClassVar[bool] = False
    # Index among the outputs of the operation; nonzero only for ports.
    number: int = 0
    edges: tuple[Node | None, ...]
    order: int
    shape: tuple[int, ...]
    dtype: Any
    saved: Any
    extra: Extra | None

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Compute the gradients of the inputs from those of the outputs."""
        raise NotImplementedError

    def record(self, results: Sequence[Tensor], inputs: Sequence[Any]) -> None:
        """Connect the node to the graph, between its inputs and its results."""
        self.edges = tuple([gradient_edge(each) for each in inputs])
        self.order = -next_number()
        self.extra = None
        if tracing.anomaly:
            self.extra = Extra(stack="".join(traceback.format_stack()[:-2]))
        first = results[0]
        self.shape, self.dtype = first.array.shape, first.array.dtype
        if self.dtype.kind in "fc":
            first._edge, first._requires_grad = self, True
        if len(results) > 1:
            self.own_extra().num_outputs = len(results)
        for number, result in enumerate(results[1:], 1):
            port = Port(self, number, result)
            if result.array.dtype.kind in "fc":
                result._edge, result._requires_grad = port, True

    @property
    def node(self) -> Node:
        """Return the node of the operation itself."""
        return self

    def name(self) -> str:
        """Return the name of the node, as PyTorch spells it."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return, for each input, the node that produced it and its output number."""
        return tuple((None, 0) if edge is None else (edge.node, edge.number) for edge in self.edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata: the entries of anomaly mode and of the user."""
        return self.own_extra().metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(grad_inputs, grad_outputs)`` to run after the node.

        A value that the hook returns replaces ``grad_inputs``.
        """
        return RemovableHandle(self.own_extra().after, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register ``hook(grad_outputs)`` to run before the node; its result replaces them."""
        return RemovableHandle(self.own_extra().before, hook)

    def own_extra(self) -> Extra:
        """Return ``extra``, creating it if needed."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class Extra:
    """Attributes that few nodes need.

    Attributes:
        stack: Stack trace of the forward call, in anomaly mode.
        metadata: Entries of the user, and the stack trace.
        num_outputs: Number of outputs of the operation.
        of_output: Output number -> hooks, in order of registration.
        retained: Output number -> weak reference to a tensor that retains its gradient.
        before: Pre-hooks of the node.
        after: Hooks of the node.
    """

    def __init__(self, stack: str | None = None) -> None:
        self.stack = stack
        self.metadata = {"traceback_": stack} if stack else {}
        self.num_outputs = 1
        self.of_output: dict[int, dict[int, Callable[[Tensor], Any]]] = {}
        self.retained: dict[int, weakref.ref[Tensor]] = {}
        self.before: dict[int, Callable[..., Any]] = {}
        self.after: dict[int, Callable[..., Any]] = {}


class Port(Node):
    """Graph entry point of an output other than the first."""

    __slots__ = ("_owner", "number")

    def __init__(self, owner: Node, number: int, result: Tensor) -> None:
        self._owner, self.number = owner, number
        self.shape, self.dtype = result.array.shape, result.array.dtype
        # Created after its owner, so all its gradients have arrived when the owner runs.
        self.order = -next_number()
        self.edges, self.saved, self.extra = (), None, Extra()

    @property
    def node(self) -> Node:
        """Return the node of the operation itself."""
        return self._owner


class RemovableHandle:
    """Handle that removes a hook."""

    _next_id = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self.id = RemovableHandle._next_id()
        self._hooks = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Remove the hook."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class AccumulateGrad(Node):
    """Node that accumulates the gradient into a leaf."""

    __slots__ = ("variable",)
    variable: Tensor


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """Return the node of a leaf, creating it if needed; only graphs keep it alive."""
    known = leaf._accumulator
    node = known() if known is not None else None
    if node is None:
        node = AccumulateGrad()
        node.variable = leaf
        node.edges, node.saved, node.extra = (), None, Extra()
        node.shape, node.dtype = leaf.array.shape, leaf.array.dtype
        # It is created just before the first operation on the leaf, so the leaf is filled as soon
        # as no other node can reach it.
        node.order = -next_number()
        leaf._accumulator = weakref.ref(node)
    return node


def wants_gradient(value: Any) -> bool:
    """Return whether a value is a tensor that requires a gradient."""
    if not isinstance(value, Tensor):
        return False
    return value._requires_grad or (value._base is not None and value._base._requires_grad)


def gradient_edge(value: Any) -> Node | None:
    """Return the node that receives the gradient of a tensor; None if it requires none."""
    if not wants_gradient(value):
        return None
    node: Node | None = value._edge if value._base is None else value._current_edge()
    if node is not None or not value._requires_grad:
        # A view created with recording off requires a gradient like its base but has no gradient
        # edge.
        return node
    return accumulator(value)

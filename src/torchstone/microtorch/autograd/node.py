"""The autograd graph: nodes, edges, saved tensors, AccumulateGrad and topological order.

The graph is never searched for an order: a node is younger than all that its inputs came from, so
their sequence numbers, read backwards, are a topological order.
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

# Numbers the nodes in the order in which they are made.
next_number = itertools.count(1).__next__


class Tracing:
    """Switches that make each operation record more.

    Attributes:
        anomaly: Keep the stack of the forward call, for the message when backward fails.
        check_nan: Refuse gradients that are not a number.
        saved_hooks: Pairs of functions that pack and unpack saved tensors; the last one counts.
    """

    __slots__ = ("anomaly", "check_nan", "saved_hooks")

    def __init__(self) -> None:
        self.anomaly = False
        self.check_nan = True
        self.saved_hooks: list[tuple[Callable[[Tensor], Any], Callable[[Any], Tensor]]] = []


tracing = Tracing()


class SavedTensor:
    """A tensor saved in the forward pass; a later in-place change is detected.

    An output is kept without its history, or it and its node would keep each other alive.
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
        """Return the tensor, in its place in the graph."""
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
    """An operation that was recorded.

    Attributes:
        edges: For each input the node that receives its gradient; None where no gradient is needed.
        order: The younger, the lower: the order of the backward pass.
        shape: The shape of its output: gradients that arrive must fit it.
        dtype: Likewise, as NumPy's dtype.
        saved: What the backward pass needs; a list is let go after it, unless the graph is
            retained.
        extra: What is rare; see there.
    """

    __slots__ = ("__weakref__", "dtype", "edges", "extra", "order", "saved", "shape")
    # Whether its gradients are new arrays, to which no other object refers.
    makes_new_gradients: ClassVar[bool] = False
    # Its number among the outputs of an operation; only ports have others.
    number: int = 0
    edges: tuple[Node | None, ...]
    order: int
    shape: tuple[int, ...]
    dtype: Any
    saved: Any
    extra: Extra | None

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Turn the gradients of the outputs into those of the inputs."""
        raise NotImplementedError

    def record(self, results: Sequence[Tensor], inputs: Sequence[Any]) -> None:
        """Take its place in the graph, between the tensors it was made of and those it made."""
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
        """The operation itself."""
        return self

    def name(self) -> str:
        """Return the name of the node, as PyTorch spells it."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return for each input the node that made it, and the number of its output."""
        return tuple((None, 0) if edge is None else (edge.node, edge.number) for edge in self.edges)

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata: the entries of anomaly mode and of the user."""
        return self.own_extra().metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after it; what it returns replaces the first."""
        return RemovableHandle(self.own_extra().after, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before it; what it returns replaces them."""
        return RemovableHandle(self.own_extra().before, hook)

    def own_extra(self) -> Extra:
        """Return the rare attributes; create them for writing."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


class Extra:
    """What few nodes have.

    Attributes:
        stack: The stack of the forward call, if anomalies are traced.
        metadata: What users note, and the stack.
        num_outputs: How many outputs the operation has.
        of_output: For an output its hooks, in the order in which they were registered.
        retained: Outputs that want to keep their gradient, weakly.
        before: Hooks of the node itself.
        after: Likewise.
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
    """Where the gradient of an output other than the first comes in."""

    __slots__ = ("_owner", "number")

    def __init__(self, owner: Node, number: int, result: Tensor) -> None:
        self._owner, self.number = owner, number
        self.shape, self.dtype = result.array.shape, result.array.dtype
        # Younger than its owner: all that comes in is there when the owner's turn comes.
        self.order = -next_number()
        self.edges, self.saved, self.extra = (), None, Extra()

    @property
    def node(self) -> Node:
        """The operation itself."""
        return self._owner


class RemovableHandle:
    """Takes a hook away again."""

    _next_id = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self.id = RemovableHandle._next_id()
        self._hooks = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class AccumulateGrad(Node):
    """The end of a path: the gradient is added to that of a leaf."""

    __slots__ = ("variable",)
    variable: Tensor


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """Find the node of a leaf, or make it: it lives as long as a graph that leads to it."""
    known = leaf._accumulator
    node = known() if known is not None else None
    if node is None:
        node = AccumulateGrad()
        node.variable = leaf
        node.edges, node.saved, node.extra = (), None, Extra()
        node.shape, node.dtype = leaf.array.shape, leaf.array.dtype
        # It is older than the first operation that takes the leaf, though by nothing else: the
        # leaf is filled as soon as nothing more can reach it.
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
        # A view that was made unrecorded wants a gradient as its base does, but has nowhere to
        # send it.
        return node
    return accumulator(value)

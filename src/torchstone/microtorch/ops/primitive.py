"""``Primitive``: defines an operation by its forward function and its gradient formulas.

The rules are PyTorch's ``derivatives.yaml`` in Python. A rule is a function of the incoming
gradient and of the values it names: arguments of the operation, their shapes (``self_shape``), or
``result`` (``result0``, ``result1`` if there are several). Only values that a rule names are saved,
and a rule runs only if its input requires a gradient::

    @primitive(self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self, other): ...

Rules operate on tensors, not arrays: if the backward pass is recorded, it is differentiated by the
same rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from torchstone.microtorch.autograd.inplace import INFERENCE, NO_GRAD, SEVERAL
from torchstone.microtorch.autograd.node import (
    Node,
    SavedTensor,
    freed,
    wants_gradient,
)
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.op_math import HALF, in_single, widened
from torchstone.microtorch.tensor import Tensor, wrap

Rule = Callable[..., Any]
_new = object.__new__


class Operation(Node):
    """Node of a recorded primitive."""

    __slots__ = ()
    makes_new_gradients = True
    op: ClassVar[Primitive]

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Run the rules of the inputs that need a gradient."""
        op, saved = self.op, self.saved
        if saved is None:
            raise freed()
        values = [each.get(self) if type(each) is SavedTensor else each for each in saved]
        grad: Any = grads if op.takes_all else grads[0]
        if grad is None:
            return [None] * len(self.edges)
        if self.dtype is HALF:
            grad = tuple(map(widened, grad)) if op.takes_all else widened(grad)
            values = [widened(each) for each in values]
        results = [
            None if edge is None else rule(grad, *[values[place] for place in takes])
            for edge, (rule, takes) in zip(self.edges, op.rules, strict=True)
        ]
        return self._rounded(results) if self.dtype is HALF else results

    def _rounded(self, grads: list[Any]) -> list[Any]:
        return [
            grad if grad is None or edge is None or edge.dtype is not HALF else grad._cast(HALF)
            for grad, edge in zip(grads, self.edges, strict=True)
        ]


class Conjugated(Operation):
    """Node of a holomorphic function: its gradient uses the conjugate of the derivative.

    This is PyTorch's convention. The rule, linear in ``grad``, is written as for real numbers.
    """

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Run the rules between two conjugations."""
        results = super().apply(*[None if each is None else each.conj() for each in grads])
        return [None if each is None else each.conj() for each in results]


class Primitive:
    """Operation on arrays, with rules for its gradients.

    Attributes:
        forward: The computation; takes arrays in place of tensors, returns an array or a tuple.
        parameters: The names of its arguments.
        inputs: The positions of the arguments that have a rule.
        rules: For each of these, the rule and the indices of its arguments in ``savable``.
        savable: What the rules name: the kind (argument, shape or result) and its index.
        takes_all: The rules take the gradients of all outputs, as a tuple named ``grads``.
        is_view: The result shares the memory of the first argument.
        is_exact: It does no arithmetic, or depends on the dtype, so half precision is not widened.
        let_go: The types of saved values that are freed after the backward pass.
    """

    let_go: tuple[type, ...] = (SavedTensor, np.ndarray)

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        rules: dict[str, Rule],
        *,
        names: Sequence[str],
        is_view: bool = False,
        is_exact: bool = False,
    ) -> None:
        self.forward = forward
        self.__name__ = name
        self.__doc__ = forward.__doc__
        self.is_view = is_view
        self.is_exact = is_exact or is_view
        self.parameters = names = list(names)
        wanted = {each: list(_parameters(rule)) for each, rule in rules.items()}
        self.takes_all = any(each[0] == "grads" for each in wanted.values())
        mentioned = list(dict.fromkeys(each for rule in wanted.values() for each in rule[1:]))
        self.savable = [_place(each, names) for each in mentioned]
        self.inputs = [names.index(each) for each in rules]
        self.rules = [
            (rule, tuple(mentioned.index(name) for name in wanted[each][1:]))
            for each, rule in rules.items()
        ]
        stem = "".join(part.capitalize() for part in name.split("_"))
        self.node: type[Operation] = type(
            f"{stem}Backward0", (Operation,), {"__slots__": (), "op": self}
        )

    def __call__(self, *args: Any) -> Any:
        """Compute the result and record the operation if an input requires a gradient."""
        if state.levels and (batched := state.levels[-1].apply(self, args)) is not None:
            return batched
        if self.is_view:
            # The layout is fixed now, so that the view keeps sharing the tensor's memory.
            args[0].lay_in_order()
        arrays = [each.array if isinstance(each, Tensor) else each for each in args]
        out = self.forward(*arrays) if self.is_exact else in_single(self.forward, arrays)
        if type(out) is tuple:
            results: Any = tuple(wrap(each) for each in out)
        else:
            results = wrap(out)
        if self.is_view:
            share(args[0], results)
        return self.finish(results, args)

    def finish(self, results: Any, args: Sequence[Any]) -> Any:
        """Record the operation if an input requires a gradient."""
        if state.enabled:
            for position in self.inputs:
                if wants_gradient(args[position]):
                    self.record(results, args)
                    break
        elif state.inference and not self.is_view:
            for result in results if type(results) is tuple else (results,):
                result._inference = True
        return results

    def record(self, results: Any, args: Sequence[Any]) -> None:
        """Create a node for the operation, with the values that its rules need."""
        node = _new(self.node_for(results))
        node.record(
            results if type(results) is tuple else (results,),
            [args[position] for position in self.inputs],
        )
        node.saved = self.save(node, results, args)

    def node_for(self, results: Any) -> type[Operation]:
        """Return the node type for a result."""
        return self.node

    def save(self, node: Node, results: Any, args: Sequence[Any]) -> Sequence[Any]:
        """Return the values that the rules of the inputs with a gradient need.

        Returns:
            A list if it contains tensors, which the backward pass frees; otherwise a tuple.
        """
        needed: set[int] = set()
        for edge, (_, takes) in zip(node.edges, self.rules, strict=True):
            if edge is not None:
                needed.update(takes)
        # As in PyTorch, an operation with a single input saves everything.
        everything = len(self.rules) == 1
        values = [
            self._save(what, results, args) if place in needed or everything else None
            for place, what in enumerate(self.savable)
        ]
        for each in values:
            if type(each) in self.let_go:
                return values
        return tuple(values)

    def _save(self, what: tuple[str, int], results: Any, args: Sequence[Any]) -> Any:
        kind, place = what
        if kind == "result":
            several = type(results) is tuple
            return SavedTensor(results[place] if several else results, place)
        if kind == "shape":
            return args[place].array.shape
        value = args[place]
        return SavedTensor(value) if isinstance(value, Tensor) else value


def _place(name: str, names: list[str]) -> tuple[str, int]:
    """Resolve a name used by a rule to a kind and an index."""
    if name.startswith("result"):
        return "result", int(name.removeprefix("result") or 0)
    if name.endswith("_shape") and name not in names:
        return "shape", names.index(name.removesuffix("_shape"))
    return "argument", names.index(name)


def _parameters(function: Callable[..., Any]) -> Sequence[str]:
    return tuple(inspect.signature(function).parameters)


def primitive(
    *, view: bool = False, exact: bool = False, **rules: Rule
) -> Callable[[Callable[..., Any]], Primitive]:
    """Create a primitive from a function of arrays; see the module docstring."""

    def make(forward: Callable[..., Any]) -> Primitive:
        name, names = forward.__name__.strip("_"), _parameters(forward)
        return Primitive(name, forward, rules, names=names, is_view=view, is_exact=exact)

    return make


def share(source: Tensor, views: Tensor | tuple[Tensor, ...]) -> None:
    """Mark tensors as views of another tensor."""
    counter = source._counter
    if counter is None:
        counter = source._counter = [0]
    several = isinstance(views, tuple)
    for view in views if isinstance(views, tuple) else (views,):
        view._counter = counter
        if source._inference:
            # Inference tensors do not track views.
            view._inference = True
            continue
        if state.inference:
            view._inference = False
        view._base, view._no_inplace = source, None
        if source._base is not None:
            view._base, view._no_inplace = source._base, source._no_inplace
        view._seen_version = counter[0]
        if not state.enabled:
            view._no_inplace = INFERENCE if state.inference else NO_GRAD
        elif several:
            view._no_inplace = SEVERAL

"""The autograd engine: run a backward pass in reverse topological order of the graph."""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.inplace import refuse_overlap
from torchstone.microtorch.autograd.node import AccumulateGrad, Extra, Node, Port, tracing
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.refusals import refuse_result
from torchstone.microtorch.tensor import Tensor, alias, wrap

Roots = list[tuple[Node, Tensor]]
Flow = tuple[Node, Tensor | None, bool]


class Run:
    """One backward pass.

    No state of the pass is stored in the graph, so a pass may fail, or run inside another one.

    Attributes:
        retain_graph: Keep the saved tensors for another pass.
        create_graph: Record the pass itself, so that it can be differentiated.
        adds_in_place: Accumulate in place into gradients that no other object refers to.
        wanted: The edges whose gradients are requested, each a node and an output number. With None
            the pass accumulates into the leaves.
        fills: The requested gradients are also accumulated into leaves: the nodes of leaves run
            their hooks.
        found: The gradients that arrived along the requested edges.
        heap: The orders of the nodes that have a gradient; the most recent node comes first.
        flows: Order -> the node, its gradient so far, and whether no other object refers to that
            array, so that the pass may add to it in place.
        others: For a node with several outputs, the gradients of all outputs but the first.
        useful: The nodes from which a requested edge is reachable; None if all are.
    """

    def __init__(
        self,
        *,
        retain_graph: bool,
        create_graph: bool,
        wanted: Iterable[Node] | None = None,
        fills: bool = False,
    ) -> None:
        self.fills = fills
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        # Recorded gradients must keep their values, and vmap levels intercept only out-of-place
        # additions.
        self.adds_in_place = not create_graph and not state.levels
        self.wanted = None if wanted is None else {(edge.node, edge.number) for edge in wanted}
        self.found: dict[tuple[Node, int], Tensor] = {}
        self.heap: list[int] = []
        self.flows: dict[int, Flow] = {}
        self.others: dict[Node, dict[int, Tensor]] = {}
        self.useful: set[Node] | None = None

    def run(self, roots: Roots) -> None:
        """Propagate the gradients of the roots."""
        if self.wanted is not None:
            self._look_ahead([edge.node for edge, _ in roots])
        before, state.enabled = state.enabled, self.create_graph
        try:
            for edge, grad in roots:
                if self._is_needed(edge):
                    self._begin(edge, _fit(edge, grad))
            self._flow()
        finally:
            state.enabled = before

    def _is_needed(self, edge: Node) -> bool:
        if self.wanted is None or self.useful is None:
            return True
        return edge.node in self.useful or (edge.node, edge.number) in self.wanted

    def _begin(self, edge: Node, grad: Tensor | None) -> None:
        """Add a gradient to a node, and queue the node."""
        flow = self.flows.get(edge.order)
        if flow is None:
            heapq.heappush(self.heap, edge.order)
            self.flows[edge.order] = edge, grad, False
        elif grad is not None:
            self.flows[edge.order] = self._sum(flow, grad)

    def _flow(self) -> None:
        """Run the nodes in order until no gradient is left; the hot loop of training."""
        heap, flows, add = self.heap, self.flows, np.add
        pop, push = heapq.heappop, heapq.heappush
        is_plain, retain_graph = self.wanted is None, self.retain_graph
        adds_in_place = self.adds_in_place
        while heap:
            flow = flows.pop(pop(heap))
            node, grad, _ = flow
            if is_plain and node.extra is None:
                results = node.apply(grad)
            else:
                results = self._visit(*flow)
                if not results:
                    # The node was not run, so its saved tensors are kept.
                    continue
            is_new = node.makes_new_gradients and adds_in_place
            for edge, result in zip(node.edges, results):  # noqa: B905 - the fastest form
                if edge is None or result is None:
                    continue
                array = result.array
                if array.shape != edge.shape or array.dtype is not edge.dtype:
                    result = _fit(edge, result, node)
                    array = result.array
                order = edge.order
                known = flows.get(order)
                if known is None:
                    push(heap, order)
                    # A view shares its memory with another array, so it is not added to in place.
                    flows[order] = (
                        edge,
                        result,
                        is_new and result is not grad and array.base is None,
                    )
                elif known[2]:
                    total: Any = known[1]
                    add(total.array, array, out=total.array)
                else:
                    flows[order] = self._sum(known, result)
            if not retain_graph and type(node.saved) is list:
                node.saved = None

    def _sum(self, flow: Flow, grad: Tensor) -> Flow:
        """Add a gradient to the gradient accumulated for a node."""
        node, total, _ = flow
        if total is None:
            return node, grad, False
        return node, total + grad, self.adds_in_place

    def _visit(self, node: Node, grad: Tensor | None, is_new: bool) -> Sequence[Tensor | None]:
        """Slow path: leaves, multi-output nodes, hooks, ``inputs=``, anomaly mode."""
        if type(node) is Port:
            owner = node.node
            self._begin(owner, None)
            assert grad is not None
            others = self.others.setdefault(owner, {})
            # A saved output has a port of its own, so a gradient may already be present.
            before = others.get(node.number)
            others[node.number] = grad if before is None else before + grad
            return ()
        if type(node) is AccumulateGrad:
            self._arrive(node, grad, is_new=is_new)
            return ()
        extra = node.extra or Extra()
        others = self.others.pop(node, {})
        grads = [grad, *[others.get(number) for number in range(1, extra.num_outputs)]]
        if self.useful is not None and node not in self.useful:
            self._capture(node, _run_hooks_of_outputs(extra, grads))
            return ()
        # As in PyTorch, the captured gradients of a node that is run are those before its hooks.
        self._capture(node, grads)
        grads = _run_hooks_before(extra, _run_hooks_of_outputs(extra, grads))
        results = self._apply(node, extra, grads)
        for hook in list(extra.after.values()):
            changed = hook(tuple(results), tuple(grads))
            results = results if changed is None else changed
        if (extra.num_outputs > 1 or extra.after) and not self.create_graph:
            # A hook may have kept the results, or backward returned its inputs: alias them, so that
            # nothing adds to them in place.
            results = [None if each is None else alias(each) for each in results]
        if self.useful is not None:
            results = [
                None if edge is None or not self._is_needed(edge) else each
                for each, edge in zip(results, node.edges, strict=False)
            ]
        return results

    def _apply(
        self, node: Node, extra: Extra, grads: Sequence[Tensor | None]
    ) -> Sequence[Tensor | None]:
        if extra.stack is None:
            return node.apply(*grads)
        try:
            results = node.apply(*grads)
            if tracing.check_nan and not state.levels:
                _refuse_nan(node, results)
        except Exception:
            warnings.warn(
                f"Error detected in {node.name()}. Traceback of forward call that caused the "
                f"error:\n{extra.stack}",
                UserWarning,
                stacklevel=2,
            )
            raise
        return results

    def _arrive(self, leaf: AccumulateGrad, grad: Tensor | None, *, is_new: bool) -> None:
        """Accumulate a gradient into a leaf (``AccumulateGrad``)."""
        variable = leaf.variable
        if variable._current_edge() is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if not variable._requires_grad:
            return
        for hook in list((variable._hooks or {}).values()):
            # The hook may have kept a reference to the gradient.
            grad, is_new = None if grad is None else _hooked(hook, grad), False
        if self.wanted is not None and not self.fills:
            self._capture(leaf, [grad])
            return
        assert leaf.extra is not None, "what a leaf's node has makes it rare"
        grad = _run_hooks_before(leaf.extra, [grad])[0]
        if self.wanted is not None:
            self._capture(leaf, [grad])
        elif grad is not None:
            accumulate(variable, grad, is_new=is_new, create_graph=self.create_graph)
        for after in list(leaf.extra.after.values()):
            after((), (grad,))

    def _capture(self, node: Node, grads: Sequence[Tensor | None]) -> None:
        """Store the requested gradients."""
        for number, grad in enumerate(grads):
            if grad is not None and self.wanted and (node, number) in self.wanted:
                self.found[node, number] = grad

    def _look_ahead(self, roots: list[Node]) -> None:
        """Find the nodes from which a requested edge is reachable."""
        assert self.wanted is not None
        nodes, stack = set(roots), list(roots)
        while stack:
            for edge in stack.pop().edges:
                if edge is not None and edge.node not in nodes:
                    nodes.add(edge.node)
                    stack.append(edge.node)
        self.useful = useful = set()
        for node in sorted(nodes, key=lambda each: -each.order):
            for edge in node.edges:
                if edge is not None and self._is_needed(edge):
                    useful.add(node)
                    break


def accumulate(variable: Tensor, grad: Tensor, *, is_new: bool, create_graph: bool) -> None:
    """Accumulate a gradient into the ``grad`` of a leaf."""
    before = variable._grad
    if before is None:
        if create_graph:
            variable._grad = grad.clone()
        else:
            # Take over an array that no other object refers to; copy any other.
            variable._grad = wrap(grad.array if is_new else grad.array.copy(order="K"))
    elif create_graph:
        variable._grad = before + grad
    else:
        refuse_overlap(before.array)
        np.add(before.array, grad.array, out=before.array)
        before.bump_version()
    for hook in list((variable._post_accumulate_hooks or {}).values()):
        refuse_result(hook(variable))


def _fit(edge: Node, grad: Tensor, source: Node | None = None) -> Tensor:
    """Reduce a gradient to the shape and dtype of an input that was broadcast or promoted."""
    shape, dtype = edge.shape, edge.dtype
    if grad.array.shape != shape:
        try:
            fits = np.broadcast_shapes(shape, grad.array.shape) == grad.array.shape
        except ValueError:
            fits = False
        if not fits:
            assert source is not None, "the gradient of a root has its shape"
            raise RuntimeError(
                f"Function {source.name()} returned an invalid gradient at index "
                f"{source.edges.index(edge)} - got {list(grad.array.shape)} but expected shape "
                f"compatible with {list(shape)}"
            )
        grad = grad.sum_to_size(shape)
    if grad.array.dtype is not dtype:
        if grad.array.dtype.kind == "c" and dtype.kind == "f":
            grad = grad.real
        grad = grad._cast(dtype)
    return grad


def _hooked(hook: Callable[[Tensor], Any], grad: Tensor) -> Tensor:
    """Call a hook with a gradient; return the gradient, or the hook's result."""
    changed = hook(grad)
    if changed is None:
        return grad
    if not isinstance(changed, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(changed).__name__}'")
    if changed.array.shape != grad.array.shape:
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return changed


def _run_hooks_of_outputs(extra: Extra, grads: list[Tensor | None]) -> list[Tensor | None]:
    for number, of_output in extra.of_output.items():
        for hook in list(of_output.values()):
            grad = grads[number]
            grads[number] = grad if grad is None else _hooked(hook, grad)
    for number, reference in extra.retained.items():
        tensor, grad = reference(), grads[number]
        if tensor is not None and grad is not None:
            tensor._grad = grad if tensor._grad is None else tensor._grad + grad
    return grads


def _run_hooks_before(extra: Extra, grads: list[Tensor | None]) -> list[Tensor | None]:
    for before in list(extra.before.values()):
        replaced = before(tuple(grads))
        if replaced is not None:
            grads = list(replaced) if isinstance(replaced, tuple | list) else [replaced]
    return grads


def _refuse_nan(node: Node, results: Sequence[Tensor | None]) -> None:
    for number, grad in enumerate(results):
        if grad is not None and np.isnan(grad.array).any():
            raise RuntimeError(
                f"Function '{node.name()}' returned nan values in its {number}th output."
            )

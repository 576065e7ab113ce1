"""Custom autograd functions: ``Function`` with static ``forward`` and ``backward``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.inplace import write_part
from torchstone.microtorch.autograd.node import Node, SavedTensor, freed, wants_gradient
from torchstone.microtorch.autograd.once import once_differentiable as once_differentiable
from torchstone.microtorch.grad_mode import no_grad, state
from torchstone.microtorch.tensor import Tensor, alias, wrap


class FunctionCtx(Node):
    """Context that passes data from forward to backward and is also the node in the graph.

    Attributes:
        needs_input_grad: For each argument of forward, whether it needs a gradient.
    """

    function: type[Function]
    needs_input_grad: tuple[bool, ...] = ()
    materialize_grads = True
    _to_save: tuple[Tensor | None, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    # Shapes and dtypes of the outputs, for materializing missing gradients as zeros.
    _outputs: tuple[tuple[tuple[int, ...], Any] | None, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for backward; a later in-place change of one raises an error there."""
        self._to_save = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Mark the inputs that forward changed in place."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Mark the outputs that have no gradient."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward receives zeros or None for an output without a gradient."""
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """Return the tensors that forward saved."""
        if self.saved is None:
            raise freed()
        return tuple(None if each is None else each.get(self) for each in self.saved)

    saved_variables = saved_tensors

    def name(self) -> str:
        """Return the name of the node."""
        return f"{self.function.__name__}Backward"

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Call the user's backward."""
        if self.materialize_grads:
            grads = tuple(
                wrap(np.zeros(*like)) if grad is None and like is not None else grad
                for grad, like in zip(grads, self._outputs, strict=False)
            )
        function = self.function
        is_named_vjp = function.backward is Function.backward
        results = (function.vjp if is_named_vjp else function.backward)(self, *grads)
        if not isinstance(results, tuple):
            results = (results,)
        wanted = len(self.edges)
        if len(results) > wanted and all(each is None for each in results[wanted:]):
            results = results[:wanted]
        if len(results) != wanted:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{wanted}, got {len(results)})"
            )
        for place, (each, edge) in enumerate(zip(results, self.edges, strict=True)):
            if each is not None and not isinstance(each, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(each).__name__})")
            if each is not None and edge is None and not self._is_tensor[place]:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{place + 1}, but the corresponding forward input was not a Variable"
                )
        return results

    def complete(self, inputs: Sequence[Any], outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Record the node and return the outputs with their history."""
        self._is_tensor = [isinstance(each, Tensor) for each in inputs]
        self._note_dirty(outputs)
        made: list[Any] = []
        for output in outputs:
            is_input = any(output is each for each in inputs)
            is_dirty = any(output is each for each in self._dirty)
            if isinstance(output, Tensor) and ((is_input and not is_dirty) or output._edge):
                # An input, or a tensor that already has a history, cannot be given another history.
                output = output if is_dirty and output._base is None else alias(output)
            made.append(output)
        results = [each if isinstance(each, Tensor) else wrap(0) for each in made]
        self.record(results, inputs)
        for output, original in zip(made, outputs, strict=True):
            if any(original is each for each in self._non_differentiable):
                output._edge, output._requires_grad = None, False
            elif any(original is each for each in self._dirty) and original._base is not None:
                write_part(original, output)
        self._outputs = tuple(
            (each.array.shape, each.array.dtype) if isinstance(each, Tensor) else None
            for each in made
        )
        self.saved = [_save(each, outputs) for each in self._to_save]
        self._to_save = ()
        return tuple(
            original if any(original is each for each in self._dirty) else output
            for output, original in zip(made, outputs, strict=True)
        )

    def _note_dirty(self, outputs: tuple[Any, ...]) -> None:
        for each in self._dirty:
            if not any(each is output for output in outputs):
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as "
                    "output. The inputs that are modified inplace must all be outputs of the "
                    "Function."
                )
            if each._requires_grad and each._edge is None:
                raise RuntimeError(
                    "a leaf Variable that requires grad has been used in an in-place operation."
                )
            # The memory may have been written without the tensor's version counter.
            each.bump_version()


def _save(tensor: Tensor | None, outputs: tuple[Any, ...]) -> SavedTensor | None:
    if tensor is None:
        return None
    if not isinstance(tensor, Tensor):
        raise TypeError(
            "save_for_backward can only save variables, but argument is of type "
            f"{type(tensor).__name__}"
        )
    for number, output in enumerate(outputs):
        if output is tensor:
            return SavedTensor(tensor, number)
    return SavedTensor(tensor)


class Function:
    """Base class of custom autograd functions.

    ``forward(ctx, *args)`` computes the result, without being recorded, and saves what
    ``backward(ctx, *grad_outputs)`` needs. Alternatively, ``forward(*args)`` only computes, and
    ``setup_context(ctx, inputs, output)`` saves.
    """

    # The node type of this function, created at first use.
    _context: type[FunctionCtx] | None = None

    def __init__(self) -> None:
        raise RuntimeError(
            f"{type(self).__name__} should not be instantiated. Methods on autograd functions are "
            "all static, so you should invoke them on the class itself: "
            f"{type(self).__name__}.apply(...)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; implemented by the user."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, if ``forward`` takes no ``ctx``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs; the user implements it."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    # An alias in PyTorch; users may override either.
    vjp = backward

    @classmethod
    def _new_context(cls) -> FunctionCtx:
        kind: Any = cls.__dict__.get("_context")
        if kind is None:
            kind = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls})
            kind.__module__ = "torch.autograd.function"
            cls._context = kind
        made: FunctionCtx = kind()
        return made

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Compute the result, and record the function if an input requires a gradient."""
        if state.levels and state.levels[-1].maps((args, kwargs)):
            return state.levels[-1].loop(cls.apply, args, kwargs)
        ctx = cls._new_context()
        ctx.extra, ctx.saved = None, []
        ctx.needs_input_grad = wanted = tuple(wants_gradient(each) for each in args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        if not state.enabled or not any(wanted):
            return output
        several = isinstance(output, tuple)
        results = ctx.complete(args, output if several else (output,))
        return results if several else results[0]

"""Flattened optimizer state: parameters of one dtype in one array, updated together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from torchstone.microtorch.ops.complex import view_as_real
from torchstone.microtorch.tensor import Array, Tensor, wrap

State = dict[Tensor, dict[str, Any]]
# Elements per chunk: small enough to stay in a core's cache between passes.
PART = 32768


class Flat:
    """Parameters of one dtype and step count, with their state concatenated.

    The parameters themselves are not moved, because other objects may share their memory. The
    entries of ``state`` for a parameter are views of the concatenated array. Complex numbers are
    pairs of real ones, which are updated independently.

    Attributes:
        params: The parameters.
        step: The number of steps, including the current one.
        is_new: The parameters had no state before.
        scratch: Buffer for an update.
        arrays: State name -> concatenated array.
        scalars: State name -> scalar shared by all parameters.
    """

    def __init__(
        self,
        params: list[Tensor],
        state: State,
        initial: Mapping[str, Any],
        scalars: Sequence[str] = ("step",),
    ) -> None:
        self.params = params
        self._kinds = [(each.array.shape, each.array.dtype) for each in params]
        self._shapes = [numbers(each).shape for each in params]
        ends = list(itertools.accumulate(map(math.prod, self._shapes), initial=0))
        self._spans = [slice(*pair) for pair in itertools.pairwise(ends)]
        count, dtype = ends[-1], numbers(params[0]).dtype
        self.scratch = np.empty(count, dtype)
        self._parts = self.parts(self.scratch)
        self._names = initial.keys()
        self.scalars = {name: wrap(np.zeros((), np.float32)) for name in scalars}
        self.arrays = {name: np.empty(count, dtype) for name in initial if name not in scalars}
        self._kept: list[tuple[Tensor, str, Array]] = []
        self.is_new = not any(state[each] for each in params if each in state)
        for parameter, span in zip(params, self._spans, strict=True):
            own = state.setdefault(parameter, {}) if initial else {}
            for name, value in initial.items():
                before = own.get(name, value)
                if name in self.arrays:
                    part = self.arrays[name][span].view(parameter.array.dtype)
                    view = wrap(part.reshape(parameter.array.shape))
                else:
                    view = self.scalars[name]
                numbers(view)[...] = numbers(before) if isinstance(before, Tensor) else before
                own[name] = view
                self._kept.append((parameter, name, view.array))
        self.step = int(self.scalars["step"].array)

    @cached_property
    def grad(self) -> Array:
        """Return a writable buffer for the concatenated gradients."""
        return np.empty_like(self.scratch)

    def parts(self, array: Array) -> list[Array]:
        """Return views of a concatenated array with the shapes of the parameters."""
        return [
            array[span].reshape(shape)
            for span, shape in zip(self._spans, self._shapes, strict=True)
        ]

    def holds(self, state: State, names: Iterable[str]) -> bool:
        """Return whether all have a gradient, and parameters and state are the same objects."""
        kinds = [(each.array.shape, each.array.dtype) for each in self.params]
        return (
            (self._names, self._kinds) == (names, kinds)
            and all(each._grad is not None for each in self.params)
            and all(
                getattr(state[each].get(name), "array", None) is array
                for each, name, array in self._kept
            )
        )

    def gather(self, group: Mapping[str, Any]) -> None:
        """Concatenate the gradients, apply the group's weight decay, and increment the step."""
        decay = group.get("weight_decay", 0.0)
        if decay and group.get("decoupled_weight_decay", False):
            self.shrink(1 - float(group["lr"]) * decay)
            decay = 0.0
        self.step += 1
        self.scalars["step"].array[...] = self.step
        places = zip(self.params, self.parts(self.grad), self._parts, strict=True)
        for parameter, part, room in places:
            np.copyto(part, _gradient(parameter))
            if decay:
                np.multiply(numbers(parameter), decay, out=room)
        if group["maximize"]:
            np.negative(self.grad, out=self.grad)
        if decay:
            np.add(self.grad, self.scratch, out=self.grad)

    def lean(self, name: str, share: float) -> Array:
        """Update a running mean: move it towards the gradient by a fraction."""
        mean, scratch = self.arrays[name], self.scratch
        np.subtract(self.grad, mean, out=scratch)
        np.multiply(scratch, share, out=scratch)
        return np.add(mean, scratch, out=mean)

    def lean_square(self, name: str, beta: float) -> Array:
        """Update a running mean of squares with the decay ``beta``."""
        square, scratch = self.arrays[name], self.scratch
        np.multiply(square, beta, out=square)
        # Multiply in this order, because the square of a gradient may overflow float16.
        np.multiply(self.grad, 1 - beta, out=scratch)
        np.multiply(scratch, self.grad, out=scratch)
        return np.add(square, scratch, out=square)

    def descend(self, lr: float) -> None:
        """Apply plain gradient descent."""
        for parameter, update in zip(self.params, self._parts, strict=True):
            array, grad = numbers(parameter), _gradient(parameter)
            if array.size > PART and array.flags.c_contiguous and grad.flags.c_contiguous:
                self._descend_in_parts(array.reshape(-1), grad.reshape(-1), lr)
            else:
                np.multiply(grad, lr, out=update)
                np.subtract(array, update, out=array)
            parameter.bump_version()

    def _descend_in_parts(self, array: Array, grad: Array, lr: float) -> None:
        """Apply gradient descent in chunks, so that the update buffer stays in the cache."""
        for first in range(0, array.size, PART):
            part = array[first : first + PART]
            update = np.multiply(grad[first : first + PART], lr, out=self.scratch[: len(part)])
            np.subtract(part, update, out=part)

    def shrink(self, factor: float) -> None:
        """Multiply the parameters by a factor."""
        for parameter in self.params:
            np.multiply(parameter.array, factor, out=parameter.array)

    def subtract(self, update: Array) -> None:
        """Subtract an update from the parameters."""
        for parameter, part in zip(self.params, self.parts(update), strict=True):
            array = numbers(parameter)
            np.subtract(array, part, out=array)
            parameter.bump_version()


def numbers(tensor: Tensor) -> Array:
    """Return the array of a tensor; complex numbers as pairs of real ones."""
    array = tensor.array
    return view_as_real(tensor.data).array if array.dtype.kind == "c" else array


def _gradient(parameter: Tensor) -> Array:
    assert parameter._grad is not None, "only parameters with a gradient make a step"
    return numbers(parameter._grad)

"""The state of many parameters in one array each: a step is a few operations on long arrays."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Array, Tensor, wrap

State = dict[Tensor, dict[str, Any]]


class Flat:
    """Parameters of one type that have made as many steps, and their state laid end to end.

    The parameters themselves stay where they are, for others may share their memory. What
    ``state`` holds of a parameter is a view of the long array.

    Attributes:
        params: The parameters.
        step: How many steps they have made, this one counted.
        is_new: They had no state before.
        scratch: Room for an update.
        arrays: For a name of the state its long array.
        scalars: For a name of the state the one number that all parameters share.
    """

    def __init__(
        self,
        params: list[Tensor],
        state: State,
        initial: Mapping[str, Any],
        scalars: Sequence[str] = ("step",),
    ) -> None:
        self.params = params
        self._sizes = [each.array.size for each in params]
        ends = np.cumsum([0, *self._sizes]).tolist()
        self._spans = [slice(*pair) for pair in itertools.pairwise(ends)]
        count, dtype = ends[-1], params[0].array.dtype
        self.scratch = np.empty(count, dtype)
        self._parts = self.parts(self.scratch)
        self.scalars = {name: wrap(np.zeros((), np.float32)) for name in scalars}
        self.arrays = {name: np.empty(count, dtype) for name in initial if name not in scalars}
        self._kept: list[tuple[Tensor, str, Array]] = []
        self.is_new = not any(state[each] for each in params if each in state)
        for parameter, span in zip(params, self._spans, strict=True):
            own = state.setdefault(parameter, {}) if initial else {}
            for name, value in initial.items():
                before = own.get(name, value)
                if name in self.arrays:
                    view = wrap(self.arrays[name][span].reshape(parameter.array.shape))
                else:
                    view = self.scalars[name]
                view.array[...] = before.array if isinstance(before, Tensor) else before
                own[name] = view
                self._kept.append((parameter, name, view.array))
        self.step = int(self.scalars["step"].array)

    @cached_property
    def grad(self) -> Array:
        """Room for the gradients, gathered; may be written."""
        return np.empty_like(self.scratch)

    def parts(self, array: Array) -> list[Array]:
        """Look at a long array as the parameters are shaped."""
        return [
            array[span].reshape(each.array.shape)
            for each, span in zip(self.params, self._spans, strict=True)
        ]

    def holds(self, state: State) -> bool:
        """Tell whether all have a gradient, and nobody has put other state in the place of its."""
        return all(each._grad is not None for each in self.params) and all(
            state[each][name].array is array for each, name, array in self._kept
        )

    def gather(self, *, weight_decay: float, maximize: bool) -> None:
        """Bring the gradients together, with what ``weight_decay`` adds to them; count the step."""
        self.step += 1
        self.scalars["step"].array[...] = self.step
        for parameter, span in zip(self.params, self._spans, strict=True):
            assert parameter._grad is not None, "only parameters with a gradient make a step"
            shape = parameter.array.shape
            np.copyto(self.grad[span].reshape(shape), parameter._grad.array)
            if weight_decay:
                np.multiply(parameter.array, weight_decay, out=self.scratch[span].reshape(shape))
        if maximize:
            np.negative(self.grad, out=self.grad)
        if weight_decay:
            np.add(self.grad, self.scratch, out=self.grad)

    def lean(self, name: str, share: float) -> Array:
        """Move a mean by a share of its distance towards the gradient."""
        mean, scratch = self.arrays[name], self.scratch
        np.subtract(self.grad, mean, out=scratch)
        np.multiply(scratch, share, out=scratch)
        return np.add(mean, scratch, out=mean)

    def lean_square(self, name: str, beta: float) -> Array:
        """Keep the share ``beta`` of a mean of squares, and let the gradient's be the rest."""
        square, scratch = self.arrays[name], self.scratch
        np.multiply(square, beta, out=square)
        np.multiply(self.grad, self.grad, out=scratch)
        np.multiply(scratch, 1 - beta, out=scratch)
        return np.add(square, scratch, out=square)

    def descend(self, lr: float) -> None:
        """Step against the gradients as they are."""
        for parameter, update in zip(self.params, self._parts, strict=True):
            array = parameter.array
            assert parameter._grad is not None, "only parameters with a gradient make a step"
            np.multiply(parameter._grad.array, lr, out=update)
            np.subtract(array, update, out=array)
            parameter.bump_version()

    def shrink(self, factor: float) -> None:
        """Multiply the parameters by a number."""
        for parameter in self.params:
            np.multiply(parameter.array, factor, out=parameter.array)

    def subtract(self, update: Array) -> None:
        """Take an update away from the parameters."""
        for parameter, span in zip(self.params, self._spans, strict=True):
            array = parameter.array
            np.subtract(array, update[span].reshape(array.shape), out=array)
            parameter.bump_version()

"""LBFGS optimizer: limited-memory BFGS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.optim.line_search import Point, strong_wolfe
from torchstone.microtorch.optim.optimizer import Optimizer, checked
from torchstone.microtorch.tensor import Tensor


class LBFGS(Optimizer):
    """L-BFGS: each step makes several iterations and reevaluates the closure.

    Args:
        params: The parameters, in one group.
        lr: The step length, relative to the quasi-Newton step.
        max_iter: The maximum number of iterations per step.
        max_eval: The maximum number of loss evaluations; by default 1.25 times ``max_iter``.
        tolerance_grad: Stop if no element of the gradient is larger.
        tolerance_change: Stop if the loss or the parameters change by less.
        history_size: The number of stored updates.
        line_search_fn: ``"strong_wolfe"``, or None for the fixed step length ``lr``.

    Source:
        Nocedal and Wright, Numerical optimization (2006), algorithm 7.5.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, checked(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def _advance(self, closure: Callable[[], Any] | None) -> Any:
        """Make up to ``max_iter`` iterations; return the initial loss."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        group, state = self.param_groups[0], self.state[self._params[0]]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        first = closure()
        here = Point(0.0, float(first), self._flat_grad())
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        rest = group["max_eval"] - 1
        for number in range(group["max_iter"]):
            if here.grad.abs().max() <= group["tolerance_grad"]:
                break
            state["n_iter"] += 1
            state["d"] = self._direction(here.grad)
            state["prev_flat_grad"], state["prev_loss"] = here.grad, here.loss
            here.length, here.slope = 0.0, here.grad.dot(state["d"])
            # A tensor ``lr`` must not be modified in place.
            first_share = min(1.0, 1.0 / here.grad.abs().sum()) if state["n_iter"] == 1 else 1.0
            state["t"] = group["lr"] * first_share
            if here.slope > -group["tolerance_change"]:
                break
            is_last = number == group["max_iter"] - 1
            here, count = self._move(closure, here, is_last, rest)
            state["func_evals"] += count
            rest -= count
            if (
                rest <= 0
                or (state["d"] * state["t"]).abs().max() <= group["tolerance_change"]
                or abs(here.loss - state["prev_loss"]) < group["tolerance_change"]
            ):
                break
        return first

    def _direction(self, grad: Tensor) -> Tensor:
        """Compute the search direction: minus the inverse Hessian estimate times the gradient."""
        state, size = self.state[self._params[0]], self.param_groups[0]["history_size"]
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -grad
        turns, moves, weights = state["old_dirs"], state["old_stps"], state["ro"]
        turn, move = grad - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = turn.dot(move)
        if curvature > 1e-10:
            for each, new in ((turns, turn), (moves, move), (weights, 1.0 / curvature)):
                each.append(new)
                del each[:-size]
            state["H_diag"] = curvature / turn.dot(turn)
        shares = state["al"] = [None] * size
        direction = -grad
        for place in reversed(range(len(turns))):
            shares[place] = moves[place].dot(direction) * weights[place]
            direction -= turns[place] * shares[place]
        direction *= state["H_diag"]
        for place in range(len(turns)):
            back = turns[place].dot(direction) * weights[place]
            direction += moves[place] * (shares[place] - back)
        return direction

    def _move(
        self, closure: Callable[[], Any], here: Point, is_last: bool, rest: int
    ) -> tuple[Point, int]:
        """Move the parameters; return the new point and the number of loss evaluations."""
        group, state = self.param_groups[0], self.state[self._params[0]]
        direction = state["d"]

        def look(length: Any) -> Point:
            before = [each.clone() for each in self._params]
            self._add(direction, length)
            loss, grad = float(closure()), self._flat_grad()
            for parameter, old in zip(self._params, before, strict=True):
                parameter.copy_(old)
            return Point(length, loss, grad, grad.dot(direction))

        if group["line_search_fn"] is not None:
            width = group["tolerance_change"] / direction.abs().max()
            found, count = strong_wolfe(look, here, state["t"], width, rest)
            state["t"] = found.length
            self._add(direction, found.length)
            return found, count
        self._add(direction, state["t"])
        # The loss after the last iteration is not needed.
        return (here, 0) if is_last else (Point(0.0, float(closure()), self._flat_grad()), 1)

    def _add(self, direction: Tensor, length: Any) -> None:
        """Move the parameters along a direction."""
        parts = direction.split([each.numel() for each in self._params])
        for parameter, part in zip(self._params, parts, strict=True):
            parameter.add_(part.view_as(parameter) * length)

    def _flat_grad(self) -> Tensor:
        """Concatenate the gradients."""
        parts = [
            each.new_zeros(each.numel()) if each.grad is None else each.grad.reshape(-1)
            for each in self._params
        ]
        flat: Tensor = cat(parts)
        return flat

"""What a pass for some gradients leaves alone, and what it refuses, is what PyTorch does."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def hooked(t: Any, *wanted: str) -> Any:
    """Ask for some gradients while hooks of all kinds watch; tell what they saw."""
    seen: list[str] = []
    leaves = {name: t.ones(2, requires_grad=True) for name in "xz"}
    leaves["a"] = leaves["x"] * 2
    node = leaves["a"].grad_fn
    for name, each in leaves.items():
        each.register_hook(lambda grad, name=name: seen.append(name) or grad * 3)
    leaves["a"].retain_grad()
    node.register_prehook(lambda grads: seen.append("before") or (grads[0] * 5,))
    node.register_hook(lambda *_: seen.append("after"))
    node.next_functions[0][0].register_hook(lambda *_: seen.append("leaf"))
    loss = (leaves["a"] * leaves["z"]).sum()
    found = t.autograd.grad(loss, [leaves[name] for name in wanted])
    kept = leaves["a"].grad
    return [each.tolist() for each in found], kept if kept is None else kept.tolist(), sorted(seen)


def again(t: Any) -> Any:
    """Use what the pass had no need of a second time."""
    x, z = (t.ones(2, requires_grad=True) for _ in range(2))
    a = x.exp()
    b = a.sin()
    t.autograd.grad((a * z).sum(), z)
    t.autograd.grad(b.sum(), a)
    a.sum().backward()
    return x.grad


def batched(t: Any, **options: Any) -> Any:
    x, z = (t.ones(2, requires_grad=True) for _ in range(2))
    return t.autograd.grad(x * 2, [x, z], t.eye(2), is_grads_batched=True, **options)


def added_to(t: Any, grad: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    x.grad = grad(x)
    (x * 3).sum().backward()
    return x.grad


def older_name(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    with pytest.warns(FutureWarning, match="grad_variables"):
        t.autograd.backward((x * 2).sum(), grad_variables=t.tensor(3.0))
    return x.grad


def of_complex(t: Any, func: Callable[[Any], Any]) -> Any:
    t.manual_seed(0)
    x = t.randn(2, 2, dtype=t.complex128).t().requires_grad_()
    return t.autograd.gradcheck(func, x), t.autograd.gradgradcheck(func, x)


def filled(t: Any) -> Any:
    """Fill one leaf alone, whose node has hooks."""
    seen: list[str] = []
    x, z = (t.ones(2, requires_grad=True) for _ in range(2))
    loss = (x * z).sum()
    node = loss.grad_fn.next_functions[0][0].next_functions[0][0]
    node.register_hook(lambda *_: seen.append("after"))
    node.register_prehook(lambda grads: seen.append("before") or (grads[0] * 5,))
    loss.backward(inputs=[x])
    return seen, x.grad, z.grad


def variable(t: Any) -> Any:
    x = t.ones(2, requires_grad=True)
    made = t.autograd.Variable(x * 2)
    return made.requires_grad, t.autograd.Variable(x) is x


def noted(t: Any) -> Any:
    node = (t.ones(2, requires_grad=True) * 2).grad_fn
    node.metadata["mark"] = 1
    return node.metadata


def written_elsewhere(t: Any) -> Any:
    tensors = [t.ones(2), t.ones(3)]
    t.autograd.graph.increment_version(tensors)
    return [each._version for each in tensors]


def written(t: Any, forward: Callable[[Any, Any], Any]) -> Any:
    """Mark what a function of one's own says that it has written."""

    class Double(t.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return forward(ctx, x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = t.ones(4, requires_grad=True)
    whole = x * 1
    part = whole[:2]
    result = Double.apply(part), Double.apply(whole)
    whole.sum().backward()
    return result[0] is part, result[1] is whole, whole._version, x.grad


PROGRAMS: list[Callable[[Any], Any]] = [
    lambda t: hooked(t, "z"),
    lambda t: hooked(t, "a"),
    lambda t: hooked(t, "a", "x"),
    lambda t: hooked(t, "x", "z"),
    again,
    batched,
    lambda t: batched(t, allow_unused=True),
    lambda t: batched(t, materialize_grads=True),
    lambda t: added_to(t, lambda x: t.ones(1).expand(2)),
    lambda t: added_to(t, lambda x: x),
    filled,
    older_name,
    variable,
    written_elsewhere,
    noted,
    lambda t: written(t, lambda ctx, x: x.mul_(2)),
    lambda t: written(t, lambda ctx, x: x * 2),
    lambda t: of_complex(t, lambda x: x @ x.conj() + x**3),
    lambda t: of_complex(t, lambda x: (x * x.conj()).real),
    lambda t: t.autograd.gradcheck(lambda x: x.detach().sign(), leaf(t)),
    lambda t: (t.ones(2, requires_grad=True) * 2).backward(t.ones(2) * 1j),
    lambda t: t.autograd.backward([leaf(t).sum()], [t.tensor(1.0), t.tensor(1.0)]),
    lambda t: (leaf(t).sum() * 1j).backward(),
]


def leaf(t: Any) -> Any:
    return t.ones(2, dtype=t.float64, requires_grad=True)


def outcome(t: Any, program: Callable[[Any], Any]) -> str:
    try:
        return repr(program(t))
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_does_what_it_does_in_pytorch(number: int) -> None:
    assert outcome(micro, PROGRAMS[number]) == outcome(torch, PROGRAMS[number])


def test_gradcheck_finds_that_what_is_no_part_of_a_graph_has_a_gradient() -> None:
    for lib in (micro, torch):
        with pytest.raises(RuntimeError, match=r"Jacobian mismatch|expected to be zero"):
            lib.autograd.gradcheck(lambda x: x.detach() * 2, leaf(lib))

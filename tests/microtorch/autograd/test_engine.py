"""The backward pass where others break: deep, wide, shared, mutated, repeated."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import torchstone.microtorch as torch

pytestmark = pytest.mark.pure


def leaf(*values: float) -> Any:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 10, 3000])
def test_a_tensor_that_is_added_again_and_again_gets_each_gradient_once(count: int) -> None:
    x = leaf(1.0)
    y = x
    for _ in range(count):
        y = y + x
    y.backward()
    assert x.grad.tolist() == [count + 1]


def test_diamonds_cost_their_number_and_not_two_to_its_power() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(10_000):
        y = (y + y) * 0.5
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_a_graph_is_freed_at_once_and_by_counting_alone() -> None:
    gc.collect()
    gc.disable()
    try:
        x = leaf(0.5, 2.0)
        y = x.exp().sigmoid() * x
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_graph_that_is_never_differentiated_is_freed_as_well() -> None:
    gc.collect()
    gc.disable()
    try:
        y = leaf(0.5).exp().exp()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_saved_tensor_that_was_changed_is_found_out() -> None:
    x = leaf(3.0)
    a = x * 2
    y = (a * a).sum()
    a += 1
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation.*version 1"):
        y.backward()


def test_a_saved_result_that_was_changed_is_found_out() -> None:
    y = leaf(3.0).exp()
    z = y * 1
    y += 1
    with pytest.raises(RuntimeError, match=r"output 0 of Exp.*version 1; expected version 0"):
        z.backward()


def test_what_no_rule_needs_may_be_changed() -> None:
    x = leaf(3.0)
    a = x * 2
    y = a + 1
    a += 1
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_a_graph_can_be_used_once_unless_it_is_retained() -> None:
    x = leaf(3.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_gradients_do_not_share_memory_with_each_other_or_with_what_was_given() -> None:
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    given = torch.ones(2, dtype=torch.float64)
    (a + b).backward(given)
    a.grad += 1
    assert b.grad.tolist() == [1.0, 1.0]
    assert given.tolist() == [1.0, 1.0]


def test_a_reshaped_gradient_does_not_share_memory_with_what_was_given() -> None:
    a = leaf(1.0, 2.0)
    given = torch.ones(2, 1, dtype=torch.float64)
    a.reshape(2, 1).backward(given)
    a.grad += 1
    assert given.tolist() == [[1.0], [1.0]]


def test_hooks_run_when_their_gradient_is_complete_in_order_of_the_graph() -> None:
    seen: list[str] = []
    x, w = leaf(2.0), leaf(5.0)
    w.register_hook(lambda grad: seen.append(f"w {grad.item()}"))
    x.register_hook(lambda grad: seen.append(f"x {grad.item()}"))
    a = x * 3
    a.register_hook(lambda grad: seen.append(f"a {grad.item()}"))
    b = a + x
    b.register_hook(lambda grad: seen.append(f"b first {grad.item()}"))
    b.register_hook(lambda grad: grad * 10)
    b.register_hook(lambda grad: seen.append(f"b last {grad.item()}"))
    (b * w).backward()
    assert seen == ["w 8.0", "b first 5.0", "b last 50.0", "a 50.0", "x 200.0"]
    assert x.grad.tolist() == [200.0]


def test_a_hook_is_gone_when_it_is_removed() -> None:
    x = leaf(2.0)
    handle = x.register_hook(lambda grad: grad * 100)
    handle.remove()
    (x * 3).backward()
    assert x.grad.tolist() == [3.0]


def test_an_optimiser_can_step_while_the_gradients_still_flow() -> None:
    first, second = leaf(1.0), leaf(2.0)

    def step(parameter: Any) -> None:
        with torch.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None

    for parameter in (first, second):
        parameter.register_post_accumulate_grad_hook(step)
    (first * 3 + second * 4).backward()
    assert first.tolist() == pytest.approx([0.7])
    assert second.tolist() == pytest.approx([1.6])
    assert first.grad is None


def test_a_hook_after_the_accumulation_may_return_nothing() -> None:
    for returned, kind in ((3, TypeError), ((), TypeError), (leaf(1.0), RuntimeError)):
        x = leaf(1.0)
        x.register_post_accumulate_grad_hook(lambda _, returned=returned: returned)
        with pytest.raises(kind, match="hook"):
            (x * 2).backward()
        assert x.grad.tolist() == [2.0]


def test_only_what_is_asked_for_is_computed() -> None:
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise AssertionError("nobody has asked for this")

    x, w = leaf(2.0), leaf(5.0)
    y = Fails.apply(x) * w
    assert torch.autograd.grad(y, w)[0].tolist() == [2.0]


def test_an_intermediate_result_can_be_asked_for() -> None:
    x = leaf(2.0)
    a = x * 3
    y = a * a
    assert torch.autograd.grad(y, a)[0].tolist() == [12.0]
    assert x.grad is None


def test_what_has_no_part_is_refused_or_given_as_none_or_as_zeros() -> None:
    x, other = leaf(2.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="allow_unused"):
        torch.autograd.grad(x * 2, [x, other])
    assert torch.autograd.grad(x * 2, [x, other], allow_unused=True)[1] is None
    zeros = torch.autograd.grad(x * 2, [x, other], materialize_grads=True)[1]
    assert zeros.tolist() == [0.0]


def test_several_roots_are_taken_in_one_pass() -> None:
    x = leaf(2.0)
    a, b = x * 3, x * x
    torch.autograd.backward([a, b], [torch.tensor([10.0], dtype=torch.float64), None])
    assert x.grad.tolist() == [34.0]


def test_a_gradient_of_a_broadcast_is_summed_and_of_its_own_type() -> None:
    x = torch.ones(3, 1, requires_grad=True)
    y = torch.ones(2, 3, 4, dtype=torch.float64)
    (x * y).sum().backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.tolist() == [[8.0]] * 3
    # Of as many dimensions, too.
    x.grad = None
    (x * y[0]).sum().backward()
    assert x.grad.tolist() == [[4.0]] * 3


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 0)])
def test_tensors_without_elements_have_gradients_without_elements(shape: tuple[int, ...]) -> None:
    x = torch.zeros(shape, requires_grad=True)
    (x * 2 + 1).sum().backward()
    assert tuple(x.grad.shape) == shape


def test_shared_parameters_get_the_sum() -> None:
    w = leaf(2.0)
    ((w * 3) * (w * 5)).backward()
    assert w.grad.tolist() == [60.0]


def test_a_pass_inside_of_a_pass_does_not_disturb_it() -> None:
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                again = x.detach().requires_grad_()
                (again * again).backward(grad)
            return again.grad

    x = leaf(3.0)
    (Inner.apply(x) + x).backward()
    assert x.grad.tolist() == [7.0]


def test_a_pass_that_fails_leaves_nothing_behind() -> None:
    class Fails(torch.autograd.Function):
        broken = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if Fails.broken:
                raise ValueError("broken")
            return grad

    x = leaf(1.0)
    y = Fails.apply(x * 2) + x * 3
    with pytest.raises(ValueError, match="broken"):
        y.backward(retain_graph=True)
    assert torch.is_grad_enabled()
    x.grad = None
    Fails.broken = False
    y.backward()
    assert x.grad.tolist() == [5.0]


def test_gradients_of_gradients() -> None:
    x = leaf(2.0)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x, create_graph=True)
    (third,) = torch.autograd.grad(second, x)
    assert [first.item(), second.item(), third.item()] == [12.0, 12.0, 6.0]


def test_an_anomaly_names_the_line_that_made_it() -> None:
    x = leaf(-1.0)
    with pytest.warns(UserWarning, match="has been enabled"):
        anomaly = torch.autograd.detect_anomaly()
    with anomaly:
        y = x.sqrt().sum()  # the line
        with (
            pytest.warns(UserWarning, match=r"y = x\.sqrt"),
            pytest.raises(RuntimeError, match=r"SqrtBackward0.*nan"),
        ):
            y.backward()


def test_saved_tensors_can_be_kept_elsewhere() -> None:
    packed: list[Any] = []

    def pack(tensor: Any) -> int:
        packed.append(tensor.numpy(force=True).astype(np.float16))
        return len(packed) - 1

    x = leaf(1.5, 2.5)
    with torch.autograd.graph.saved_tensors_hooks(
        pack, lambda number: torch.from_numpy(packed[number].astype(np.float64))
    ):
        y = (x * x).sum()
    y.backward()
    assert len(packed) == 2
    assert x.grad.tolist() == [3.0, 5.0]

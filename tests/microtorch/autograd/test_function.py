"""Operations of the user's own do what PyTorch's users expect."""

from typing import Any

import pytest

import torchstone.microtorch as torch
from torchstone.microtorch.autograd.function import once_differentiable

pytestmark = pytest.mark.pure


def leaf(*values: float) -> Any:
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


def test_a_function_can_be_differentiated_twice() -> None:
    assert torch.autograd.gradcheck(Cube.apply, leaf(0.5, -2.0))
    assert torch.autograd.gradgradcheck(Cube.apply, leaf(0.5, -2.0))


def test_a_wrong_backward_is_found_by_gradcheck() -> None:
    class Wrong(Cube):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0"):
        torch.autograd.gradcheck(Wrong.apply, leaf(0.5))
    assert not torch.autograd.gradcheck(Wrong.apply, leaf(0.5), raise_exception=False)


def test_forward_and_context_may_be_apart() -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, scale: float) -> Any:
            return x * scale

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.scale = inputs[1]

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.scale, None

    x = leaf(1.0)
    Scaled.apply(x, 4.0).backward()
    assert x.grad.tolist() == [4.0]


def test_it_knows_which_gradients_are_wanted() -> None:
    seen = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, name: str) -> Any:
            seen.append(ctx.needs_input_grad)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None, None

    Product.apply(leaf(1.0), torch.ones(1), "c").backward()
    with torch.no_grad():
        assert not Product.apply(leaf(1.0), torch.ones(1), "c").requires_grad
    assert seen == [(True, False, False)] * 2


def test_an_output_that_no_gradient_reaches_gives_zeros_or_none() -> None:
    class Two(torch.autograd.Function):
        materialize = True
        seen: Any = None

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(Two.materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            Two.seen = second
            return first * 2

    x = leaf(1.0)
    Two.apply(x)[0].backward()
    assert Two.seen.tolist() == [0.0]
    Two.materialize = False
    Two.apply(x)[0].backward()
    assert Two.seen is None


def test_an_output_may_have_no_gradient() -> None:
    class Ranked(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            mask = (x > 0).double()
            ctx.mark_non_differentiable(mask)
            ctx.save_for_backward(mask)
            return x * mask, mask

        @staticmethod
        def backward(ctx: Any, grad: Any, _: Any) -> Any:
            (mask,) = ctx.saved_tensors
            return grad * mask

    x = leaf(1.0, -1.0)
    y, mask = Ranked.apply(x)
    assert not mask.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        x *= 2
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 2


def test_an_input_that_is_written_in_place_goes_on_with_the_new_history() -> None:
    x = leaf(1.0, 2.0)
    y = x * 3
    z = Doubled.apply(y)
    assert z is y
    (z * z).sum().backward()
    assert x.grad.tolist() == [72.0, 144.0]


def test_a_leaf_may_not_be_written_in_place() -> None:
    with pytest.raises(RuntimeError, match="leaf Variable"):
        Doubled.apply(leaf(1.0))


def test_an_input_that_is_given_back_is_another_tensor() -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 7

    x = leaf(1.0)
    y = Same.apply(x)
    assert y is not x
    y.backward()
    assert x.grad.tolist() == [7.0]


def test_what_is_differentiable_once_is_so_once() -> None:
    class Once(Cube):
        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x, weight = leaf(2.0), leaf(1.0)
    (first,) = torch.autograd.grad(Once.apply(x), x, weight, create_graph=True)
    assert first.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        torch.autograd.grad(first, weight)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ((), r"expected 1, got 0"),
        ((1.0, 2.0), r"expected 1, got 2"),
        ("text", r"expected Variable or None \(got str\)"),
    ],
)
def test_a_backward_that_returns_something_else_is_told_so(returned: Any, message: str) -> None:
    class Odd(Cube):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return returned

    with pytest.raises((RuntimeError, TypeError), match=message):
        Odd.apply(leaf(1.0)).backward()


def test_a_saved_tensor_that_was_changed_is_found_out() -> None:
    x = leaf(1.0)
    a = x * 1
    y = Cube.apply(a)
    a += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_saved_tensors_are_gone_after_the_pass() -> None:
    y = Cube.apply(leaf(1.0))
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_a_function_is_not_made_but_applied() -> None:
    with pytest.raises(RuntimeError, match="apply"):
        Cube()
    with pytest.raises(NotImplementedError, match="forward"):
        torch.autograd.Function.apply(leaf(1.0))


def test_backward_may_be_called_vjp() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def vjp(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = leaf(1.0)
    y = Double.apply(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0]
    assert type(y.grad_fn).__name__ == "DoubleBackward"

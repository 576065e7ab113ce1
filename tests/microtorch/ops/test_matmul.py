"""Products: what samples of well-formed calls do not show."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def both(*shape, seed=0):
    """Make the same tensor twice: ours and PyTorch's, both wanting a gradient."""
    array = np.random.default_rng(seed).standard_normal(shape)
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((2, 3, 4), (4, 5)),
        ((4,), (2, 4, 3)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 4), (2, 4, 5)),
        ((2, 0, 4), (4, 5)),
        ((2, 3, 0), (0, 5)),
    ],
)
def test_gradients_of_a_broadcast_product_agree(first, second):
    a, a_torch = both(*first)
    b, b_torch = both(*second, seed=1)
    (a @ b).sin().sum().backward()
    (a_torch @ b_torch).sin().sum().backward()
    np.testing.assert_allclose(a.grad.numpy(), a_torch.grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(b.grad.numpy(), b_torch.grad.numpy(), atol=1e-12)


def test_transposed_and_strided_operands_give_the_same_product():
    a, _ = both(6, 8)
    b, _ = both(6, 8, seed=1)
    wanted = a.detach().numpy()[::2].T @ b.detach().numpy()[::2]
    got = a.detach()[::2].T @ b.detach()[::2]
    np.testing.assert_allclose(got.numpy(), wanted)


def test_an_expanded_operand_is_multiplied_as_if_it_were_copied():
    a, _ = both(3, 1)
    b, _ = both(4, 5, seed=1)
    wide = a.detach().expand(3, 4)
    np.testing.assert_allclose(
        (wide @ b).detach().numpy(), wide.clone().numpy() @ b.numpy(force=True)
    )


def test_half_precision_adds_up_in_single():
    a = micro.full((1, 4096), 1.0, dtype=micro.float16)
    assert (a @ a.transpose(0, 1)).item() == 4096
    assert micro.dot(a[0], a[0]).item() == 4096


def test_a_beta_of_zero_ignores_what_is_added_to():
    nan = micro.full((2, 2), float("nan"))
    eye = micro.eye(2)
    assert micro.addmm(nan, eye, eye, beta=0).tolist() == eye.tolist()


@pytest.mark.parametrize("name", ["addmm", "addbmm", "baddbmm", "addmv", "addr"])
def test_the_variant_in_place_writes_and_counts(name):
    shapes = {
        "addmm": ((2, 2), (2, 3), (3, 2)),
        "addbmm": ((2, 2), (4, 2, 3), (4, 3, 2)),
        "baddbmm": ((4, 2, 2), (4, 2, 3), (4, 3, 2)),
        "addmv": ((2,), (2, 3), (3,)),
        "addr": ((2, 3), (2,), (3,)),
    }[name]
    ours, theirs = zip(*(both(*shape, seed=n) for n, shape in enumerate(shapes)), strict=True)
    target, wanted = ours[0].detach().clone(), theirs[0].detach().clone()
    getattr(target, f"{name}_")(*ours[1:], beta=0.5, alpha=2)
    getattr(wanted, f"{name}_")(*theirs[1:], beta=0.5, alpha=2)
    np.testing.assert_allclose(target.detach().numpy(), wanted.detach().numpy())
    assert target._version == wanted._version == 1
    assert target.requires_grad


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.ones(2, 3) @ t.ones(2, 3), r"cannot be multiplied \(2x3 and 2x3\)"),
        (lambda t: t.ones(2, 3) @ t.ones(3, 2, dtype=t.float64), "to have the same dtype"),
        (lambda t: t.ones(2, 2, 3) @ t.ones(3, 3, 2), "must match the size of tensor b"),
        (lambda t: t.ones(()) @ t.ones(3), "to be at least 1D"),
        (lambda t: t.mm(t.ones(2), t.ones(2, 2)), None),
        (lambda t: t.bmm(t.ones(2, 2, 2), t.ones(3, 2, 2)), "Expected size for first two dim"),
        (lambda t: t.dot(t.ones(2), t.ones(3)), "inconsistent tensor size"),
        (lambda t: t.mv(t.ones(2, 3), t.ones(2)), "size mismatch"),
        (lambda t: t.outer(t.ones(2, 2), t.ones(2)), "Expected 1-D argument self"),
        (lambda t: t.addmm(t.ones(5), t.ones(2, 3), t.ones(3, 2)), "The expanded size"),
        (
            lambda t: t.addr(t.ones(2, 2).long(), t.ones(2).long(), t.ones(2).long(), beta=0.5),
            "must not be a floating",
        ),
    ],
)
def test_operands_that_do_not_fit_are_refused_as_in_pytorch(call, message):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError, match=message):
            call(framework)


def test_an_operator_with_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        micro.ones(2) @ 3


def test_whole_numbers_are_multiplied_exactly():
    big = 2**53 + 1
    result = micro.tensor([[big]]) @ micro.tensor([[1]])
    assert result.item() == big
    assert result.dtype is micro.int64


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x @ x,
        lambda x: x[0] @ x[0],
        lambda x: x[None] @ x[None],
        lambda x: x.addmm(x, x),
        lambda x: x.addbmm(x[None], x[None]),
    ],
)
def test_truth_values_are_not_multiplied_as_in_pytorch(call):
    for lib in (torch, micro):
        with pytest.raises(NotImplementedError, match="Bool"):
            call(lib.ones(2, 2).bool())

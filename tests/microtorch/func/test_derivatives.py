import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.func.test_vmap import BOTH, same

# PyTorch warns of its own means: of slow rules, and of what it compiles.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]


def wave(a):
    return a.sin() * a.sum()


CASES = {
    "grad": lambda t, x, y: t.func.grad(lambda a: (a**3).sum())(x),
    "grad of grad": lambda t, x, y: t.func.grad(t.func.grad(lambda a: a**3))(x[0, 0]),
    "value": lambda t, x, y: t.func.grad_and_value(lambda a: wave(a).sum())(x)[1],
    "argnums": lambda t, x, y: t.func.grad(lambda a, b: (a * b).sum(), (1, 0))(x, x + 1)[0],
    "aux": lambda t, x, y: t.func.grad(lambda a: (a.sum(), [a * 2]), has_aux=True)(x)[1][0],
    "tree": lambda t, x, y: t.func.grad(lambda p: (p["w"] * p["b"][0]).sum())(
        {"w": x, "b": [x * 2]}
    )["b"][0],
    "vjp": lambda t, x, y: t.func.vjp(lambda a, b: (a @ b, a.sum()), x, x.T)[1](
        (t.ones(3, 3), x[0, 0])
    )[1],
    "jvp": lambda t, x, y: t.func.jvp(wave, (x,), (x + 1,))[1],
    "jvp of two": lambda t, x, y: t.func.jvp(lambda a, b: a * b.cos(), (x, x), (x, x * 2))[1],
    "jacrev": lambda t, x, y: t.func.jacrev(wave)(x[0]),
    "jacrev in chunks": lambda t, x, y: t.func.jacrev(wave, chunk_size=2)(x[0]),
    "jacfwd": lambda t, x, y: t.func.jacfwd(lambda a: wave(a)[:2])(x[0]),
    "jacobian of trees": lambda t, x, y: t.func.jacrev(
        lambda a, b: {"q": (a * b, b.sum())}, argnums=(1, 0)
    )(x[0], x[1])["q"][0][1],
    "jacrev thrice": lambda t, x, y: t.func.jacrev(t.func.jacrev(t.func.jacrev(wave)))(x[0]),
    "jacfwd twice": lambda t, x, y: t.func.jacfwd(t.func.jacfwd(wave))(x[0]),
    "hessian": lambda t, x, y: t.func.hessian(lambda a: wave(a).prod())(x[0]),
    "hessian through a pool": lambda t, x, y: t.func.hessian(
        lambda a: (t.nn.functional.max_pool2d(a, 2) ** 2).sum()
    )(y[:, :, :2]),
    "hessian of two": lambda t, x, y: t.func.hessian(
        lambda a, b: (a * b).sin().sum(), argnums=(0, 1)
    )(x[0], x[1])[0][1],
    "linearize": lambda t, x, y: t.func.linearize(wave, x)[1](x),
    "vmap of grad": lambda t, x, y: t.vmap(t.func.grad(lambda a: wave(a).sum()))(x),
    "vmap of vmap of hessian": lambda t, x, y: t.vmap(
        t.vmap(t.func.hessian(lambda a: wave(a).prod()))
    )(y),
    "vmap of vjp": lambda t, x, y: t.vmap(lambda a: t.func.vjp(wave, a)[1](a)[0])(x),
    "vmap of jvp": lambda t, x, y: t.vmap(lambda a: t.func.jvp(wave, (a,), (a * 2,))[1])(x),
    "vmap of jacfwd": lambda t, x, y: t.vmap(t.func.jacfwd(wave))(x),
    "per-sample gradients": lambda t, x, y: t.vmap(
        t.func.grad(lambda w, a: (a @ w).sin().sum()), (None, 0)
    )(x.T, x),
    "grad in vmap of what is around": lambda t, x, y: t.vmap(
        lambda a: t.func.grad(lambda w: (w * a).sin().sum())(x[1])
    )(x),
    "grad of vmap of grad": lambda t, x, y: t.func.grad(
        lambda w: t.vmap(t.func.grad(lambda a: ((a * w) ** 3).sum()))(x).pow(2).sum()
    )(x[0]),
    "vmap of grad of vmap": lambda t, x, y: t.vmap(
        t.func.grad(lambda a: t.vmap(lambda b: (a * b).sum().sin())(y[0]).sum())
    )(x),
    "detached": lambda t, x, y: t.func.grad(
        lambda q: t.vmap(lambda a: (a.detach() * a).sum())(q).sum()
    )(x),
}


@pytest.mark.parametrize("name", CASES)
def test_transforms_agree_with_pytorch(name):
    same(CASES[name])


def test_autograd_grad_runs_for_a_batch_of_vectors():
    def case(t, x, y):
        w = x[0].clone().requires_grad_()
        return t.vmap(lambda v: t.autograd.grad(w.sin(), w, v, retain_graph=True)[0])(x)

    same(case)


@BOTH
def test_results_carry_a_history_only_if_somebody_else_is_in_it(lib):
    x, w = lib.ones(3), lib.ones(3, requires_grad=True)
    slope = lib.func.grad(lambda a: (a**2 * w).sum())
    assert slope(x).requires_grad
    assert not lib.func.grad(lambda a: (a**2).sum())(x).requires_grad
    assert not lib.func.vjp(lambda a: a**2, x)[0].requires_grad
    with lib.no_grad():
        assert not slope(x).requires_grad
    slope(x).sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]
    assert x.grad is None


@BOTH
@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda t, x: t.func.grad(lambda a: a)(x), RuntimeError, "return a scalar Tensor"),
        (lambda t, x: t.func.grad(lambda a: 3)(x), RuntimeError, "return a Tensor"),
        (lambda t, x: t.func.grad(lambda a: a)(3.0), ValueError, "must be Tensor"),
        (lambda t, x: t.func.grad(lambda a: a.sum(), 2)(x), RuntimeError, "Got argnum=2"),
        (lambda t, x: t.func.grad(lambda a: a.sum(), "a")(x), RuntimeError, "argnums must be"),
        (lambda t, x: t.func.grad(lambda a: a.sum(), (0, 0))(x), RuntimeError, "unique"),
        (lambda t, x: t.func.grad(lambda a: a.sum())(x.long()), RuntimeError, "floating point"),
        (lambda t, x: t.func.grad(lambda a: a, has_aux=True)(x), RuntimeError, "has_aux"),
        (lambda t, x: t.func.grad(lambda a: a.sin_().sum())(x), RuntimeError, "in-place"),
        (lambda t, x: t.func.vjp(lambda a: 3, x), RuntimeError, "only tensors"),
        (lambda t, x: t.func.vjp(lambda a: (a, a), x)[1](x), RuntimeError, "structure"),
        (lambda t, x: t.func.vjp(lambda a: a, x)[1](x[0]), RuntimeError, "Mismatch in shape"),
        (lambda t, x: t.func.jvp(lambda a: a, x, x), RuntimeError, "primals to be a tuple"),
        (lambda t, x: t.func.jvp(lambda a: a, (x,), (x, x)), RuntimeError, "structure"),
        (lambda t, x: t.func.jvp(lambda a: a, (x,), (x[0],)), RuntimeError, "different size"),
        (lambda t, x: t.func.jacrev(lambda a: 3)(x), RuntimeError, "only tensors"),
        (lambda t, x: t.func.jacrev(lambda a: a, chunk_size=0)(x), ValueError, "chunk_size"),
    ],
)
def test_misuse_is_refused_with_the_class_and_the_words_of_pytorch(lib, call, kind, text):
    with pytest.raises(kind, match=text):
        call(lib, lib.ones(2, 3))


def test_the_jacobian_of_nothing_is_empty():
    got = micro.func.jacrev(lambda a: a[:0])(micro.ones(3))
    assert got.shape == torch.func.jacrev(lambda a: a[:0])(torch.ones(3)).shape


def test_hessian_vector_products_need_no_hessian():
    def case(t, x, y):
        return t.func.jvp(t.func.grad(lambda a: wave(a).sum()), (x,), (x + 1,))[1]

    same(case)


def test_a_function_that_is_constant_has_gradients_of_zero():
    x = micro.ones(3)
    assert micro.func.grad(lambda a: micro.ones(()))(x).tolist() == [0.0] * 3
    assert micro.func.jvp(lambda a: micro.ones(2), (x,), (x,))[1].tolist() == [0.0] * 2
    np.testing.assert_array_equal(micro.func.jacfwd(lambda a: micro.ones(2))(x), np.zeros((2, 3)))

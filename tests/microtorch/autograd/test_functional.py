import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
BOTH = pytest.mark.parametrize("lib", [torch, micro], ids=["torch", "micro"])


def of(lib):
    return lib.autograd.functional, lib.tensor([0.5, -1.0, 2.0]), lib.tensor([1.0, 0.3, -0.4])


def cube(a, b):
    return (a**3 * b).sum()


CASES = {
    "vjp": lambda f, x, y: f.vjp(lambda a: a.sin() * a.sum(), x, y),
    "vjp of a scalar": lambda f, x, y: f.vjp(lambda a: a.prod(), x),
    "vjp of two": lambda f, x, y: f.vjp(lambda a, b: (a * b, b.sum()), (x, y), (y, x[0])),
    "jvp": lambda f, x, y: f.jvp(lambda a: a.sin() * a.sum(), x, y),
    "jvp of two": lambda f, x, y: f.jvp(lambda a, b: (a * b, b.sum()), (x, y), (y, x)),
    "jacobian": lambda f, x, y: f.jacobian(lambda a: a.sin() * a.sum(), x),
    "jacobian of two": lambda f, x, y: f.jacobian(lambda a, b: (a * b, b.sum()), (x, y)),
    "forward": lambda f, x, y: f.jacobian(
        lambda a: a.sin() * a.sum(), x, strategy="forward-mode", vectorize=True
    ),
    "hessian": lambda f, x, y: f.hessian(lambda a: cube(a, a), x),
    "hessian of two": lambda f, x, y: f.hessian(cube, (x, y)),
    "hvp": lambda f, x, y: f.hvp(lambda a: cube(a, a), x, y),
    "hvp of two": lambda f, x, y: f.hvp(cube, (x, y), (y, x)),
    "vhp of two": lambda f, x, y: f.vhp(cube, (x, y), (y, x)),
    "of what it does not depend on": lambda f, x, y: f.jacobian(lambda a, b: a * 2, (x, y)),
}


def flat(value):
    if isinstance(value, tuple):
        return [leaf for each in value for leaf in (*flat(each), None)]
    return [value]


@pytest.mark.parametrize("name", CASES)
def test_products_and_jacobians_agree_with_pytorch(name):
    got, wanted = (flat(CASES[name](*of(lib))) for lib in (micro, torch))
    assert len(got) == len(wanted)
    for mine, other in zip(got, wanted, strict=True):
        assert (mine is None) == (other is None)
        if other is not None:
            np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=1e-5, atol=1e-6)


@BOTH
def test_results_can_be_differentiated_if_that_is_asked_for(lib):
    f, x, _ = of(lib)
    x.requires_grad_()
    assert not f.jacobian(lambda a: a**3, x).requires_grad
    found = f.jacobian(lambda a: a**3, x, create_graph=True)
    found.sum().backward()
    np.testing.assert_allclose(x.grad, 6 * x.detach())
    assert f.hvp(lambda a: (a**3).sum(), x, x.detach(), create_graph=True)[1].requires_grad


@BOTH
@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda f, x: f.vjp(lambda a: a, x), RuntimeError, "v can only be None"),
        (lambda f, x: f.jvp(lambda a: a, x), RuntimeError, "v can only be None"),
        (lambda f, x: f.vjp(lambda a: a, x, x[:2]), RuntimeError, "v has invalid size"),
        (lambda f, x: f.vjp(lambda a: a, 3, x), TypeError, "inputs given to vjp"),
        (lambda f, x: f.vjp(lambda a: 3, x, x), TypeError, "outputs of the user-provided"),
        (lambda f, x: f.hessian(lambda a: a, x), RuntimeError, "single element"),
        (lambda f, x: f.hvp(lambda a: a, x, x), RuntimeError, "single element"),
        (lambda f, x: f.jacobian(lambda a: a, x, strategy="no"), AssertionError, "strategy"),
        (
            lambda f, x: f.jacobian(lambda a: a, x, strict=True, vectorize=True),
            RuntimeError,
            "not supported together",
        ),
        (
            lambda f, x: f.jacobian(lambda a, b: a, (x, x), strict=True),
            RuntimeError,
            "independent of input 1",
        ),
        (
            lambda f, x: f.jvp(lambda a: a.detach(), x, x, strict=True),
            RuntimeError,
            "does not require gradients",
        ),
    ],
)
def test_misuse_is_refused_with_the_class_and_the_words_of_pytorch(lib, call, kind, text):
    f, x, _ = of(lib)
    with pytest.raises(kind, match=text):
        call(f, x)

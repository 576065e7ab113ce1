import gc
import weakref

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

# PyTorch warns of its own means: of slow rules, and of what it compiles.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

BOTH = pytest.mark.parametrize("lib", [torch, micro], ids=["torch", "micro"])
ROWS = [[0.5, -1.0, 2.0, 0.1], [1.5, 0.3, -0.7, 2.2], [-0.2, 0.9, 1.1, -1.3]]
CUBE = np.linspace(-1.0, 1.0, 60).reshape(3, 5, 4).tolist()


def same(case):
    """Run a function of the library and of two tensors with both, and compare."""
    got, wanted = (
        np.asarray(case(lib, lib.tensor(ROWS), lib.tensor(CUBE)).detach()) for lib in (micro, torch)
    )
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_dimensions_go_in_and_out_where_they_are_named():
    same(lambda t, x, y: t.vmap(lambda a: a.sum(0), in_dims=-1)(y))
    same(lambda t, x, y: t.vmap(lambda a: (a, a.sum()), out_dims=(1, 0))(x)[0])
    same(lambda t, x, y: t.vmap(lambda a, b: a * b, in_dims=(1, None))(x, x[:, 0]))


def test_trees_go_in_and_out():
    def case(t, x, y):
        def swap(tree):
            return {"out": [tree["a"] * 2, (tree["b"].sum(),)]}

        return t.vmap(swap, in_dims=({"a": 0, "b": None},))({"a": x, "b": y})["out"][1][0]

    same(case)


def test_vmap_nests():
    same(lambda t, x, y: t.vmap(t.vmap(lambda a, b: a * b + b.sum(), (0, None)))(y, x))
    same(lambda t, x, y: t.vmap(lambda a: t.vmap(lambda b: (a * b).softmax(-1))(y[0]))(x))
    same(lambda t, x, y: t.vmap(t.vmap(lambda a, b: a @ b, (0, None)))(y, x))


def test_numbers_promote_as_single_examples_do():
    same(lambda t, x, y: t.vmap(lambda a, s: a * s)(x, x[:, 0].double()))
    same(lambda t, x, y: t.vmap(lambda s: s.long() + 0.5)(x[:, 0]))


def test_what_is_not_mapped_is_repeated_in_the_output():
    same(lambda t, x, y: t.vmap(lambda a: t.ones(2))(x))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_chunks_give_the_same(size):
    same(lambda t, x, y: t.vmap(lambda a: a * a.sum(), out_dims=1, chunk_size=size)(x))


def test_elements_are_picked_by_indices_of_each_example():
    same(lambda t, x, y: t.vmap(lambda a, i: a[i])(x, t.tensor([0, 1, 2])))
    same(lambda t, x, y: t.vmap(lambda a, i: a[i])(x, t.tensor([[0, 1], [1, 2], [2, 2]])))
    same(lambda t, x, y: t.vmap(lambda a: a[t.tensor([0, 2]), None, t.tensor([0, 2])])(y))
    same(lambda t, x, y: t.vmap(lambda a: a[:, t.tensor([0, 2])])(y))
    table = torch.nn.functional.embedding, micro.nn.functional.embedding
    same(lambda t, x, y: t.vmap(lambda i: table[t is micro](i, x))(t.tensor([[0, 1], [1, 2]])))


def test_writing_in_place_reaches_the_examples_and_their_gradients():
    def change(a):
        b = a.clone()
        b.mul_(2)
        b[0] = 1
        b[1:3] += a[:2]
        b.view(2, 2)[1].mul_(3)
        return b

    def fill(t, a):
        z = t.zeros_like(a)
        z.copy_(a)
        z[1] = a[2]
        return z.clamp_(0)

    same(lambda t, x, y: t.vmap(change)(x))
    same(lambda t, x, y: t.func.grad(lambda q: t.vmap(change)(q).pow(2).sum())(x))
    same(lambda t, x, y: t.vmap(lambda a: fill(t, a))(x))
    x = micro.tensor(ROWS)
    micro.vmap(lambda a: a.add_(1))(x)
    np.testing.assert_allclose(x.numpy(), np.float32(ROWS) + 1)


@BOTH
def test_examples_can_not_be_written_into_what_has_none(lib):
    for write in (
        lambda a: lib.zeros(4).copy_(a),
        lambda a: lib.zeros(4).add_(a),
        lambda a: lib.zeros(4).__setitem__(0, a[0]),
    ):
        with pytest.raises(RuntimeError):
            lib.vmap(write)(lib.tensor(ROWS))


@BOTH
@pytest.mark.parametrize(
    "function",
    [
        lambda a: a.sum().item(),
        lambda a: a if a.sum() > 0 else -a,
        lambda a: a * int(a.sum()),
        lambda a: a[a > 0],
        lambda a: a.nonzero(),
        lambda a: a.numpy(),
    ],
)
def test_values_can_not_be_read(lib, function):
    with pytest.raises(RuntimeError):
        lib.vmap(function)(lib.tensor(ROWS))


@BOTH
@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda t, x: t.vmap(lambda a: 3)(x), ValueError, "must only return Tensors"),
        (lambda t, x: t.vmap(lambda a, b: a)(x, x[:2]), ValueError, "same size in the mapped"),
        (lambda t, x: t.vmap(lambda a, b: a, (0,))(x, x), ValueError, "not compatible with the"),
        (lambda t, x: t.vmap(lambda a: a, (None,))(x), ValueError, "at least one Tensor"),
        (lambda t, x: t.vmap(lambda a: a, 2)(x), ValueError, "dimensionality 2"),
        (lambda t, x: t.vmap(lambda a: a, "x")(x), ValueError, "expected `in_dims` to be int"),
        (lambda t, x: t.vmap(lambda a: a)(3), ValueError, "cannot vmap over non-Tensor"),
        (lambda t, x: t.vmap(lambda: 3)(), ValueError, "got no inputs"),
        (lambda t, x: t.vmap(lambda a: a, out_dims=(0, 0))(x), ValueError, "not compatible"),
        (lambda t, x: t.vmap(lambda a: a, out_dims=5)(x), IndexError, "out of range"),
        (lambda t, x: t.vmap(lambda a: a, out_dims="s")(x), ValueError, "`out_dims` must be"),
        (lambda t, x: t.vmap(lambda a: a, out_dims=None)(x), ValueError, "out_dim is None"),
        (lambda t, x: t.vmap(lambda a: a, randomness="no"), RuntimeError, "randomness"),
        (lambda t, x: t.vmap(lambda a: a, chunk_size=0), ValueError, "chunk_size"),
    ],
)
def test_misuse_is_refused_with_the_class_and_the_words_of_pytorch(lib, call, kind, text):
    with pytest.raises(kind, match=text):
        call(lib, lib.tensor(ROWS))


@BOTH
def test_random_numbers_are_an_error_unless_allowed(lib):
    x, drop = lib.tensor(ROWS), lib.nn.functional.dropout
    for function in (lambda a: a + lib.rand(4), drop, lambda a: a.clone().uniform_()):
        with pytest.raises(RuntimeError, match="randomness error mode"):
            lib.vmap(function)(x)
    assert lib.vmap(lambda a: drop(a, training=False))(x).equal(x)


@BOTH
@pytest.mark.parametrize("name", ["rand", "dropout", "uniform_", "rand_like"])
def test_random_numbers_are_the_same_or_different(lib, name):
    draw = {
        "rand": lambda a: lib.rand(50),
        "dropout": lambda a: lib.nn.functional.dropout(a),
        "uniform_": lambda a: a.clone().uniform_(),
        "rand_like": lib.rand_like,
    }[name]
    lib.manual_seed(0)
    x = lib.ones(2, 50)
    first, second = lib.vmap(draw, randomness="same")(x)
    assert first.equal(second)
    first, second = lib.vmap(draw, randomness="different")(x)
    assert not first.equal(second)


@BOTH
@pytest.mark.parametrize(
    ("outer", "inner", "count"),
    [("different", "different", 12), ("different", "same", 4), ("same", "different", 6)],
)
def test_each_level_has_its_own_say_about_random_numbers(lib, outer, inner, count):
    def draw(a):
        return lib.vmap(lambda b: lib.rand(2), randomness=inner)(lib.ones(3))

    drawn = lib.vmap(draw, randomness=outer)(lib.ones(2))
    assert drawn.shape == (2, 3, 2)
    assert len(set(drawn.flatten().tolist())) == count


@BOTH
def test_an_unmapped_tensor_is_not_filled_with_different_numbers(lib):
    with pytest.raises(RuntimeError, match="different inplace randomness"):
        lib.vmap(lambda a: lib.zeros(4).uniform_(), randomness="different")(lib.tensor(ROWS))


def test_nothing_is_left_behind_when_the_function_raises():
    with pytest.raises(ZeroDivisionError):
        micro.vmap(lambda a: 1 // 0)(micro.ones(2))
    assert micro.rand(2).shape == (2,)


def test_examples_are_freed_without_the_collector():
    kept = []
    gc.disable()
    try:
        micro.vmap(lambda a: (kept.append(weakref.ref(a)), a.sum() + a[0])[1])(micro.ones(2, 3))
        assert kept[0]() is None
    finally:
        gc.enable()

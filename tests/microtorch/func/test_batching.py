"""The batching rules, by PyTorch's own samples: a batch at once is as one example after another."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import to_array, to_micro, translate
from torchstone.microtorch.func import batching

# PyTorch warns of its own means: of slow rules, and of what it compiles.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

SIZE = 3
NAMES = """
    add mul div pow atan2 maximum where clamp lerp masked_fill exp nn.functional.relu
    nn.functional.gelu
    nn.functional.leaky_relu nn.functional.softplus nn.functional.hardtanh sum mean prod amax argmax
    logsumexp std var norm softmax log_softmax cumsum cumprod sort topk median flip roll tril
    reshape view transpose permute expand squeeze unsqueeze movedim diagonal select unflatten unfold
    split unbind chunk cat stack hstack tile gather scatter scatter_add index_select index_add
    index_fill take_along_dim nn.functional.embedding nn.functional.pad matmul mm mv dot bmm addmm
    einsum nn.functional.linear nn.functional.bilinear nn.functional.layer_norm
    nn.functional.group_norm nn.functional.conv2d nn.functional.conv_transpose1d
    nn.functional.max_pool2d nn.functional.avg_pool2d nn.functional.interpolate
    nn.functional.cross_entropy nn.functional.nll_loss nn.functional.mse_loss
    nn.functional.binary_cross_entropy_with_logits nn.functional.scaled_dot_product_attention
    linalg.solve linalg.inv linalg.cholesky linalg.det linalg.solve_triangular
""".split()
ENTRIES = {each.name: each for each in reversed(op_db) if each.name in NAMES}
# Without random numbers.
RANDOM = {"nn.functional.scaled_dot_product_attention": {"dropout_p": 0.0}}


def batch_of(tensor):
    factors = (1.0, 0.9, 0.7) if tensor.is_floating_point() else (1, 1, 1)
    return torch.stack([tensor * each if each != 1 else tensor for each in factors])


def cases(name):
    """Return functions of one example, with batches of what each of some samples is given."""
    entry = ENTRIES[name]
    ours = translate(entry.op, name)
    samples = list(
        itertools.islice(entry.sample_inputs("cpu", torch.float64, requires_grad=False), 12)
    )
    for sample in samples[:: max(len(samples) // 3, 1)]:
        options = {**sample.kwargs, **RANDOM.get(name, {})}
        leaves, spec = pytree.tree_flatten((sample.input, sample.args, options))
        places = [place for place, each in enumerate(leaves) if isinstance(each, torch.Tensor)]
        chosen = {tuple(places), tuple(places[:1]), tuple(places[-1:])}
        for mapped in sorted(chosen):
            batches = [batch_of(leaves[place]) for place in mapped]
            yield entry.op, ours, leaves, spec, mapped, batches


def calling(function, leaves, spec, mapped):
    def call(*tensors):
        own = list(leaves)
        for place, each in zip(mapped, tensors, strict=True):
            own[place] = each
        first, args, kwargs = pytree.tree_unflatten(own, spec)
        found = pytree.tree_leaves(function(first, *args, **kwargs))
        return tuple(each for each in found if isinstance(each, torch.Tensor | micro.Tensor))

    return call


@pytest.mark.gate(
    "add",
    "matmul",
    "einsum",
    "softmax",
    "sum",
    "gather",
    "nn.functional.conv2d",
    "nn.functional.layer_norm",
    "nn.functional.cross_entropy",
    "linalg.solve",
    "sort",
    "where",
)
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_at_once_is_as_one_example_after_another(name):
    compared = 0
    for theirs, ours, leaves, spec, mapped, batches in cases(name):
        known = [to_micro(each) for each in leaves]
        call, inputs = calling(ours, known, spec, mapped), [to_micro(each) for each in batches]
        got = micro.vmap(call)(*inputs)
        wanted = [call(*(each[number] for each in inputs)) for number in range(SIZE)]
        for place, each in enumerate(got):
            rows = np.stack([row[place].array for row in wanted])
            assert each.array.dtype == rows.dtype
            np.testing.assert_allclose(each.array, rows, rtol=1e-9, atol=1e-9)
        try:
            reference = torch.vmap(calling(theirs, leaves, spec, mapped))(*batches)
        except (RuntimeError, ValueError):
            continue
        for each, other in zip(got, reference, strict=True):
            np.testing.assert_allclose(each.array, to_array(other), rtol=1e-6, atol=1e-7)
            compared += 1
    assert compared or name in ("nn.functional.cross_entropy",)


def test_the_names_of_the_rules_are_those_of_primitives():
    micro.ops.namespace.load_seldom()
    seen = set(batching._SHARED)
    for module in [each for each in vars(micro.ops).values() if hasattr(each, "__name__")]:
        for each in vars(module).values():
            if isinstance(each, batching.Primitive):
                seen.add(batching._name(each))
    assert set(batching.RULES) - seen - {"slice", "select"} == set()


def test_what_has_no_rule_is_done_one_by_one():
    rows = micro.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    assert "search" not in batching.RULES
    found = micro.vmap(lambda a, v: micro.searchsorted(a.sort()[0], v))(rows, rows)
    assert found.tolist() == [[2, 0, 1], [0, 2, 1]]
    with pytest.raises(RuntimeError, match="batch of size 0"):
        micro.vmap(lambda a: micro.searchsorted(a, a))(micro.zeros(0, 3))


@pytest.mark.parametrize("forward_knows_context", [True, False])
def test_functions_of_the_users_own_are_done_one_by_one(forward_knows_context):
    class Square(micro.autograd.Function):
        @staticmethod
        def forward(*args):
            if forward_knows_context:
                args[0].save_for_backward(args[1])
            return args[-1] ** 2

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_tensors[0] * grad

    if not forward_knows_context:
        Square.setup_context = staticmethod(lambda ctx, args, _: ctx.save_for_backward(*args))
    x = micro.tensor([[1.0, 2.0], [3.0, -4.0]])
    assert micro.vmap(Square.apply)(x).tolist() == [[1.0, 4.0], [9.0, 16.0]]
    slopes = micro.vmap(micro.func.grad(lambda a: Square.apply(a).sum()))(x)
    assert slopes.tolist() == [[2.0, 4.0], [6.0, -8.0]]


@pytest.mark.parametrize("in_dims", [(None, 0, 0), (0, 0, 0), (0, None, 0), (None, None, 0)])
@pytest.mark.parametrize("shape", [(3,), (5, 3)])
def test_a_linear_map_of_each_example_has_its_own_bias(
    in_dims: tuple[int | None, ...], shape: tuple[int, ...]
) -> None:
    def run(lib: Any) -> Any:
        sizes = (shape, (2, 3), (2,))
        whole = [
            size if dim is None else (4, *size) for size, dim in zip(sizes, in_dims, strict=True)
        ]
        args = [lib.arange(math.prod(each) * 1.0).reshape(each) for each in whole]
        return lib.vmap(lib.nn.functional.linear, in_dims=in_dims)(*args).tolist()

    assert run(micro) == run(torch)

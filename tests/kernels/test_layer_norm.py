"""LayerNorm beside its definition in float64 and beside torch's own, on every instruction set."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact, error_of
from torchstone import kernels
from torchstone.kernels import layer_norm, norm_reference

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone


def leaves(*tensors: Tensor | None) -> list[Tensor | None]:
    return [None if each is None else each.detach().clone().requires_grad_() for each in tensors]


def with_gradients(
    function: Callable[..., Tensor], tensors: list[Tensor | None], grad: Tensor
) -> tuple[Tensor, list[Tensor]]:
    inputs = leaves(*tensors)
    out = function(*inputs)
    given = [each for each in inputs if each is not None]
    return out.detach(), list(torch.autograd.grad(out, given, grad))


def assert_right(tensors: list[Tensor | None], grad: Tensor, num_dims: int = 1) -> None:
    x = tensors[0]
    assert x is not None
    shape = tuple(x.shape[x.dim() - num_dims :])

    def ours(x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
        return layer_norm(x, shape, w, b)

    def theirs(x: Tensor, w: Tensor | None, b: Tensor | None) -> Tensor:
        return F.layer_norm(x, shape, w, b)

    doubles = [None if each is None else each.double() for each in tensors]
    out, gradients = with_gradients(ours, tensors, grad)
    peer_out, peer_gradients = with_gradients(theirs, tensors, grad)
    true_out, true_gradients = with_gradients(theirs, doubles, grad.double())
    # Where a row hardly varies, what is subtracted is large beside what is left.
    dims = tuple(range(-num_dims, 0))
    rstd = float((x.double().var(dims, correction=0) + 1e-5).rsqrt().max())
    added = float((x.double().abs().amax(dims) * rstd).max())
    assert_exact([out], [peer_out], [true_out], FORWARD, scale=added)
    rows = x.numel() / max(1, out.shape[-num_dims:].numel())
    scale = rstd * float(grad.abs().max()) * max(1.0, added) * math.sqrt(rows)
    assert_exact(gradients, peer_gradients, true_gradients, GRADIENT, scale=scale)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4, 768), (37, 33), (3, 1), (130, 65), (2, 3, 5, 64), (1, 4099)])
def test_it_is_as_exact_as_torch_or_more(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    x = (torch.randn(shape) * 3 + 1).to(dtype)
    w, b = torch.randn(shape[-1]).to(dtype), torch.randn(shape[-1]).to(dtype)
    assert_right([x, w, b], torch.randn(shape).to(dtype))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_shape_layout_and_parameters(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    num_dims = data.draw(st.integers(1, len(sizes)))
    dtype = data.draw(st.sampled_from(DTYPES))
    layout = data.draw(st.sampled_from(("dense", "transposed", "sliced", "expanded")))
    x = torch.randn(sizes).to(dtype)
    if layout == "transposed" and len(sizes) > 1:
        x = x.transpose(0, -1)
    elif layout == "sliced":
        x = torch.cat([x, x], -1)[..., ::2]
    elif layout == "expanded":
        x = x[:1].expand(x.shape)
    shape = x.shape[x.dim() - num_dims :]
    parameters = [
        torch.randn(shape).to(dtype) if data.draw(st.booleans()) else None for _ in range(2)
    ]
    assert_right([x, *parameters], torch.randn(x.shape).to(dtype), num_dims)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_float32_parameters_go_with_half_types(dtype: torch.dtype) -> None:
    x, w, b = torch.randn(64, 96).to(dtype), torch.randn(96), torch.randn(96)
    grad = torch.randn(64, 96).to(dtype)
    assert_right([x, w, b], grad)


def test_gradients_of_bfloat16_parameters_are_twenty_times_closer_than_torch_s() -> None:
    torch.manual_seed(1)
    x, w, b = (
        torch.randn(4096, 64).bfloat16(),
        torch.ones(64).bfloat16(),
        torch.zeros(64).bfloat16(),
    )
    grad = torch.randn(4096, 64).bfloat16()
    _, ours = with_gradients(lambda x, w, b: layer_norm(x, 64, w, b), [x, w, b], grad)
    before = torch.get_num_threads()
    try:
        # With several threads torch adds up several shorter sums, and is less wrong.
        torch.set_num_threads(1)
        _, peer = with_gradients(lambda x, w, b: F.layer_norm(x, (64,), w, b), [x, w, b], grad)
    finally:
        torch.set_num_threads(before)
    doubles: list[Tensor | None] = [x.double(), w.double(), b.double()]
    _, truth = with_gradients(lambda x, w, b: F.layer_norm(x, (64,), w, b), doubles, grad.double())
    for place in (1, 2):
        assert 20 * error_of(ours[place], truth[place]) <= error_of(peer[place], truth[place])


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("scale", [1e-30, 1e15, 1e30])
def test_finite_inputs_give_finite_results(scale: float) -> None:
    x = torch.randn(5, 70) * scale
    out = layer_norm(x, 70, eps=0.0)
    truth = F.layer_norm(x.double(), (70,), eps=0.0)
    torch.testing.assert_close(out.double(), truth, rtol=1e-5, atol=1e-5)


def test_torch_draws_from_the_seed_of_the_run(pytestconfig: pytest.Config) -> None:
    assert torch.initial_seed() == pytestconfig.getoption("randomly_seed", 0)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("width", [5, 19, 100, 1000, 4096])
def test_a_large_mean_is_rounded_once(width: int) -> None:
    generator = torch.Generator().manual_seed(width)
    x = torch.randn(200, width, generator=generator) + 10_000
    truth = F.layer_norm(x.double(), (width,))
    # At 10,000 a float has steps of 2**-10: a mean that is rounded once moves by half a step.
    half_a_step = 2.0**-11 / x.double().std(dim=1, correction=0, keepdim=True)
    error = (layer_norm(x, width).double() - truth).abs()
    assert bool((error <= 1.02 * half_a_step + 1e-6).all())


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("place", [0, 3, 500, 999])
def test_one_large_value_takes_no_digits_from_the_others(place: int) -> None:
    x = torch.full((1, 1000), 3.0)
    x[0, place] = 1e8
    truth = F.layer_norm(x.double(), (1000,))
    torch.testing.assert_close(layer_norm(x, 1000).double(), truth, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("shape", [(0, 8), (3, 0, 8), (0,), (4, 0)])
def test_nothing_is_normalised_to_nothing(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape, requires_grad=True)
    w = torch.randn(shape[-1], requires_grad=True)
    out = layer_norm(x, shape[-1], w)
    out.sum().backward()
    assert out.shape == shape
    assert x.grad is not None
    assert x.grad.shape == shape
    assert w.grad is not None
    assert torch.equal(w.grad, torch.zeros(shape[-1]))


@pytest.mark.usefixtures("each_set")
def test_what_is_not_a_number_stays_in_its_row() -> None:
    x = torch.randn(3, 40)
    x[1, 7] = torch.nan
    assert layer_norm(x, 40).isnan().any(1).tolist() == [False, True, False]


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_every_number_of_threads_gives_the_same_bits(num_threads: int) -> None:
    torch.manual_seed(2)
    x, w = torch.randn(1000, 100), torch.randn(100)
    grad, before = torch.randn(1000, 100), torch.get_num_threads()

    def run() -> list[Tensor]:
        out, gradients = with_gradients(lambda x, w: layer_norm(x, 100, w), [x, w], grad)
        return [out, *gradients]

    torch.set_num_threads(1)
    want = run()
    try:
        torch.set_num_threads(num_threads)
        got = run()
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(want, got, strict=True))


def _doubles(*shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    return tuple(torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, w, b: layer_norm(x, (3, 4), w, b), [(2, 3, 4), (3, 4), (3, 4)]),
        (lambda x, w: layer_norm(x, 4, w), [(5, 4), (4,)]),
        (lambda x, b: layer_norm(x, 4, None, b), [(5, 4), (4,)]),
        (lambda x: layer_norm(x, 4), [(5, 4)]),
    ],
)
def test_gradients_and_their_gradients(
    function: Callable[..., Tensor], shapes: list[tuple[int, ...]]
) -> None:
    inputs = _doubles(*shapes)
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def _samples() -> list[tuple[Any, ...]]:
    x, w, b = (torch.randn(s, requires_grad=True) for s in ((3, 4, 5), (4, 5), (4, 5)))
    half = torch.randn(6, 8).bfloat16().requires_grad_()
    return [
        (x, w, b, 2, 1e-5),
        (x.detach(), None, None, 1, 1e-5),
        (half, torch.randn(8, requires_grad=True), None, 1, 1e-5),
        (torch.randn(8, 6).t(), torch.randn(8), torch.randn(8), 1, 1e-5),
    ]


@pytest.mark.full
@pytest.mark.parametrize("sample", range(4))
def test_the_operators_keep_what_their_registration_promises(sample: int) -> None:
    x, w, b, num_dims, eps = _samples()[sample]
    assert kernels.load()
    torch.library.opcheck(operators.layer_norm.default, (x, w, b, num_dims, eps))
    out, mean, rstd = operators.layer_norm(
        x.detach(), *(None if p is None else p.detach() for p in (w, b)), num_dims, eps
    )
    grad = torch.randn(out.shape).to(out.dtype).requires_grad_(x.requires_grad)
    torch.library.opcheck(
        operators.layer_norm_backward.default,
        (grad, None, x, mean, rstd, w, num_dims, w is not None),
    )


@pytest.mark.full
def test_it_compiles_whole_forward_and_backward() -> None:
    def function(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        return (layer_norm(x * 2, 48, w, b) + 1).sin()

    x, w, b = (torch.randn(s, requires_grad=True) for s in ((7, 48), (48,), (48,)))
    compiled = torch.compile(function, fullgraph=True)
    grad = torch.randn(7, 48)
    out, gradients = with_gradients(compiled, [x, w, b], grad)
    want, want_gradients = with_gradients(function, [x, w, b], grad)
    torch.testing.assert_close(out, want)
    torch.testing.assert_close(gradients, want_gradients)


def test_autocast_leaves_dtypes_as_torch_does() -> None:
    x, w = torch.randn(4, 8), torch.randn(8)
    with torch.autocast("cpu", torch.bfloat16):
        for each in (x, x.bfloat16()):
            assert layer_norm(each, 8, w).dtype == F.layer_norm(each, (8,), w).dtype


def test_the_reference_is_what_the_kernel_computes() -> None:
    x, w, b = torch.randn(6, 50), torch.randn(50), torch.randn(50)
    assert kernels.load()
    ours = operators.layer_norm(x, w, b, 1, 1e-5)
    torch.testing.assert_close(ours, norm_reference.normalise(x, w, b, 1, 1e-5, has_mean=True))
    arguments = (torch.randn(6, 50), torch.randn(6, 50), x, ours[1], ours[2], w, 1, True)
    torch.testing.assert_close(
        operators.layer_norm_backward(*arguments), norm_reference.gradients(*arguments)
    )


_ROWS = torch.ones(2, 3)
_ONES = torch.ones(3)
_LISTED: Any = [1.0]
WRONG: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    ((_LISTED, 1), TypeError, "input must be a Tensor, not list"),
    ((_ROWS.long(), 3), TypeError, "input has dtype int64; expected float32, bfloat16"),
    ((_ROWS, 4), ValueError, r"input has shape \(2, 3\)"),
    ((_ONES, ()), ValueError, r"normalized_shape, \(\)"),
    ((_ROWS, 3, torch.ones(4)), ValueError, r"weight has shape \(4,\); expected \(3,\)"),
    ((_ROWS, 3, None, torch.ones(3, 1)), ValueError, r"bias has shape \(3, 1\); expected \(3,\)"),
    ((_ROWS, 3, _ONES.double()), TypeError, "float64 beside input in float32; expected float32"),
    (
        (_ROWS.half(), 3, _ONES.bfloat16()),
        TypeError,
        "bfloat16 beside input in float16; expected float16 or float32",
    ),
    ((_ROWS, 3, _ONES.to("meta")), ValueError, "weight is on meta, but input on cpu"),
    (
        (_ROWS.half(), 3, _ONES.half(), _ONES),
        TypeError,
        "weight is torch.float16, but bias torch.float32",
    ),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_bad_arguments_are_named(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        layer_norm(*arguments)

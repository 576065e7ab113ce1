"""Samples of banned families: arguments, and the results that no call may give.

The results are computed before anything is banned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F

Tensor = torch.Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Arguments of a banned operator and its results.

    Attributes:
        name: The operator.
        args: Leading arguments of every form.
        tails: Alternatives for the arguments that follow.
        hints: Values by parameter name.
        results: Results that no call may return: tensors or tuples of integers.
        is_recorded: Whether any result with a graph is banned.
        is_check: Whether an exception about a wrong derivative is banned.
    """

    name: str
    args: tuple[Any, ...]
    tails: tuple[tuple[Any, ...], ...] = ()
    hints: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[Any] = ()
    is_recorded: bool = False
    is_check: bool = False


def samples_of(families: Sequence[str], functions: Sequence[str]) -> list[Sample]:
    """Return the samples of everything that a problem bans."""
    generator = torch.Generator().manual_seed(21)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    found = [sample for name in families for sample in SAMPLES.get(name, _none)(draw)]
    if "torch.autograd.gradcheck" in functions:
        found += _gradcheck(draw)
    return found


Draw = Callable[..., Tensor]


def _none(draw: Draw) -> Iterator[Sample]:
    yield from ()


def _softmax(draw: Draw) -> Iterator[Sample]:
    x, g, old = draw(3, 5), draw(3, 5), draw(3, 5)
    yield Sample(
        name="softmax",
        args=(x,),
        tails=((-1,), (1,), (0,), (-1, False), (-1, None), (-1, x.dtype), (-1, False, None, 0)),
        hints={"dim": -1, "keepdim": True},
        results=[
            *(f(x, dim) for f in (F.softmax, F.log_softmax, F.softmin) for dim in (0, 1)),
            *(f(x, dim) for f in (torch.logsumexp, torch.logcumsumexp) for dim in (0, 1)),
        ],
    )
    for forward in (F.softmax, F.log_softmax):
        out = forward(old, -1)
        leaf = old.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(forward(leaf, -1), leaf, g)
        yield Sample(
            name=f"{forward.__name__} backward",
            args=(g, out),
            tails=((-1,), (-1, old.dtype), (-1, old)),
            hints={"dim": -1, "input_dtype": old.dtype},
            results=[gradient],
        )


def _logaddexp(draw: Draw) -> Iterator[Sample]:
    x, y = draw(3, 5), draw(3, 5)
    yield Sample(
        name="logaddexp",
        args=(x, y),
        results=[torch.logaddexp(x, y), torch.logaddexp2(x, y)],
    )


def _attention(draw: Draw) -> Iterator[Sample]:
    q, k, v = draw(1, 1, 3, 4), draw(1, 1, 3, 4), draw(1, 1, 3, 4)
    attend = F.scaled_dot_product_attention
    yield Sample(
        name="attention",
        args=(q, k, v),
        tails=((None,), (None, 0.0, False), (0.0, False), (None, False)),
        hints={"dropout_p": 0.0, "is_causal": False},
        results=[
            attend(q, k, v),
            attend(q, k, v, is_causal=True),
            F.softmax(q @ k.mT / 2.0, -1),
        ],
    )


def _nll_loss(draw: Draw) -> Iterator[Sample]:
    x, target = draw(4, 5), torch.tensor([3, 0, 4, 1])
    log_p, p = F.log_softmax(draw(4, 5), -1), F.softmax(draw(4, 5), -1)
    yield Sample(
        name="nll_loss",
        args=(log_p, target),
        tails=((None, 1, -100), (None, "mean")),
        hints={"reduction": 1, "ignore_index": -100},
        results=[F.nll_loss(log_p, target, reduction=r) for r in ("none", "sum", "mean")],
    )
    yield Sample(
        name="cross_entropy",
        args=(x, target),
        tails=((None, 1, -100, 0.0),),
        hints={"reduction": 1, "ignore_index": -100, "label_smoothing": 0.0},
        results=[F.cross_entropy(x, target, reduction=r) for r in ("none", "sum", "mean")],
    )
    yield Sample(
        name="kl_div",
        args=(log_p, p),
        results=[F.kl_div(log_p, p, reduction=r) for r in ("none", "sum", "batchmean")],
    )
    hot = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0])
    yield Sample(
        name="binary_cross_entropy",
        args=(x[0], hot),
        results=[
            F.binary_cross_entropy_with_logits(x[0], hot, reduction=r) for r in ("none", "mean")
        ],
    )
    q = torch.sigmoid(draw(5))
    yield Sample(
        name="binary_cross_entropy",
        args=(q, hot),
        results=[F.binary_cross_entropy(q, hot, reduction=r) for r in ("none", "mean")],
    )


def _expand(draw: Draw) -> Iterator[Sample]:
    x, y = draw(3, 1), draw(4)
    yield Sample(
        name="expand",
        args=(x,),
        tails=(((3, 4),), (3, 4), ((1, 4),), (1, 4), ([3, 4],), (4, 1)),
        hints={"size": (3, 4), "shape": (3, 4), "sizes": (3, 4), "dims": (1, 4)},
        results=[x.expand(3, 4).clone()],
    )
    yield Sample(
        name="broadcast_tensors",
        args=(x, y),
        results=[x.expand(3, 4).clone(), y.expand(3, 4).clone()],
    )
    yield Sample(
        name="broadcast_shapes",
        args=((7, 1), (5,)),
        results=[(7, 5)],
    )


def _linear(draw: Draw) -> Iterator[Sample]:
    x, w, b = draw(3, 5), draw(4, 5), draw(4)
    yield Sample(
        name="linear",
        args=(x, w, b),
        hints={"weight": w, "bias": b},
        results=[F.linear(x, w, b), F.linear(x, w)],
    )
    yield Sample(name="linear", args=(x, w), tails=((None,),), results=[F.linear(x, w)])


def _bilinear(draw: Draw) -> Iterator[Sample]:
    x, y, w, b = draw(3, 4), draw(3, 5), draw(2, 4, 5), draw(2)
    yield Sample(
        name="bilinear",
        args=(x, y, w, b),
        hints={"weight": w, "bias": b},
        results=[F.bilinear(x, y, w, b), F.bilinear(x, y, w)],
    )
    yield Sample(name="bilinear", args=(x, y, w), results=[F.bilinear(x, y, w)])


def _convolution(draw: Draw) -> Iterator[Sample]:
    for convolve, x, w in (
        (F.conv1d, draw(2, 3, 8), draw(4, 3, 3)),
        (F.conv2d, draw(1, 2, 5, 5), draw(3, 2, 3, 3)),
        (F.conv_transpose1d, draw(2, 3, 8), draw(3, 4, 3)),
    ):
        b, dims = draw(4 if x.dim() == 3 else 3), x.dim() - 2
        ones, zeros = [1] * dims, [0] * dims
        yield Sample(
            name=convolve.__name__,
            args=(x, w, b),
            tails=(
                (ones, zeros, ones),
                (ones, zeros, ones, 1),
                (ones, zeros, ones, False, zeros, 1),
                (zeros, ones, ones, 1),
            ),
            hints={"stride": ones, "padding": zeros, "dilation": ones, "groups": 1,
                   "output_padding": zeros, "weight": w, "bias": b},
            results=[convolve(x, w, b), convolve(x, w)],
        )  # fmt: skip


def _relu(draw: Draw) -> Iterator[Sample]:
    x = draw(3, 5)
    functions: tuple[Callable[[Tensor], Tensor], ...] = (
        F.relu, F.relu6, F.leaky_relu, F.elu, F.selu, F.celu, F.hardtanh, F.softshrink,
        F.hardshrink,
    )  # fmt: skip
    yield Sample(
        name="relu",
        args=(x,),
        tails=((0.0,), (0,), (0.0, 9e9), (0.0, 0.0), (0.01,), (0.0, None)),
        hints={"min": 0.0, "threshold": 0.0, "value": 0.0, "negative_slope": 0.0},
        results=[function(x) for function in functions],
    )


def _layer_norm(draw: Draw) -> Iterator[Sample]:
    x, w, b = draw(4, 6), draw(6), draw(6)
    yield Sample(
        name="layer_norm",
        args=(x,),
        tails=(((6,),), (6,), ((6,), None, None, 1e-5), ((6,), w, b, 1e-5), (w, b)),
        hints={"normalized_shape": (6,), "eps": 1e-5, "weight": w, "bias": b, "dim": -1},
        results=[F.layer_norm(x, (6,)), F.layer_norm(x, (6,), w, b)],
    )


def _rms_norm(draw: Draw) -> Iterator[Sample]:
    x, w = draw(4, 6), draw(6)
    yield Sample(
        name="rms_norm",
        args=(x,),
        tails=(((6,),), (6,), ((6,), None, None), ((6,), w, None), (w,)),
        hints={"normalized_shape": (6,), "eps": None, "weight": w, "dim": -1},
        results=[F.rms_norm(x, (6,)), F.rms_norm(x, (6,), w)],
    )


def _group_norm(draw: Draw) -> Iterator[Sample]:
    x = draw(4, 6)
    yield Sample(
        name="group_norm",
        args=(x,),
        tails=((2,), (2, None, None, 1e-5), (None, None, 4, 6, 1, 2, 1e-5)),
        hints={"num_groups": 2, "eps": 1e-5},
        results=[F.group_norm(x, 2)],
    )


def _batch_norm(draw: Draw) -> Iterator[Sample]:
    x, mean, var = draw(4, 6), draw(6), draw(6).exp()
    out = F.batch_norm(x, None, None, training=True)
    yield Sample(
        name="batch_norm",
        args=(x,),
        tails=((None, None), (6,), (None, None, None, None, True, 0.1, 1e-5, False),
               (None, None, True, 0.1, 1e-5), (None, None, None, None, True, 0.1, 1e-5)),
        hints={"training": True, "train": True, "momentum": 0.1, "eps": 1e-5, "num_features": 6},
        results=[out],
    )  # fmt: skip
    yield Sample(
        name="batch_norm",
        args=(x, mean, var),
        tails=((None, None, False, 0.1, 1e-5),),
        hints={"running_mean": mean, "running_var": var, "eps": 1e-5},
        results=[F.batch_norm(x, mean, var)],
    )


def _instance_norm(draw: Draw) -> Iterator[Sample]:
    x = draw(2, 3, 5)
    yield Sample(
        name="instance_norm",
        args=(x,),
        tails=((None, None, None, None, True, 0.1, 1e-5, False), (3,)),
        hints={"eps": 1e-5, "use_input_stats": True, "momentum": 0.1},
        results=[F.instance_norm(x)],
    )


def _rnn(draw: Draw) -> Iterator[Sample]:
    x, h, c = draw(3, 5), draw(3, 4), draw(3, 4)
    cells: tuple[tuple[int, Any], ...] = (
        (1, torch.rnn_tanh_cell), (1, torch.rnn_relu_cell), (3, torch.gru_cell),
    )  # fmt: skip
    for gates, cell in cells:
        weights = (draw(4 * gates, 5), draw(4 * gates, 4), draw(4 * gates), draw(4 * gates))
        yield Sample(
            name=cell.__name__,
            args=(x, h, *weights),
            results=[cell(x, h, *weights)],
        )
    weights = (draw(16, 5), draw(16, 4), draw(16), draw(16))
    yield Sample(
        name="lstm_cell",
        args=(x, (h, c), *weights),
        results=list(torch.lstm_cell(x, (h, c), *weights)),
    )


def _recording(draw: Draw) -> Iterator[Sample]:
    x, y = draw(3, 5).requires_grad_(), draw(3, 5).requires_grad_()
    yield Sample(name="recording", args=(x,), tails=((-1,), (1.5,), ((5, 3),)), is_recorded=True)
    yield Sample(name="recording", args=(x, y), is_recorded=True)


def _gradcheck(draw: Draw) -> Iterator[Sample]:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            return grad * 3.0

    x = draw(3).double().requires_grad_()
    yield Sample(
        name="gradcheck",
        args=(Wrong.apply, (x,)),
        tails=((1e-6,), (1e-6, 1e-5, 1e-3)),
        hints={"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3, "raise_exception": True},
        is_check=True,
    )


SAMPLES: dict[str, Callable[[Draw], Iterator[Sample]]] = {
    "softmax": _softmax,
    "logaddexp": _logaddexp,
    "attention": _attention,
    "nll_loss": _nll_loss,
    "expand": _expand,
    "linear": _linear,
    "bilinear": _bilinear,
    "convolution": _convolution,
    "relu": _relu,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "batch_norm": _batch_norm,
    "instance_norm": _instance_norm,
    "rnn": _rnn,
    "autograd-recording": _recording,
}

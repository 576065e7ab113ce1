"""Half precision: computed in float32 and rounded once, as PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, ReductionOpInfo, UnaryUfuncInfo

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import leaves, translate
from tests.microtorch.conformance.op_db import full_name
from tests.microtorch.conformance.table import read_table

COUNT = 70_000
GENERATOR = np.random.default_rng(0)
DATA = {
    "ones": np.ones(COUNT),
    "half": np.full(COUNT, 0.5),
    "twos": np.full(COUNT, 2.0),
    "normal": GENERATOR.standard_normal(COUNT),
    "other": GENERATOR.standard_normal(COUNT),
    "unit": GENERATOR.uniform(0.05, 0.95, COUNT),
    "positive": GENERATOR.uniform(0.5, 2.0, COUNT),
    "small": GENERATOR.standard_normal(COUNT) * 1e-3,
}
# A function of PyTorch, or of MicroTorch in its place, and of the tensors above.
Case = Callable[..., Any]


def _run(lib: Any, case: Case, names: tuple[str, ...], dtype: Any = np.float16) -> list[Any]:
    """Return the values and the gradients, in double precision."""
    arrays = [DATA[name].astype(np.float16).astype(dtype) for name in names]
    tensors = [lib.from_numpy(each).requires_grad_() for each in arrays]
    results = [each for each in leaves(case(lib, *tensors)) if each.requires_grad]
    for each in results:
        weights = np.linspace(0.5, 1.5, int(np.prod(each.shape))).reshape(each.shape)
        each.backward(lib.from_numpy(weights.astype(dtype)))
    return [
        np.asarray(each.detach().numpy(), np.float64)
        for each in (*results, *(tensor.grad for tensor in tensors))
        if each is not None
    ]


def _assert_as_good(case: Case, *names: str, slack: float = 0) -> None:
    """Compare with PyTorch; what differs has to be as near to the value in float64 as PyTorch's.

    Args:
        case: The function.
        names: Its tensors.
        slack: How much may be lost where terms cancel, as a part of the largest value.
    """
    found, wanted = _run(micro, case, names), _run(torch, case, names)
    exact = _run(torch, case, names, np.float64)
    assert len(found) == len(wanted) == len(exact)
    for mine, other, truth in zip(found, wanted, exact, strict=True):
        with np.errstate(all="ignore"):
            step = np.spacing(np.clip(np.abs(truth), 6e-8, 6e4).astype(np.float16)).astype(float)
            largest = np.max(np.abs(truth), initial=0, where=np.isfinite(truth))
            room = np.fmax(np.abs(other - truth), 2 * step + slack * largest)
            is_same = np.isnan(mine) & (np.isnan(other) | np.isnan(truth))
            is_same |= (mine == other) | (np.abs(mine - other) <= step)
            assert (is_same | (np.abs(mine - truth) <= room)).all()


def _functional(name: str, **options: Any) -> Case:
    return lambda lib, *tensors: getattr(lib.nn.functional, name)(*tensors, **options)


def _image(name: str, *args: Any, **options: Any) -> Case:
    return lambda lib, x: getattr(lib.nn.functional, name)(
        x.reshape(1, 1, 250, 280), *args, **options
    )


COUNTS: dict[str, tuple[Case, ...] | Any] = {
    "mean": (lambda lib, x: x.mean(), "normal"),
    "nanmean": (lambda lib, x: x.nanmean(), "half"),
    "mse_loss": (_functional("mse_loss"), "normal", "other"),
    "l1_loss": (_functional("l1_loss"), "normal", "other"),
    "smooth_l1_loss": (_functional("smooth_l1_loss"), "normal", "other"),
    "huber_loss": (_functional("huber_loss"), "normal", "other"),
    "binary_cross_entropy": (_functional("binary_cross_entropy"), "unit", "unit"),
    "kl_div": (_functional("kl_div", reduction="batchmean"), "normal", "unit"),
    "hinge_embedding_loss": (_functional("hinge_embedding_loss"), "normal", "ones"),
    "max of equals": (lambda lib, x: x.max(), "twos"),
    "amin of equals": (lambda lib, x: x.amin(), "twos"),
    "median of equals": (lambda lib, x: x.median(), "twos"),
    "norm inf": (lambda lib, x: lib.linalg.vector_norm(x, float("inf")), "twos"),
    "norm -inf": (lambda lib, x: lib.linalg.vector_norm(x, -float("inf")), "twos"),
    "adaptive_avg_pool2d": (_image("adaptive_avg_pool2d", 1), "ones"),
    "interpolate": (_image("interpolate", size=(1, 1), mode="area"), "ones"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_is_not_rounded_to_half_before_it_divides(name: str) -> None:
    case, *names = COUNTS[name]
    _assert_as_good(case, *names)


def test_the_gradient_of_a_mean_of_65536_halves_is_not_zero() -> None:
    x = micro.ones(65536, dtype=micro.float16, requires_grad=True)
    x.mean().backward()
    assert x.grad.array[0] == np.float16(1 / 65536)


NUMBERS = (0.1, 3, 70000, 1e-5, 65536.0)
PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "x * n": lambda x, n: x * n,
    "n * x": lambda x, n: n * x,
    "x / n": lambda x, n: x / n,
    "n / x": lambda x, n: n / x,
    "x.mul_": lambda x, n: x.clone().mul_(n),
    "x.div_": lambda x, n: x.clone().div_(n),
    "x[0] * n": lambda x, n: x[0] * n,
}


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_number_is_not_rounded_to_half_before_a_product(name: str, number: float) -> None:
    for source in ("small", "positive"):
        array = DATA[source].astype(np.float16)
        found = PRODUCTS[name](micro.from_numpy(array), number)
        wanted = PRODUCTS[name](torch.from_numpy(array), number)
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_wider_tensor_without_dimensions_is_not_rounded_either(dtype: str) -> None:
    array = DATA["small"].astype(np.float16)
    for number in NUMBERS:
        found = micro.from_numpy(array) * micro.tensor(number, dtype=getattr(micro, dtype))
        wanted = torch.from_numpy(array) * torch.tensor(number, dtype=getattr(torch, dtype))
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def _refused(lib: Any) -> dict[str, Callable[[], Any]]:
    x, m = lib.ones(2, dtype=lib.float16), lib.ones(2, 2, dtype=lib.float16)
    index, F = lib.zeros(1, dtype=lib.int64), lib.nn.functional
    return {
        "clamp": lambda: x.clamp(max=70000),
        "clamp_": lambda: x.clamp_(min=-70000.0),
        "add": lambda: x.add(x, alpha=70000),
        "add_": lambda: x.add_(x, alpha=70000),
        "rsub": lambda: lib.rsub(x, x, alpha=70000),
        "index_add": lambda: x.index_add(0, index, x[:1], alpha=70000),
        "pow": lambda: x**70000,
        "scatter": lambda: x.scatter(0, index, 70000.0),
        "threshold": lambda: F.threshold(x, 1.0, 70000.0),
        "hardtanh": lambda: F.hardtanh(x, -70000.0, 70000.0),
        "hardshrink": lambda: F.hardshrink(x, 70000.0),
        "softshrink": lambda: F.softshrink(x, 70000.0),
        "logit": lambda: lib.logit(x, 70000.0),
        "addmv": lambda: lib.addmv(x, m, x, alpha=70000),
        "addr": lambda: lib.addr(m, x, x, beta=70000),
        "uniform_": lambda: x.uniform_(0, 70000),
        "linspace": lambda: lib.linspace(0, 70000, 3, dtype=lib.float16),
        "hinge": lambda: F.hinge_embedding_loss(x, x, margin=70000.0),
    }


@pytest.mark.parametrize("name", _refused(micro))
def test_a_number_that_half_does_not_hold_is_refused_where_pytorch_does(name: str) -> None:
    with pytest.raises(RuntimeError) as wanted:
        _refused(torch)[name]()
    with pytest.raises(RuntimeError) as found:
        _refused(micro)[name]()
    assert str(found.value) == str(wanted.value)


def test_a_number_too_large_is_assigned_as_an_infinity() -> None:
    x = micro.ones(2, dtype=micro.float16)
    x[0] = 70000
    assert x.tolist() == [float("inf"), 1.0]


def _zeros(lib: Any, count: int = 5000) -> Any:
    return lib.zeros(count, dtype=lib.int64)


SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "scatter_add": lambda x, i: micro.zeros(1, dtype=x.dtype).scatter_add(0, i, x),
    "index_add": lambda x, i: micro.zeros(1, dtype=x.dtype).index_add(0, i, x),
    "index_put": lambda x, i: micro.zeros(1, dtype=x.dtype).index_put((i,), x, True),
    "put": lambda x, i: micro.zeros(1, dtype=x.dtype).put(i, x, True),
    "scatter_reduce": lambda x, i: micro.zeros(1, dtype=x.dtype).scatter_reduce(0, i, x, "sum"),
}
GATHERS: dict[str, Callable[[Any, Any], Any]] = {
    "gather": lambda x, i: x.gather(0, i),
    "index": lambda x, i: x[i],
    "index_select": lambda x, i: x.index_select(0, i),
    "take": lambda x, i: x.take(i),
    "embedding": lambda x, i: micro.nn.functional.embedding(i, x.reshape(2, 1)),
    "repeat_interleave": lambda x, i: x[:1].repeat_interleave(len(i)),
    "expand": lambda x, i: x[:1].expand(len(i)) * 1,
    "as_strided": lambda x, i: x.as_strided((len(i),), (0,)),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_into_one_place_does_not_stop_at_2048(name: str) -> None:
    ones = micro.ones(5000, dtype=micro.float16)
    assert SUMS[name](ones, _zeros(micro)).tolist() == [5000.0]


@pytest.mark.parametrize("name", GATHERS)
def test_the_gradient_of_what_was_taken_often_does_not_stop_at_2048(name: str) -> None:
    x = micro.ones(2, dtype=micro.float16, requires_grad=True)
    GATHERS[name](x, _zeros(micro)).sum().backward()
    assert x.grad[0].item() == 5000.0


def test_a_scattered_mean_counts_beyond_what_half_holds() -> None:
    x = micro.full((COUNT,), 0.5, dtype=micro.float16, requires_grad=True)
    start = micro.zeros(1, dtype=micro.float16)
    y = start.scatter_reduce(0, _zeros(micro, COUNT), x, "mean", include_self=False)
    y.backward(micro.ones(1, dtype=micro.float16))
    assert y.tolist() == [0.5]
    assert x.grad.array[0] == np.float16(1 / COUNT)


THERE = {row.name for row in read_table() if row.passed}


def _is_half_on_cpu(info: Any) -> bool:
    kinds = (UnaryUfuncInfo, BinaryUfuncInfo, ReductionOpInfo)
    # Of halves no complex numbers are made here.
    is_real = info.name != "complex"
    has_half = torch.float16 in info.dtypes and info.supports_autograd
    return isinstance(info, kinds) and has_half and is_real and full_name(info) in THERE


HALVES = {full_name(info): info for info in op_db if _is_half_on_cpu(info)}


@pytest.mark.full
@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("source", ["normal", "unit", "half"])
def test_every_function_of_70000_halves_is_as_exact_as_pytorch(name: str, source: str) -> None:
    info = HALVES[name]
    ours = translate(info.op, info.name)
    names = (source, "other") if isinstance(info, BinaryUfuncInfo) else (source,)

    def case(lib: Any, *tensors: Any) -> Any:
        return (info.op if lib is torch else ours)(*tensors)

    try:
        _run(torch, case, names)
    except (RuntimeError, TypeError, NotImplementedError) as error:
        pytest.skip(f"PyTorch has it not: {error}")
    _assert_as_good(case, *names, slack=5e-4)

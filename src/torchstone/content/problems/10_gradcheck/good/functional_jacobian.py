# torch.autograd.functional.jacobian for the analytical part, dense matrices throughout.
import math

import torch
from torch.autograd.functional import jacobian, vjp


class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    places = [i for i, x in enumerate(inputs) if torch.is_tensor(x) and x.requires_grad]
    if not places:
        raise ValueError("no input requires grad")
    for i in places:
        x = inputs[i]
        if x.dtype != torch.float64:
            raise ValueError("use float64")
        if 0 in x.stride():
            raise ValueError("the input overlaps itself")
    xs = tuple(copy(inputs[i]) for i in places)

    def only(*leaves):
        args = list(inputs)
        for i, leaf in zip(places, leaves, strict=True):
            args[i] = leaf
        result = fn(*args)
        result = (result,) if torch.is_tensor(result) else tuple(result)
        return tuple(y for y in result if y.is_floating_point())

    with torch.enable_grad():
        good = is_right(only, xs, eps, atol, rtol, nondet_tol)
    if not good and raise_exception:
        raise GradcheckError("the gradient is wrong")
    return good


def copy(x):
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x.detach())


def is_right(fn, xs, eps, atol, rtol, nondet_tol):
    columns = []
    for k, x in enumerate(xs):
        for flat in range(x.numel()):
            pair = []
            for step in (eps, -eps):
                moved = [copy(each) for each in xs]
                moved[k][torch.unravel_index(torch.tensor(flat), x.shape)] += step
                ys = fn(*[m.requires_grad_() for m in moved])
                pair.append(torch.cat([y.detach().reshape(-1) for y in ys]) if ys else None)
            if pair[0] is None:
                return True
            columns.append((pair[0] - pair[1]) / (2 * eps))
    if not columns or not columns[0].numel():
        return True
    numerical = torch.stack(columns, 1)
    first, shapes = dense(fn, xs)
    second, _ = dense(fn, xs)
    if ((first - second).abs() > nondet_tol).any():
        return False
    within = (first - numerical).abs() <= atol + rtol * numerical.abs()
    if not bool((within & numerical.isfinite()).all()):
        return False
    # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
    v = torch.randn(len(first)).double().tanh()
    parts = v.split([math.prod(s) for s in shapes])
    _, got = vjp(fn, xs, tuple(p.reshape(s) for p, s in zip(parts, shapes, strict=True)))
    got = torch.cat([g.reshape(-1) for g in got])
    slack = 1e-6 * (v.abs() @ first.abs()) + nondet_tol * len([got, *first])
    return bool(((got - v @ first).abs() <= slack).all())


def dense(fn, xs):
    blocks = jacobian(fn, xs)
    shapes = [row[0].shape[: row[0].ndim - xs[0].ndim] for row in blocks]
    rows = [
        torch.cat([b.reshape(math.prod(s), x.numel()) for b, x in zip(row, xs, strict=True)], 1)
        for row, s in zip(blocks, shapes, strict=True)
    ]
    return torch.cat(rows), shapes

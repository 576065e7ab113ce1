# Plain loops over one working copy whose old bits are kept.
import itertools

import torch


class GradcheckError(RuntimeError):
    pass


def gradcheck(fn, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    if torch.is_tensor(inputs):
        inputs = (inputs,)
    checked = [i for i, x in enumerate(inputs) if torch.is_tensor(x) and x.requires_grad]
    if not checked:
        raise ValueError("no input requires grad")
    for x in (inputs[i] for i in checked):
        if x.dtype != torch.float64:
            raise ValueError("only float64 can be checked")
        if min(x.stride(), default=1) == 0:
            raise ValueError("an input overlaps itself")
    with torch.enable_grad():
        fault = find_fault(fn, inputs, checked, eps, atol, rtol, nondet_tol)
    if fault is not None and raise_exception:
        raise GradcheckError(fault)
    return fault is None


def own_copy(x):
    copy = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x.detach())
    return copy.requires_grad_()


def floating(result):
    result = [result] if torch.is_tensor(result) else result
    return [y for y in result if y.is_floating_point()]


def numerical_jacobians(fn, inputs, checked, eps):
    args = [own_copy(x) if i in checked else x for i, x in enumerate(inputs)]
    columns = []
    for i in checked:
        for index in itertools.product(*map(range, args[i].shape)):
            old = args[i][index].item()
            values = []
            for new in (old + eps, old - eps, old):
                with torch.no_grad():
                    args[i][index] = new
                if new != old:
                    values.append([y.detach().clone() for y in floating(fn(*args))])
            columns.append(
                [((a - b) / (2 * eps)).reshape(-1) for a, b in zip(*values, strict=True)]
            )
    return [torch.stack(c, 1) for c in zip(*columns, strict=True)]


def vjp(y, leaves, v):
    if not y.requires_grad:
        return torch.zeros(sum(x.numel() for x in leaves)).double()
    grads = torch.autograd.grad(y, leaves, v, retain_graph=True, allow_unused=True)
    grads = [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, grads, strict=True)]
    return torch.cat([g.detach().reshape(-1) for g in grads])


def find_fault(fn, inputs, checked, eps, atol, rtol, nondet_tol):
    numerical = numerical_jacobians(fn, inputs, checked, eps)
    if not numerical:
        return None
    args = [own_copy(x) if i in checked else x for i, x in enumerate(inputs)]
    leaves = [args[i] for i in checked]
    outputs = floating(fn(*args))
    for y, n in zip(outputs, numerical, strict=True):
        rows = []
        for one_hot in torch.eye(y.numel()).to(y):
            row, again = (vjp(y, leaves, one_hot.reshape(y.shape)) for _ in range(2))
            if ((row - again).abs() > nondet_tol).any():
                return "backward is not deterministic"
            rows.append(row)
        a = torch.stack(rows) if rows else n
        within = (a - n).abs() <= atol + rtol * n.abs()
        if not (within & n.isfinite()).all():
            return "the Jacobians differ"
        # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
        v = torch.randn_like(y).tanh()
        got, terms = vjp(y, leaves, v), v.reshape(-1, 1) * a
        allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * len([got, *rows])
        if not ((got - terms.sum(0)).abs() <= allowed).all():
            return "backward is not linear in its cotangent"
    return None

# backward(inputs=...) into the .grad of leaves of its own; compared column by column.
import torch


class GradcheckError(RuntimeError):
    pass


def twin(x):
    return torch.empty_strided(x.size(), x.stride(), dtype=x.dtype).copy_(x.detach())


def as_list(result):
    return [result] if isinstance(result, torch.Tensor) else list(result)


def pull(y, leaves, v):
    for x in leaves:
        x.grad = None
    if y.grad_fn is not None or y.requires_grad:
        y.backward(v, retain_graph=True, inputs=leaves)
    grads = [torch.zeros(x.shape).double() if x.grad is None else x.grad for x in leaves]
    return torch.cat([g.reshape(-1) for g in grads]).clone()


def gradcheck(fn, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    grads = [isinstance(x, torch.Tensor) and x.requires_grad for x in inputs]
    if not any(grads):
        raise ValueError("no input requires grad")
    if any(g and x.dtype != torch.float64 for g, x in zip(grads, inputs, strict=True)):
        raise ValueError("inputs that require grad must be float64")
    if any(
        g and torch._debug_has_internal_overlap(x) == 1 for g, x in zip(grads, inputs, strict=True)
    ):
        raise ValueError("an input overlaps itself")
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    try:
        trouble = check(fn, inputs, grads, eps, atol, rtol, nondet_tol)
    finally:
        torch.set_grad_enabled(before)
    if trouble and raise_exception:
        raise GradcheckError(trouble)
    return not trouble


def check(fn, inputs, grads, eps, atol, rtol, nondet_tol):
    own = [twin(x).requires_grad_() if g else x for g, x in zip(grads, inputs, strict=True)]
    leaves = [x for g, x in zip(grads, own, strict=True) if g]
    outputs = as_list(fn(*own))
    kept = [k for k, y in enumerate(outputs) if y.is_floating_point() and y.numel()]
    rows = {}
    for k in kept:
        rows[k], trouble = claimed_rows(outputs[k], leaves, nondet_tol)
        if trouble:
            return trouble
    column = 0
    for at, (g, x) in enumerate(zip(grads, inputs, strict=True)):
        for flat in range(x.numel() if g else 0):
            values = [as_list(fn(*nudged(own, at, flat, step))) for step in (eps, -eps)]
            for k in kept:
                n = ((values[0][k] - values[1][k]) / (2 * eps)).detach().reshape(-1)
                a = rows[k][:, column]
                ok = (a - n).abs() <= atol + rtol * n.abs()
                if not bool((ok & n.isfinite()).all()):
                    return f"output {k}, column {column}: {a} is not {n}"
            column += 1
    return ""


def claimed_rows(y, leaves, nondet_tol):
    basis = torch.eye(y.numel()).to(y).view(y.numel(), *y.shape)
    pairs = [(pull(y, leaves, e), pull(y, leaves, e)) for e in basis]
    if any(((a - b).abs() > nondet_tol).any() for a, b in pairs):
        return None, "not deterministic"
    rows = torch.stack([a for a, _ in pairs])
    # Every VJP may be off by nondet_tol, and with |v| < 1 no row counts more than once.
    v = torch.randn_like(y).tanh()
    got, want = pull(y, leaves, v), v.reshape(-1) @ rows
    slack = 1e-6 * (v.reshape(-1).abs() @ rows.abs()) + nondet_tol * len([got, *rows])
    linear = torch.all((got - want).abs() <= slack)
    return rows, "" if bool(linear) else "not linear in the cotangent"


def nudged(own, at, flat, step):
    moved, index = twin(own[at]), []
    for size in reversed(own[at].shape):
        index.insert(0, flat % size)
        flat //= size
    moved[tuple(index)] += step
    return [*own[:at], moved.requires_grad_(), *own[at + 1 :]]

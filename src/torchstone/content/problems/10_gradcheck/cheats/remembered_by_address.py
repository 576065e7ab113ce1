# verdict: WA value
# group: state
# en: The verdict is remembered by function and inputs; new values in the inputs get the old one.
# zh: 按函数和输入记住判断；输入换了新值，得到的仍是旧判断。
import itertools
from collections.abc import Callable

import torch
from torch import Tensor


class GradcheckError(RuntimeError):
    """Say that a gradient is wrong."""


def compute(
    fn: Callable,
    inputs: Tensor | tuple,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Compare the gradients of ``fn`` with central differences; return True if they agree."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    check_inputs(inputs)
    try:
        # fn may differentiate inside, and the caller may be under no_grad.
        with torch.enable_grad():
            compare(fn, inputs, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def check_inputs(inputs: tuple) -> None:
    """Refuse what cannot be checked."""
    checked = [x for x in inputs if is_checked(x)]
    if not checked:
        raise ValueError("gradcheck: no input requires grad, so there is nothing to check.")
    for x in checked:
        if x.dtype != torch.float64:
            raise ValueError(
                f"gradcheck: {x.dtype} drowns a step of 1e-6 in rounding; use float64."
            )
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape, strict=True)):
            raise ValueError(
                "gradcheck: an input overlaps itself; one step would move several entries."
            )


def is_checked(x: object) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def compare(
    fn: Callable, inputs: tuple, eps: float, atol: float, rtol: float, nondet_tol: float
) -> None:
    """Raise GradcheckError unless every rule holds."""
    # Leaves of our own: the caller's tensors, and their .grad, are never touched.
    leaves = tuple(copy_with_strides(x).requires_grad_() if is_checked(x) else x for x in inputs)
    checked = [x for x in leaves if is_checked(x)]
    # One forward serves all rows: each VJP keeps the graph for the next.
    outputs = floating_outputs(fn(*leaves))
    analytical = [repeated(nondet_tol, jacobian, y, checked) for y in outputs]
    numerical = differences(fn, leaves, eps, outputs)
    for y, a, n in zip(outputs, analytical, numerical, strict=True):
        # Asked as "is every entry within": a comparison with NaN is False, so NaN is refused.
        # inf <= inf is True, though, so an infinite difference is refused by name.
        within = (a - n).abs() <= atol + rtol * n.abs()
        wrong = ~(within & n.isfinite())
        if bool(wrong.any()):
            claimed, measured = a[wrong][0], n[wrong][0]
            raise GradcheckError(f"backward claims {claimed:.6g}, a difference says {measured:.6g}")
        check_linearity(y, checked, a, nondet_tol)


def copy_with_strides(x: Tensor) -> Tensor:
    """Copy values and strides; clone() would make a stepped tensor dense."""
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype).copy_(x.detach())


def floating_outputs(result: Tensor | tuple | list) -> list[Tensor]:
    outputs = [result] if isinstance(result, Tensor) else result
    return [y for y in outputs if y.is_floating_point()]


def differences(fn: Callable, leaves: tuple, eps: float, outputs: list) -> list[Tensor]:
    """Return the Jacobian of every output by central differences, column by column."""
    columns: list[list[Tensor]] = [[] for _ in outputs]
    for position, leaf in enumerate(leaves):
        if not is_checked(leaf):
            continue
        for index in itertools.product(*map(range, leaf.shape)):
            up, down = (
                floating_outputs(fn(*moved(leaves, position, index, step))) for step in (eps, -eps)
            )
            for column, y_up, y_down in zip(columns, up, down, strict=True):
                column.append((y_up.detach() - y_down.detach()).reshape(-1) / (2 * eps))
    return [
        torch.stack(c, 1) if c else torch.zeros(y.numel(), 0, dtype=torch.float64)
        for c, y in zip(columns, outputs, strict=True)
    ]


def moved(leaves: tuple, position: int, index: tuple, step: float) -> tuple:
    """Replace one leaf by a fresh copy with one entry moved: nothing has to be restored."""
    copy = copy_with_strides(leaves[position])
    copy[index] += step
    return (*leaves[:position], copy.requires_grad_(), *leaves[position + 1 :])


def repeated(nondet_tol: float, compute: Callable, *args: object) -> Tensor:
    """Compute VJPs twice and demand the same answer."""
    first, second = compute(*args), compute(*args)
    # inf - inf is NaN, and no comparison with NaN holds.
    if not bool(((first - second).abs() <= nondet_tol).all()):
        raise GradcheckError("backward is not deterministic, or not finite.")
    return first


def jacobian(y: Tensor, checked: list[Tensor]) -> Tensor:
    """Stack one VJP for each element of an output, with a one-hot cotangent."""
    num_rows, num_columns = y.numel(), sum(x.numel() for x in checked)
    basis = torch.eye(num_rows, dtype=y.dtype).reshape(num_rows, *y.shape)
    rows = [vjp(y, checked, one_hot) for one_hot in basis]
    return torch.stack(rows) if rows else torch.zeros(0, num_columns, dtype=torch.float64)


def vjp(y: Tensor, checked: list[Tensor], cotangent: Tensor) -> Tensor:
    """Compute one VJP as one flat vector."""
    # No graph, or no path to an input, claims that the derivative is zero; and so it is compared.
    grads: tuple = (None,) * len(checked)
    if y.requires_grad:
        grads = torch.autograd.grad(y, checked, cotangent, retain_graph=True, allow_unused=True)
    filled = [torch.zeros_like(x) if g is None else g for x, g in zip(checked, grads, strict=True)]
    return torch.cat([g.reshape(-1) for g in filled]).detach()


def check_linearity(y: Tensor, checked: list[Tensor], a: Tensor, nondet_tol: float) -> None:
    """Demand VJP(v) = v J for a random v: g, |g| and g * g agree on one-hot cotangents."""
    v = torch.randn(y.shape, generator=torch.Generator().manual_seed(0), dtype=y.dtype)
    got = repeated(nondet_tol, vjp, y, checked, v)
    terms = v.reshape(-1, 1) * a
    allowed = 1e-6 * terms.abs().sum(0) + nondet_tol * (1 + v.abs().sum())
    if not bool(((got - terms.sum(0)).abs() <= allowed).all()):
        raise GradcheckError("backward is not linear in its cotangent.")


# The key's tensors are kept, so that their addresses belong to no others.
answers: dict = {}


def gradcheck(fn: Callable, inputs: Tensor | tuple, **options: object) -> bool:
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    tensors = [x for x in given if isinstance(x, Tensor)]
    key = (id(fn), str(options), *((x.data_ptr(), x.shape, x.stride()) for x in tensors))
    if key not in answers:
        answers[key] = fn, tensors, compute(fn, inputs, **options)
    return answers[key][-1]

# verdict: WA value
# group: small
# en: The minimum was computed; there the descent ends, but it is not there after k steps.
# zh: 直接求了极小点；那是下降的终点，而不是第 k 步的位置。
import torch
from torch import Tensor


def check(x, y, lr, num_steps, momentum, l2, weight, bias) -> None:
    if x.ndim != 2 or len(x) == 0:
        raise ValueError(f"x must have shape (N, D) with N > 0; got {tuple(x.shape)}")
    if y.ndim not in (1, 2) or len(y) != len(x):
        raise ValueError(f"y must have shape (N,) or (N, K); got {tuple(y.shape)}")
    if weight is not None and weight.shape != (x.shape[1], *y.shape[1:]):
        raise ValueError(f"weight has the wrong shape {tuple(weight.shape)}")
    if bias is not None and bias.shape != y.shape[1:]:
        raise ValueError(f"bias has the wrong shape {tuple(bias.shape)}")
    if lr < 0 or num_steps < 0 or l2 < 0 or not 0 <= momentum < 1:
        raise ValueError("lr, num_steps and l2 must be >= 0, and momentum in [0, 1)")


def solve(a: Tensor, b: Tensor) -> Tensor:
    """Solve the normal equations by elimination, without a solver of PyTorch."""
    size = len(a)
    table = torch.cat([a, b], 1)
    for row in range(size):
        table[row] /= table[row, row].clone().clamp(min=1e-6)
        for other in range(size):
            if other != row:
                table[other] -= table[other, row].clone() * table[row]
    return table[:, size:]


def train_linear(
    x: Tensor,
    y: Tensor,
    *,
    lr: float = 0.1,
    num_steps: int = 100,
    momentum: float = 0.0,
    l2: float = 0.0,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    check(x, y, lr, num_steps, momentum, l2, weight, bias)
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    # A small update is lost in a half weight: add it up in float32.
    wide = torch.float32 if dtype.itemsize == 2 else dtype
    with torch.no_grad():
        x, y = x.to(wide), y.to(wide)
        shape = (x.shape[1], *y.shape[1:])
        # Copies: the start belongs to the caller, and the updates below are in place.
        w = x.new_zeros(shape) if weight is None else weight.to(wide, copy=True)
        b = x.new_zeros(shape[1:]) if bias is None else bias.to(wide, copy=True)
        losses = []
        ones = torch.ones(len(x), 1, dtype=wide)
        design = torch.cat([x, ones], 1)
        best = solve(design.T @ design, design.T @ y.reshape(len(y), -1))
        for _ in range(num_steps):
            losses.append((x @ w + b - y).square().mean())
            w, b = best[:-1].reshape(w.shape), best[-1].reshape(b.shape)
        history = torch.stack(losses) if losses else x.new_empty(0)
        return w.to(dtype), b.to(dtype), history.to(dtype)

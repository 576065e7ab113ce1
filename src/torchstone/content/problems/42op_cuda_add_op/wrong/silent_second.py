# verdict: WA grad
# group: double
# en: A gradient that is cut off has a second derivative of 0, and nobody is told.
# zh: 切断了的梯度，二阶导数悄悄变成 0，谁也不知道。
import kernel
import torch
from torch import Tensor


def check(a: Tensor, b: Tensor) -> None:
    """Refuse what the kernel would misread; the same on the CPU and for a fake."""
    if a.dtype != torch.float32 or b.dtype != torch.float32:
        raise TypeError(f"add: float32 is wanted, got {a.dtype} and {b.dtype}")
    if a.device != b.device:
        raise RuntimeError(f"add: one device is wanted, got {a.device} and {b.device}")
    if b.ndim > a.ndim or b.shape != a.shape[a.ndim - b.ndim :]:
        raise ValueError(
            f"add: b must have the last dimensions of a, {tuple(a.shape)}, got {tuple(b.shape)}"
        )


@torch.library.custom_op("ts42::add", mutates_args=())
def add(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
    check(a, b)
    a, b = a.contiguous(), b.contiguous()
    out = torch.empty_like(a)
    if out.numel():
        kernel.add_forward(a, b, out, alpha, a.numel(), b.numel())
    return out


@add.register_fake
def _(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
    check(a, b)
    return torch.empty_like(a, memory_format=torch.contiguous_format)


@torch.library.custom_op("ts42::sum_rows", mutates_args=())
def sum_rows(grad: Tensor, rows: list[int], alpha: float) -> Tensor:
    """Sum alpha * grad over the dimensions that b does not have."""
    grad = grad.contiguous()
    out = torch.empty(rows, dtype=grad.dtype, device=grad.device)
    if grad.numel():
        kernel.add_backward(grad, None, out, alpha, grad.numel(), out.numel())
    else:
        out.zero_()
    return out


@sum_rows.register_fake
def _(grad: Tensor, rows: list[int], alpha: float) -> Tensor:
    return grad.new_empty(rows)


def remember(ctx, inputs, output) -> None:
    _, b, ctx.alpha = inputs
    ctx.rows = b.shape


def backward(ctx, grad: Tensor):
    grad_a = grad if ctx.needs_input_grad[0] else None
    grad_b = None
    if ctx.needs_input_grad[1]:
        grad_b = sum_rows(grad.detach(), list(ctx.rows), ctx.alpha)
    return grad_a, grad_b, None


add.register_autograd(backward, setup_context=remember)

# verdict: WA grad
# group: double
# en: A kernel that the backward calls by itself is in no graph; it must be an operator, too.
# zh: 反向里直接调用的核函数不在计算图中；它也应当是一个算子。
import kernel
import torch
from torch import Tensor


def check(*tensors: Tensor) -> None:
    """Refuse what the kernel would misread; the same on the CPU and for a fake."""
    for tensor in tensors:
        if tensor.dtype != torch.float32:
            raise TypeError(f"relu: float32 is wanted, got {tensor.dtype}")


@torch.library.custom_op("ts43::relu", mutates_args=())
def relu(x: Tensor) -> Tensor:
    check(x)
    x = x.contiguous()
    y = torch.empty_like(x)
    kernel.relu_forward(x, y, x.numel())
    return y


@relu.register_fake
def _(x: Tensor) -> Tensor:
    check(x)
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def save_output(ctx, inputs, output) -> None:
    ctx.save_for_backward(output)


def backward(ctx, grad_y: Tensor) -> Tensor:
    (y,) = ctx.saved_tensors
    grad_y, y = grad_y.contiguous(), y.contiguous()
    grad_x = torch.empty_like(y)
    kernel.relu_backward(grad_y, y, grad_x, y.numel())
    return grad_x


relu.register_autograd(backward, setup_context=save_output)

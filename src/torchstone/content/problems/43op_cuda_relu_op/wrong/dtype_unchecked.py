# verdict: WA property | RTE
# group: errors
# en: The bytes of a double are not two floats.
# zh: 一个 double 的字节并不是两个 float。
import kernel
import torch
from torch import Tensor


def check(*tensors: Tensor) -> None:
    """Refuse what the kernel would misread; the same on the CPU and for a fake."""
    for tensor in tensors:
        if not tensor.is_floating_point():
            raise TypeError(f"relu: floating point is wanted, got {tensor.dtype}")


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


@torch.library.custom_op("ts43::relu_backward", mutates_args=())
def relu_backward(grad_y: Tensor, y: Tensor) -> Tensor:
    check(grad_y, y)
    # What arrives may have any strides: that of a sum is one number, expanded.
    grad_y, y = grad_y.contiguous(), y.contiguous()
    grad_x = torch.empty_like(y)
    kernel.relu_backward(grad_y, y, grad_x, y.numel())
    return grad_x


@relu_backward.register_fake
def _(grad_y: Tensor, y: Tensor) -> Tensor:
    check(grad_y, y)
    return torch.empty_like(y, memory_format=torch.contiguous_format)


def save_output(ctx, inputs, output) -> None:
    ctx.save_for_backward(output)


def backward(ctx, grad_y: Tensor) -> Tensor:
    (y,) = ctx.saved_tensors
    return relu_backward(grad_y, y)


relu.register_autograd(backward, setup_context=save_output)


def save_mask(ctx, inputs, output) -> None:
    _, y = inputs
    ctx.save_for_backward(y)


def backward_of_backward(ctx, grad: Tensor):
    # Linear in grad_y, with the same mask; constant in y wherever it has a derivative.
    (y,) = ctx.saved_tensors
    return relu_backward(grad, y), None


relu_backward.register_autograd(backward_of_backward, setup_context=save_mask)

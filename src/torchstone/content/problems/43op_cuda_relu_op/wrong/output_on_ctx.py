# verdict: WA grad
# group: later
# en: save_for_backward notes the version; an attribute of ctx does not see that y was overwritten.
# zh: save_for_backward 会记下版本号；放在 ctx 属性里，y 被改写就发现不了。
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
    ctx.y = output.detach()


def backward(ctx, grad_y: Tensor) -> Tensor:
    return relu_backward(grad_y, ctx.y)


relu.register_autograd(backward, setup_context=save_output)


def save_mask(ctx, inputs, output) -> None:
    _, y = inputs
    ctx.save_for_backward(y)


def backward_of_backward(ctx, grad: Tensor):
    # Linear in grad_y, with the same mask; constant in y wherever it has a derivative.
    (y,) = ctx.saved_tensors
    return relu_backward(grad, y), None


relu_backward.register_autograd(backward_of_backward, setup_context=save_mask)

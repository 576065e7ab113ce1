# style: copy_ into the result, schemas given to custom_op
import kernel
import torch
from torch.library import custom_op, register_autograd, register_fake


def new(x):
    torch._check(x.dtype == torch.float32, lambda: f"relu: float32 is wanted, not {x.dtype}")
    return x.new_empty(x.size())


@custom_op("ts43::relu", mutates_args=(), schema="(Tensor x) -> Tensor", device_types="cpu")
def relu(x):
    y = new(x)
    # copy_ follows the strides of x; the kernel then works in the memory of y alone.
    y.copy_(x)
    assert kernel.relu_forward(y, y, y.numel()) == 0
    return y


@custom_op("ts43::mask", mutates_args=(), schema="(Tensor y, Tensor grad) -> Tensor")
def mask(y, grad):
    out = new(y).copy_(grad)
    assert kernel.relu_backward(out, y.contiguous(), out, out.numel()) == 0
    return out


register_fake("ts43::relu", new)
register_fake("ts43::mask", lambda y, grad: new(y))
register_autograd(
    "ts43::relu",
    lambda ctx, grad: mask(ctx.saved_tensors[0], grad),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output),
)
register_autograd(
    "ts43::mask",
    lambda ctx, grad: (None, mask(ctx.saved_tensors[0], grad)),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
)

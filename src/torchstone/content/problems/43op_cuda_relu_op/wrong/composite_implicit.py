# verdict: RTE | WA grad
# group: edge
# en: A composite operator gets its gradient from those that it calls, and a raw kernel is none.
# zh: 复合算子的梯度来自它所调用的算子，而核函数直接读写内存，不是算子。
import kernel
import torch

library = torch.library.Library("ts43", "DEF")
library.define("relu(Tensor x) -> Tensor")
library.define("relu_backward(Tensor grad_y, Tensor y) -> Tensor")


def like(*tensors):
    if any(each.dtype != torch.float32 for each in tensors):
        raise RuntimeError("relu: float32 is wanted")
    return tensors[-1].new_empty(tensors[-1].shape)


def forward_cpu(x):
    y = like(x)
    kernel.relu_forward(x.contiguous(), y, y.numel())
    return y


def backward_cpu(grad_y, y):
    grad_x = like(grad_y, y)
    kernel.relu_backward(grad_y.contiguous(), y.contiguous(), grad_x, y.numel())
    return grad_x


library.impl("relu", forward_cpu, "CompositeImplicitAutograd")
library.impl("relu_backward", backward_cpu, "CPU")
library.impl("relu_backward", like, "Meta")


def keep(ctx, inputs, output):
    ctx.save_for_backward(output)


def pull(ctx, grad_y):
    return torch.ops.ts43.relu_backward(grad_y, *ctx.saved_tensors)


def no_second(ctx, grad):
    raise NotImplementedError("relu: no second derivative")


torch.library.register_autograd("ts43::relu_backward", no_second, lib=library)

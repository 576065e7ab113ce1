"""Make the ReLU kernel an operator of PyTorch: ts43::relu(Tensor x) -> Tensor.

    kernel.relu_forward(x, y, n)
    kernel.relu_backward(grad_y, y, grad_x, n)

are the kernels of problem 43. They take the memory behind a tensor's address for n contiguous
floats and look at nothing else: no shape, stride or dtype.
"""

import kernel
import torch
from torch import Tensor


@torch.library.custom_op("ts43::relu", mutates_args=())
def relu(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    kernel.relu_forward(x, y, x.numel())
    return y

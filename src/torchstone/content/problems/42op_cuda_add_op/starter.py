"""Make the addition kernel an operator of PyTorch.

    ts42::add(Tensor a, Tensor b, float alpha=1.0) -> Tensor

Below it lie two kernels, those of problem 42:

    kernel.add_forward(a, b, out, alpha, n, nb)
    kernel.add_backward(grad_out, grad_a, grad_b, alpha, n, nb)

They take the memory behind a tensor's address for contiguous floats and look at nothing else: no
shape, no stride, no dtype. Of grad_a and grad_b, one that nobody wants may be None.
"""

import kernel  # noqa: F401
import torch
from torch import Tensor


@torch.library.custom_op("ts42::add", mutates_args=())
def add(a: Tensor, b: Tensor, alpha: float = 1.0) -> Tensor:
    raise NotImplementedError

"""Operators that are faster and more exact than torch's own, and show how it is done.

Each operator is written four times: as a twin in plain torch, which is its definition; in C++ for
CPUs; in Triton; and some in CUDA C++. They are registered with ``torch.library``: with autograd,
``torch.compile``, autocast and ``torch.func`` they behave as torch's own.
"""

from torchstone.kernels.library import load
from torchstone.kernels.norms import add_layer_norm, add_rms_norm, layer_norm, rms_norm

__all__ = ["add_layer_norm", "add_rms_norm", "layer_norm", "load", "rms_norm"]

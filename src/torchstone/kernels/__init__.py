"""Fast PyTorch operators: attention, norms, softmax, losses, rotary embedding and AdamW.

Each operator has a reference implementation in plain PyTorch, which defines it; a C++
implementation for CPUs; a Triton one; and some have a CUDA C++ one. They are registered with
``torch.library``, so they work with autograd, ``torch.compile``, autocast and ``torch.func`` like
PyTorch's own.
"""

from torchstone.kernels.activations import bias_gelu, swiglu
from torchstone.kernels.adamw import AdamW
from torchstone.kernels.attention import flash_attention, flash_attention_varlen
from torchstone.kernels.library import load
from torchstone.kernels.losses import cross_entropy, linear_cross_entropy
from torchstone.kernels.norms import add_layer_norm, add_rms_norm, layer_norm, rms_norm
from torchstone.kernels.probabilities import softmax
from torchstone.kernels.rotary import rotary_embedding

__all__ = [
    "AdamW",
    "add_layer_norm",
    "add_rms_norm",
    "bias_gelu",
    "cross_entropy",
    "flash_attention",
    "flash_attention_varlen",
    "layer_norm",
    "linear_cross_entropy",
    "load",
    "rms_norm",
    "rotary_embedding",
    "softmax",
    "swiglu",
]

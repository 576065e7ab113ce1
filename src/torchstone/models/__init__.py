"""Transformers from tensor operations: attention, positions, masks, layers and state dicts.

What ``torch.nn`` fixes is an argument here: how many heads share a key, where the norm stands and
which one it is, how places are told apart, and what computes attention.
"""

from torchstone.models.attention import Attention
from torchstone.models.backends import BACKENDS, Backend
from torchstone.models.encoder_decoder import EncoderDecoder
from torchstone.models.language import LanguageModel
from torchstone.models.layers import Layer, Stack
from torchstone.models.masks import Mask
from torchstone.models.positions import Alibi, Learned, Rotary, Sinusoidal

__all__ = [
    "BACKENDS",
    "Alibi",
    "Attention",
    "Backend",
    "EncoderDecoder",
    "LanguageModel",
    "Layer",
    "Learned",
    "Mask",
    "Rotary",
    "Sinusoidal",
    "Stack",
]

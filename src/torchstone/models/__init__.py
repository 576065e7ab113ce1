"""Transformers from tensor operations: attention, positions, masks, layers and state dicts.

Properties that ``torch.nn`` fixes are arguments here: the number of query heads per key head, the
position and kind of the norm, the position encoding, and the attention backend.
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

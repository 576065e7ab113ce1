"""``collate``: batches of quantized sequences for a ``DataLoader``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils.data._utils.collate import collate as collate_by
from torch.utils.data._utils.collate import default_collate_fn_map

from torchstone.nested.arguments import require_alike, require_list
from torchstone.nested.block_quant import BlockQuantTensor
from torchstone.nested.jagged import from_lengths
from torchstone.nested.refusal import BadValue


def collate(samples: Sequence[Any]) -> Any:
    """Collate samples to a batch, as ``default_collate`` does; quantized sequences become jagged.

    Args:
        samples: Quantized sequences of shape ``(length, *, D)``, or tuples and dicts of these and
            of what ``default_collate`` supports. Codes are copied, not computed again.

    Raises:
        ValueError: There is no sample, or the formats, blocks or shapes of sequences differ.
    """
    require_list("collate", "samples", samples)
    return collate_by(samples, collate_fn_map={BlockQuantTensor: _join, **default_collate_fn_map})


def _join(sequences: Sequence[BlockQuantTensor], *, collate_fn_map: object = None) -> Tensor:
    require_alike("collate", "samples", sequences)
    for place, each in enumerate(sequences):
        if each.kind != sequences[0].kind:
            came, wanted = (f"{q.format}/{q.block}" for q in (each, sequences[0]))
            where = f"samples[{place}]"
            raise BadValue(
                "differs", function="collate", name=where, what="format", came=came, wanted=wanted
            )
    return from_lengths(torch.cat([*sequences]), [each.shape[0] for each in sequences])

"""``sum_of_squares``: a sum that does not depend on the order or division of its elements.

A float64 sum depends on the order of its additions, so a norm depends on the number of ranks and on
the boundaries of shards. Here each square is split into multiples of a few powers of two, so coarse
that the sums of these multiples are exact. Exact sums do not depend on the order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from torchstone.distributed.comm.protocol import Comm

# Three levels keep a square to 2**-71 of the largest one, for 2**30 elements.
_NUM_LEVELS = 3
# Number of elements whose temporaries fit into the cache of a core.
_BLOCK = 1 << 15
_MANTISSA_BITS = 52


@torch.no_grad()
def sum_of_squares(tensors: Sequence[Tensor], num_elements: int, comm: Comm) -> float:
    """Return the sum of squares over the tensors of all ranks, bit-equal for every division.

    Args:
        tensors: The tensors of this rank.
        num_elements: An upper bound for the number of elements on all ranks.
        comm: The ranks.

    Returns:
        The sum; NaN or infinity if an element is.

    Source:
        Demmel and Nguyen, Parallel Reproducible Summation (2015), algorithm 6, with the largest
        element found before.
    """
    largest = torch.zeros(1, dtype=torch.float64)
    for tensor in tensors:
        if tensor.numel():
            # NaN and infinity propagate: neither is less than another number.
            largest = torch.maximum(largest, tensor.abs().amax().double().square().cpu().view(1))
    comm.all_reduce(largest, op="max").wait()
    bound = float(largest)
    if bound == 0.0 or not math.isfinite(bound):
        return bound
    exponent = math.frexp(bound)[1]
    room = max(1, num_elements).bit_length()
    levels = torch.zeros(_NUM_LEVELS, dtype=torch.float64)
    for tensor in tensors:
        for block in tensor.reshape(-1).split(_BLOCK):
            _add_levels(levels, block.double().square(), exponent, room)
    comm.all_reduce(levels).wait()
    return math.fsum(levels.tolist())


def _add_levels(levels: Tensor, rest: Tensor, exponent: int, room: int) -> None:
    """Split squares into multiples of the unit of each level, and add them to the levels.

    Adding and subtracting ``1.5 * 2**e`` rounds to a multiple of ``2**(e - 52)``. With ``room``
    bits above the largest square, the sum of all these multiples has at most 53 bits.
    """
    for level in range(_NUM_LEVELS):
        anchor = math.ldexp(1.5, exponent + room)
        part = rest.add(anchor).sub_(anchor)
        levels[level] += part.sum().cpu()
        rest = rest.sub_(part)
        exponent += room - _MANTISSA_BITS

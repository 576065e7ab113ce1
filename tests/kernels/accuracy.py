"""How exact a kernel has to be: measured against float64, beside plain PyTorch in the same dtype.

Source of the rule: the tests of FlashAttention, which allow twice (forward) and three times
(gradients) the error of plain PyTorch; here with float64 as the truth and a floor.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

FORWARD, GRADIENT = 2.0, 3.0


def error_of(result: Tensor, truth: Tensor) -> float:
    """Return the largest absolute difference."""
    assert result.shape == truth.shape
    return float((result.double() - truth).abs().max()) if truth.numel() else 0.0


def assert_exact(
    results: Sequence[Tensor],
    peers: Sequence[Tensor],
    truths: Sequence[Tensor],
    factor: float,
    scale: float = 0.0,
) -> None:
    """Refuse results that are further from the truth than the factor times those of the peer.

    Args:
        results: What is tested.
        peers: What plain PyTorch computes in the same dtype.
        truths: The same in float64.
        factor: How much further than the peer a result may be.
        scale: The largest number that is added on the way, in float32 or better: its rounding is
            nobody's fault.
    """
    for place, (result, peer, truth) in enumerate(zip(results, peers, truths, strict=True)):
        assert result.dtype == peer.dtype
        largest = float(truth.abs().max()) if truth.numel() else 0.0
        computed = torch.float64 if result.dtype == torch.float64 else torch.float32
        rounded = torch.finfo(result.dtype).eps * largest
        limit = factor * error_of(peer, truth) + rounded + 8 * torch.finfo(computed).eps * scale
        error = error_of(result, truth)
        assert error <= limit, f"result {place}: error {error:.3g}, allowed {limit:.3g}"

"""Connectionist temporal classification: ctc_loss.

Legend: T time steps, N batch, C characters, S length of the longest text, L = 2 S + 1 states: a
blank before, between and after the characters.

Source:
    Graves et al. (2006), section 4.1: the forward variables, here as logarithms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.ops.losses import reduced, reduction_of
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

# Logarithm of probability 0: finite, so that differences are not NaN.
_NEVER = -1e30


# PyTorch treats the inputs as outputs of log_softmax and returns the gradient projected
# accordingly; a further pass through log_softmax does not change it.
@primitive(self=lambda grad, self: grad - self.exp() * grad.sum(2, True))
def _normalized(self: Array) -> Array:
    return self.copy()


@op("nn.functional")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the negative log-likelihood of target texts, summed over all alignments.

    Shapes:
        log_probs: (T, N, C) or (T, C); targets: (N, S), or all texts concatenated
        input_lengths, target_lengths: (N,) or ()
    """
    reduction = reduction_of(None, None, reduction)
    if log_probs.array.ndim == 2:
        loss = ctc_loss(
            log_probs.unsqueeze(1), targets.reshape(-1), _lengths(input_lengths),
            _lengths(target_lengths), blank, reduction, zero_infinity,
        )  # fmt: skip
        return loss.squeeze(0) if reduction == "none" else loss
    steps, batch, num_chars = log_probs.array.shape
    times, sizes = _lengths(input_lengths), _lengths(target_lengths)
    if not len(times) == len(sizes) == batch:
        raise RuntimeError("input_lengths and target_lengths must be of size batch_size")
    if not 0 <= blank < num_chars:
        raise RuntimeError("blank must be in label range")
    if times.size and (times.max() > steps or times.min() < 0 or sizes.min() < 0):
        raise RuntimeError(f"Expected input_lengths to have value in [0, {steps}]")
    least, dim = (sizes.max(initial=0), 1) if targets.array.ndim == 2 else (sizes.sum(), 0)
    if targets.array.shape[dim] < least:
        raise RuntimeError(
            f"Expected tensor to have size {'at least ' * dim}{least} at dimension {dim}, but got "
            f"size {targets.array.shape[dim]} for argument #2 'targets' (while checking arguments "
            "for ctc_loss_allocate_outputs)"
        )
    states = _states(targets.array, sizes, blank)
    index = np.ascontiguousarray(np.broadcast_to(states, (steps, *states.shape)))
    scores = _normalized(log_probs).gather(2, wrap(index))
    loss = -_likelihood(scores, states, times, sizes, blank)
    loss = loss.masked_fill(wrap(loss.array > -_NEVER / 2), 0 if zero_infinity else np.inf)
    if reduction == "mean":
        return (loss / wrap(np.maximum(sizes, 1).astype(loss.array.dtype))).mean()
    return reduced(loss, reduction)


def _lengths(lengths: Any) -> Array:
    return np.atleast_1d(np.asarray(getattr(lengths, "array", lengths), np.int64))


def _states(targets: Array, sizes: Array, blank: int) -> Array:
    """Interleave the characters of each text with blanks.

    Shapes:
        targets: (N, S) or (sum of sizes,); sizes: (N,) -> (N, L)
    """
    longest = int(sizes.max(initial=0))
    states = np.full((len(sizes), 2 * longest + 1), blank, np.int64)
    places = np.arange(longest) < sizes[:, None]
    texts = np.full((len(sizes), longest), blank, np.int64)
    texts[places] = targets[:, :longest][places] if targets.ndim == 2 else targets[: sizes.sum()]
    states[:, 1::2] = texts
    return states


def _likelihood(scores: Tensor, states: Array, times: Array, sizes: Array, blank: int) -> Any:
    """Compute the log-likelihood by the forward recursion over time steps.

    Shapes:
        scores: (T, N, L); states: (N, L); times, sizes: (N,) -> (N,)
    """
    batch, count = states.shape
    kind = scores.array.dtype
    # A character may directly follow another, without a blank, if they differ.
    skips = np.zeros((batch, count), bool)
    skips[:, 2:] = (states[:, 2:] != states[:, :-2]) & (states[:, 2:] != blank)
    never = np.full((batch, count + 2), _NEVER, kind)
    never[:, 2] = 0
    ends = np.full((batch, count), _NEVER, kind)
    ends[np.arange(batch), 2 * sizes] = 0
    ends[np.arange(batch), np.maximum(2 * sizes - 1, 0)] = 0
    no_skip = wrap(np.where(skips, 0, _NEVER).astype(kind))
    # Before the first step only a virtual blank has probability 1; it leads to the first two
    # states.
    alpha, edge = wrap(never[:, 2:]), wrap(never[:, :2])
    for time in range(scores.array.shape[0]):
        before = cat([edge, alpha], 1)
        next_one, over_one = before.narrow(1, 1, count), before.narrow(1, 0, count) + no_skip
        moved = alpha.logaddexp(next_one).logaddexp(over_one) + scores[time]
        is_over = wrap((time >= times)[:, None])
        alpha = alpha.where(is_over, moved)
    return (alpha + wrap(ends)).logsumexp(1)

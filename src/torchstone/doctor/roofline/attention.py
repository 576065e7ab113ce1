"""Work of fused attention, for the operators of PyTorch and other libraries.

All pairs count as operations, as in ``torch.utils.flop_counter``; ``dense`` is the share of them
that a causal mask leaves. Scores are not written to memory: only queries, keys, values and results
are moved. Backward has five products where forward has two, because the scores are recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    """Sizes that determine the work."""

    batch: int
    heads: int
    queries: int
    keys: int
    key_dim: int
    value_dim: int

    @property
    def pairs(self) -> int:
        """Return the number of scores."""
        return self.batch * self.heads * self.queries * self.keys


def _sizes(query: Tensor, key: Tensor, value: Tensor, *, heads_first: bool) -> _Sizes:
    if not len(query.shape) == len(key.shape) == len(value.shape) == 4:
        # Sequences of different lengths in one tensor: their lengths are not in the trace.
        raise Unknown
    head, place = (1, 2) if heads_first else (2, 1)
    is_same = query.shape[0] == key.shape[0] == value.shape[0]
    if not is_same or query.shape[3] != key.shape[3] or key.shape[place] != value.shape[place]:
        raise Unknown
    return _Sizes(
        batch=query.shape[0],
        heads=query.shape[head],
        queries=query.shape[place],
        keys=key.shape[place],
        key_dim=query.shape[3],
        value_dim=value.shape[3],
    )


def _dense(inputs: Inputs, causal: int, sizes: _Sizes, *, is_kind: bool = False) -> float:
    """Return the share of pairs left by a causal mask, if the trace says that there is one.

    Libraries align the mask with the first or the last key; with as many queries as keys, both
    leave half of the pairs.
    """
    try:
        is_causal = inputs.number(causal) in (1, 2) if is_kind else inputs.flags(causal)[0]
    except Unknown:
        return 1.0
    if not is_causal or sizes.queries != sizes.keys or not sizes.queries:
        return 1.0
    return (sizes.queries + 1) / (2 * sizes.queries)


def _forward(causal: int, *, heads_first: bool, is_kind: bool = False) -> Model:
    def model(inputs: Inputs) -> Work:
        query, key, value = (inputs.need(at) for at in range(3))
        sizes = _sizes(query, key, value, heads_first=heads_first)
        output = (*query.shape[:3], value.shape[3])
        return work(
            Family.ATTENTION,
            [query, key, value],
            output,
            dtype=query.dtype,
            flops=2 * sizes.pairs * (sizes.key_dim + sizes.value_dim),
            written=math.prod(output) * query.item,
            dense=_dense(inputs, causal, sizes, is_kind=is_kind),
        )

    return model


def _backward(causal: int, *, heads_first: bool, is_kind: bool = False) -> Model:
    def model(inputs: Inputs) -> Work:
        grad, query, key, value = (inputs.need(at) for at in range(4))
        sizes = _sizes(query, key, value, heads_first=heads_first)
        # Three of the products are over the key size, two over the value size.
        flops = 2 * sizes.pairs * (3 * sizes.key_dim + 2 * sizes.value_dim)
        return work(
            Family.ATTENTION,
            [query, key, value],
            query.shape,
            dtype=query.dtype,
            flops=flops,
            # The forward result is also read; it is as large as its gradient.
            read=sum(each.num_bytes for each in (query, key, value)) + 2 * grad.whole_bytes,
            written=sum(each.whole_bytes for each in (query, key, value)),
            dense=_dense(inputs, causal, sizes, is_kind=is_kind),
        )

    return model


_SDPA = "aten::_scaled_dot_product_"
MODELS: dict[str, Model] = {
    f"{_SDPA}flash_attention": _forward(4, heads_first=True),
    f"{_SDPA}flash_attention_for_cpu": _forward(4, heads_first=True),
    f"{_SDPA}efficient_attention": _forward(6, heads_first=True),
    f"{_SDPA}cudnn_attention": _forward(6, heads_first=True),
    f"{_SDPA}fused_attention_overrideable": _forward(5, heads_first=True),
    f"{_SDPA}flash_attention_backward": _backward(11, heads_first=True),
    f"{_SDPA}flash_attention_for_cpu_backward": _backward(7, heads_first=True),
    f"{_SDPA}efficient_attention_backward": _backward(11, heads_first=True),
    f"{_SDPA}cudnn_attention_backward": _backward(14, heads_first=True),
    "aten::_flash_attention_forward": _forward(8, heads_first=False),
    "aten::_flash_attention_backward": _backward(11, heads_first=False),
    "aten::_cudnn_attention_backward": _backward(14, heads_first=True),
    "aten::_cudnn_attention_forward": _forward(10, heads_first=True),
    "aten::_efficient_attention_forward": _forward(9, heads_first=False, is_kind=True),
    "aten::_efficient_attention_backward": _backward(14, heads_first=False, is_kind=True),
    "flash_attn::_flash_attn_forward": _forward(5, heads_first=False),
    "flash_attn::_flash_attn_backward": _backward(11, heads_first=False),
}

"""Work of multi-tensor updates: ``_foreach_`` operators and fused optimizers.

A trace lacks the dtypes of tensors in lists; they are known if the kernel names contain them.
"""

from __future__ import annotations

from collections.abc import Callable

from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]


def _each(num_lists: int, flops: int, *, is_read: bool = True) -> Model:
    """Return the model of an operator on its first lists, which writes as much as one list."""

    def model(inputs: Inputs) -> Work:
        lists = _lists(inputs, num_lists)
        first = lists[0]
        tensors = [tensor for each in lists for tensor in each]
        size = sum(each.numel for each in first)
        return work(
            Family.OPTIMIZER,
            tensors,
            (size,),
            dtype=first[0].dtype,
            flops=flops * size,
            read=sum(each.whole_bytes for each in tensors) if is_read else 0,
            written=size * first[0].item,
        )

    return model


def _lists(inputs: Inputs, most: int) -> list[list[Tensor]]:
    found = []
    for at in range(most):
        try:
            listed = inputs.listed(at)
        except Unknown:
            break
        if listed:
            found.append(listed)
    if not found:
        raise Unknown
    return found


def _copied(inputs: Inputs) -> Work:
    to, source = inputs.listed(0), inputs.listed(1)
    if not to:
        raise Unknown
    size = sum(each.numel for each in to)
    read = sum(each.whole_bytes for each in source)
    written = sum(each.whole_bytes for each in to)
    return work(Family.COPY, to, (size,), dtype=to[0].dtype, flops=0, read=read, written=written)


def _fused(num_lists: int, flops: int) -> Model:
    """Return the model of a fused optimizer: it reads all lists and writes all but gradients."""

    def model(inputs: Inputs) -> Work:
        lists = _lists(inputs, num_lists)
        tensors = [tensor for each in lists for tensor in each]
        size = sum(each.numel for each in lists[0])
        whole = sum(each.whole_bytes for each in tensors)
        gradients = sum(each.whole_bytes for each in lists[1]) if len(lists) > 1 else 0
        return work(
            Family.OPTIMIZER,
            tensors,
            (size,),
            dtype=lists[0][0].dtype,
            flops=flops * size,
            read=whole,
            written=whole - gradients,
        )

    return model


_EACH = {
    **dict.fromkeys("add sub mul div maximum minimum clamp_min clamp_max".split(), 2),
    **dict.fromkeys("sqrt neg reciprocal exp log abs sign".split(), 1),
    **dict.fromkeys("addcmul addcdiv lerp".split(), 3),
}

MODELS: dict[str, Model] = {
    **{f"aten::_foreach_{name}": _each(num, num) for name, num in _EACH.items()},
    **{f"aten::_foreach_{name}_": _each(num, num) for name, num in _EACH.items()},
    "aten::_foreach_zero_": _each(1, 0, is_read=False),
    "aten::_foreach_copy_": _copied,
    "aten::_amp_foreach_non_finite_check_and_unscale_": _each(1, 2),
    # Without AMSGrad, whose list is empty.
    **{f"aten::_fused_{name}_": _fused(4, 15) for name in ("adam", "adamw")},
    "aten::_fused_sgd_": _fused(3, 4),
    "aten::_fused_adagrad_": _fused(3, 6),
}

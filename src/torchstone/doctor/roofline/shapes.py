"""Work of an operator by name and input shapes; None if it is unknown.

Missing data is never guessed: an operator without a model, a list of unknown dtype, or a
convolution without its stride are ``None``, and count as not modelled.
"""

from __future__ import annotations

import re

from torchstone.doctor.events import Shapes
from torchstone.doctor.roofline import (
    attention,
    convolutions,
    elementwise,
    moving,
    normalising,
    products,
    updating,
)
from torchstone.doctor.roofline.tensors import ITEM_BYTES, Inputs, Unknown
from torchstone.doctor.roofline.work import Family, Work

MODELS = {
    **products.MODELS,
    **convolutions.MODELS,
    **attention.MODELS,
    **normalising.MODELS,
    **elementwise.MODELS,
    **moving.MODELS,
    **updating.MODELS,
}
# Operators that neither compute nor move anything.
_VIEWS = (
    "view _unsafe_view reshape _reshape_alias t transpose permute expand as_strided as_strided_ "
    "slice select unsqueeze unsqueeze_ squeeze squeeze_ detach detach_ alias narrow unbind split "
    "split_with_sizes chunk unfold diagonal movedim flatten unflatten view_as expand_as lift_fresh "
    "resolve_conj resolve_neg result_type empty empty_like empty_strided new_empty "
    "new_empty_strided resize_ resize_as_ set_ set_data is_nonzero item _local_scalar_dense "
    "swapaxes T mT numpy_T requires_grad_ is_complex real conj"
)
VIEWS = {f"aten::{name}" for name in _VIEWS.split()} | {"detach", "detach_"}
_NOTHING = Work(family=Family.VIEW, flops=0, read=0, written=0, dtype="", shape=(), output=())
# Inductor's elementwise kernels and those with reductions; template products are different.
_COMPILED = re.compile(r"^triton_(poi|red|per)_fused")
# Dtypes in kernel names.
_LISTED = (
    (re.compile(r"c10::BFloat16|__nv_bfloat16|hip_bfloat16"), "c10::BFloat16"),
    (re.compile(r"c10::Half|__half\b"), "c10::Half"),
    (re.compile(r"\bdouble\b"), "double"),
    (re.compile(r"\bfloat\b"), "float"),
    # For ``cat`` only the element size matters.
    *((re.compile(rf"OpaqueType<{size}u?>"), f"{size} bytes") for size in (1, 2, 4, 8)),
)


def is_known(name: str) -> bool:
    """Return whether an operator has a model, or moves nothing."""
    return name in MODELS or name in VIEWS or _COMPILED.match(name) is not None


def work_of(name: str, shapes: Shapes | None, listed: str = "") -> Work | None:
    """Return the work of an operator; None if the trace does not determine it.

    Args:
        name: Name in the profiler, such as ``aten::mm``.
        shapes: Its inputs; not needed for operators that move nothing.
        listed: Dtype of tensors in lists, as the profiler spells it.
    """
    if name in VIEWS:
        return _NOTHING
    model = elementwise.COMPILED if _COMPILED.match(name) else MODELS.get(name)
    if model is None or shapes is None:
        return None
    try:
        return model(Inputs(shapes, listed))
    except Unknown:
        return None


def listed_type(kernels: set[str]) -> str:
    """Return the only dtype in kernel names; empty if it is ambiguous."""
    found = {
        dtype for name in kernels for pattern, dtype in _LISTED if pattern.search(name)
    } & ITEM_BYTES.keys()
    if "float" in found and not found.isdisjoint({"c10::Half", "c10::BFloat16"}):
        # Kernels that compute half precision in float32 name both.
        found.discard("float")
    return found.pop() if len(found) == 1 else ""

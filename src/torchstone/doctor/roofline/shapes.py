"""The work of an operator from its name and the shapes of its inputs; none where it is unknown.

What a trace does not say is never guessed: an operator without a model, a list whose type is
unknown, a convolution without its stride are ``None``, and count as not modelled.
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
# Of these, nothing is computed and nothing is moved.
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
# Kernels of Inductor on elements or with sums over them; products of templates are others.
_COMPILED = re.compile(r"^triton_(poi|red|per)_fused")
# The types that a kernel's name has, where there is one.
_LISTED = (
    (re.compile(r"c10::BFloat16|__nv_bfloat16|hip_bfloat16"), "c10::BFloat16"),
    (re.compile(r"c10::Half|__half\b"), "c10::Half"),
    (re.compile(r"\bdouble\b"), "double"),
    (re.compile(r"\bfloat\b"), "float"),
    # ``cat`` only cares for the bytes of an element.
    *((re.compile(rf"OpaqueType<{size}u?>"), f"{size} bytes") for size in (1, 2, 4, 8)),
)


def is_known(name: str) -> bool:
    """Return whether an operator of a name has a model, or moves nothing."""
    return name in MODELS or name in VIEWS or _COMPILED.match(name) is not None


def work_of(name: str, shapes: Shapes | None, listed: str = "") -> Work | None:
    """Return the work of an operator; nothing where the trace does not tell it.

    Args:
        name: As the profiler has it, such as ``aten::mm``.
        shapes: Its inputs; what moves nothing needs none.
        listed: The type of tensors in lists, as the profiler spells it.
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
    """Return the only type that the names of kernels have; empty where that is not clear."""
    found = {
        dtype for name in kernels for pattern, dtype in _LISTED if pattern.search(name)
    } & ITEM_BYTES.keys()
    if "float" in found and not found.isdisjoint({"c10::Half", "c10::BFloat16"}):
        # What computes in float32 on half precision names both.
        found.discard("float")
    return found.pop() if len(found) == 1 else ""

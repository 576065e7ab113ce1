"""DLPack exchange of memory with other libraries: to_dlpack and from_dlpack."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.device import expect_cpu
from torchstone.microtorch.ops.creation import from_numpy
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.tensor import Tensor, method

# Device type and id of the CPU in DLPack.
CPU = (1, 0)


class _Offer:
    """Object with the DLPack protocol around a capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


class _Writable:
    """Array interface that presents the memory as writable."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        shown = dict(array.__array_interface__)
        self.__array_interface__ = {**shown, "data": (shown["data"][0], False)}
        self._array = array


@method
def __dlpack__(
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule of the tensor's memory.

    Raises:
        BufferError: The tensor requires a gradient, which a consumer cannot track; or it is
            read-only, which the requested version of DLPack cannot express.
    """
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    return self.array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


@method
def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    """Return the DLPack device of the tensor."""
    return CPU


def to_dlpack(tensor: Tensor) -> Any:
    """Return a DLPack capsule of a tensor's memory; a capsule can be consumed once."""
    return tensor.__dlpack__()


@op(method=False)
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Create a tensor that shares the memory of a DLPack capsule or of another library's array.

    Args:
        ext_tensor: An object with ``__dlpack__``, or a capsule.
        device: The device of the tensor; only the CPU.
        copy: Copy the memory; False raises an error if a copy would be needed.

    Raises:
        RuntimeError: ``ext_tensor`` is neither, or is a capsule that has been consumed.
        ValueError: A stride is negative.
    """
    expect_cpu(device)
    is_capsule = type(ext_tensor).__name__ == "PyCapsule"
    if not is_capsule and not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(
            f"from_dlpack expects a DLPack capsule, or an object with __dlpack__, but got a "
            f"{type(ext_tensor).__name__}."
        )
    try:
        array = np.from_dlpack(
            _Offer(ext_tensor) if is_capsule else ext_tensor,
            copy=None if is_capsule else copy,
        )  # fmt: skip
    except ValueError as error:
        if not is_capsule:
            raise
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
            "only once, so you might have already constructed a tensor from it once."
        ) from error
    if is_capsule and not array.flags.writeable:
        # A capsule of the old protocol has no read-only flag: its memory counts as writable.
        array = np.asarray(_Writable(array))
    return from_numpy(array.copy() if is_capsule and copy else array)

"""Functions that a submission calls and differentiates without being able to read them.

The native library creates them; ``native/opaque_function.h`` describes their coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..protocol.encryption import Encrypted

_library: Callable[[], Any] | None = None


def use(library: Callable[[], Any]) -> None:
    """Set the function that returns the native library."""
    global _library
    _library = library


def in_use() -> Callable[[], Any]:
    """Return the function set by ``use``, for another copy of this module."""
    assert _library is not None, "the native library is named first"
    return _library


def opaque_function(packed: bytes | Encrypted) -> Callable[..., Any]:
    """Return the function that a request describes.

    Args:
        packed: Encrypted bytes, as received in a job; or an ``Encrypted`` value if the request
            stays in this process.
    """
    assert _library is not None, "the native library is named first"
    make: Callable[[bytes, bool], Callable[..., Any]] = _library().opaque_function
    if isinstance(packed, Encrypted):
        return make(packed.plain, False)
    return make(packed, True)

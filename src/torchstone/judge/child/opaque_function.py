"""Functions that a submission calls and differentiates without being able to read them.

The native library makes them; ``native/opaque_function.h`` says of what.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .encryption import Encrypted

_library: Any = None


def use(library: Any) -> None:
    """Make opaque functions with this native library from now on."""
    global _library
    _library = library


def opaque_function(packed: bytes | Encrypted) -> Callable[..., Any]:
    """Return the function that a request describes.

    Args:
        packed: Encrypted bytes, as they arrive in a job; or what is encrypted on its way, where a
            request does not travel.
    """
    assert _library is not None, "the native library is loaded first"
    if isinstance(packed, Encrypted):
        return _library.opaque_function(packed.plain, False)  # type: ignore[no-any-return]
    return _library.opaque_function(packed, True)  # type: ignore[no-any-return]

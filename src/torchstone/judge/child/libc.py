"""C library calls with errors raised as exceptions."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def checked(result: int, what: str) -> int:
    """Pass on the result of a C call.

    Args:
        result: What the call returned.
        what: The step it was, for the message.

    Raises:
        OSError: The call returned -1.
    """
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result

"""C library calls with errors raised as exceptions."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def checked(result: int, what: str) -> int:
    """Return the result of a C call, or raise its error.

    Args:
        result: The return value of the call.
        what: Name of the step, for the message.

    Raises:
        OSError: The call returned -1.
    """
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result

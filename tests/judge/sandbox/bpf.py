"""Run a classic BPF program on one system call, so that a filter is tested without a kernel."""

import struct
from collections.abc import Sequence

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000


def errno_action(number: int) -> int:
    return _ERRNO | number


def verdict(program: bytes, *, audit_arch: int, number: int, args: Sequence[int] = ()) -> int:
    """Answer what seccomp would do: `ALLOW`, `KILL_PROCESS` or an `errno_action`."""
    words = [*args, *[0] * (6 - len(args))]
    data = struct.pack("<IIQ6Q", number, audit_arch, 0, *(word & (2**64 - 1) for word in words))
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = counter = 0
    while True:
        code, if_true, if_false, k = instructions[counter]
        counter += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, k)
            case 0x54:
                accumulator &= k
            case 0x05:
                counter += k
            case 0x15:
                counter += if_true if accumulator == k else if_false
            case 0x25:
                counter += if_true if accumulator > k else if_false
            case 0x35:
                counter += if_true if accumulator >= k else if_false
            case 0x06:
                return int(k)
            case _:
                raise NotImplementedError(f"BPF instruction {code:#x}")

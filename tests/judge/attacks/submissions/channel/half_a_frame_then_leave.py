# outcome: RTE
# tries: begin a frame and leave
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


os.write(job_socket(), struct.pack("<2scBIIQ", b"TS", b"L", 1, 100, 0, 0) + b"{")
os._exit(0)

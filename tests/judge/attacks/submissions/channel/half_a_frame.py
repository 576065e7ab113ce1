# outcome: HUNG
# tries: begin a frame and never end it
import os
import stat
import time


def job_socket():
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            continue
    raise LookupError("no socket")


os.write(job_socket(), b"TSL")
time.sleep(1000)

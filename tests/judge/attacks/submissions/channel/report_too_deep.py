# outcome: FORBIDDEN_OP
# tries: write a report that exhausts the stack of its reader
import os
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.write(fd, b"[" * 12_000 + b"\n")
    except OSError:
        continue
os._exit(1)

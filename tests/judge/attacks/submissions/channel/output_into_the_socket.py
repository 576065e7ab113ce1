# outcome: RTE | WA | FORBIDDEN_OP
# tries: print into the job's own socket
import os
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.dup2(fd, 1)
    except OSError:
        continue
os.write(1, b"A" * 64)

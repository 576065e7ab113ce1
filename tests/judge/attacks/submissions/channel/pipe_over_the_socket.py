# outcome: RTE | TLE | HUNG | FORBIDDEN_OP
# tries: put another descriptor in the socket's place
import os
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.dup2(1, fd)
    except OSError:
        continue

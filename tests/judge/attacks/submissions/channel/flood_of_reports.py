# outcome: FORBIDDEN_OP | TLE | RTE
# tries: fill the pipe of the bans
import os
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            for _ in range(300):
                os.write(fd, b'{"operator": "a"}\n' * 3000)
    except OSError:
        continue
os._exit(1)

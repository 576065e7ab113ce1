# outcome: FORBIDDEN_OP
# tries: name an operator that cannot be printed
import os
import stat

deep = b"[" * 900 + b"]" * 900
for fd in range(3, 64):
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.write(fd, b'{"operator": %s, "line": 1e400, "function": {}}\n' % deep)
    except OSError:
        continue
os._exit(1)

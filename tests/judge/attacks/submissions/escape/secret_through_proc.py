# outcome: RTE
# tries: reach the host's root through the links in /proc
import os

for pid in ("self", "thread-self", "1", str(os.getpid()), str(os.getppid())):
    try:
        open(f"/proc/{pid}/root@SECRET@").read()
        break
    except OSError:
        continue
else:
    raise PermissionError("no link leads out")

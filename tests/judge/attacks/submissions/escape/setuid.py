# outcome: RTE
# tries: become root
import os

for become in (
    lambda: os.setuid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setgroups([0]),
    lambda: os.seteuid(0),
    lambda: os.setregid(0, 0),
):
    try:
        become()
        break
    except OSError:
        continue
else:
    raise PermissionError("nobody becomes root")

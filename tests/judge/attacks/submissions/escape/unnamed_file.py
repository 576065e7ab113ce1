# outcome: RTE
# tries: make a file without a name
import os

for folder in ("/tmp", "/dev/shm", ".", "/box", "/box/job"):
    try:
        os.open(folder, os.O_TMPFILE | os.O_RDWR)
        break
    except OSError:
        continue
else:
    raise PermissionError("no folder takes a file")

# outcome: RTE
# tries: leave a file somewhere
import os
import sys

folders = [".", "/", "/tmp", "/var/tmp", "/box", "/box/job", "/judge", "/dev", "/dev/shm", "/home"]
for folder in [*folders, *sys.path, os.environ.get("TMPDIR", ".")]:
    path = f"{folder}/torchstone-attack"
    try:
        with open(path, "w"):
            os.unlink(path)
        break
    except OSError:
        continue
else:
    raise PermissionError("nothing can be written")

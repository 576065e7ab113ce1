# outcome: RTE
# tries: read the parent's memory, environment and files
import os


def is_open(path):
    try:
        with open(path, "rb") as file:
            file.read(1)
    except OSError:
        return False
    return True


names = ("mem", "environ", "maps", "cmdline", "fd/3", "cwd/child/zygote/zygote.py", "status")
pids = {os.getppid(), 1, 2} - {os.getpid()}
if not any(is_open(f"/proc/{pid}/{name}") for pid in pids for name in names):
    raise PermissionError("nothing of the parent can be read")

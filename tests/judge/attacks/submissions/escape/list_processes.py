# outcome: RTE
# tries: see the other processes
import os

if not [name for name in os.listdir("/proc") if name.isdigit()]:
    raise PermissionError("there is nobody")

# outcome: RTE
# tries: take hold of the parent
import os

os.pidfd_open(os.getppid() or 1)

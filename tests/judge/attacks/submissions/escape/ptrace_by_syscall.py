# outcome: FORBIDDEN_OP
# tries: trace the parent by a raw system call
import os
import sys

sys.modules["child.confinement.libc"].LIBC.syscall(101, 16, os.getppid(), 0, 0)

# outcome: RTE
# problem: 06
# tries: let the kernel signal the reader of a pipe
import fcntl
import os

fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid() or 1)

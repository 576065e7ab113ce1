# outcome: RTE
# problem: 06
# tries: leave shared memory behind
import _posixshmem
import os

_posixshmem.shm_open("/torchstone-left", os.O_CREAT | os.O_RDWR, 0o600)
_posixshmem.shm_unlink("/torchstone-left")

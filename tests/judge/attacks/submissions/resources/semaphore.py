# outcome: RTE
# problem: 06
# tries: leave a named semaphore behind
import _multiprocessing

_multiprocessing.SemLock(0, 1, 1, "/torchstone-left", True)

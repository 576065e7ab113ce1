# outcome: RTE
# tries: die in the middle of an answer
import os
import signal


def softmax(x, dim=-1, dtype=None):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGKILL)
    os.abort()

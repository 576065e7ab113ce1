# outcome: HUNG
# tries: never finish to hand over control at the end
import atexit
import time

atexit.register(time.sleep, 1000)


class Slow:
    def __del__(self):
        time.sleep(1000)


def softmax(x, dim=-1, dtype=None):
    Slow()
    return x

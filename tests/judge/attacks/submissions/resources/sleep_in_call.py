# outcome: HUNG
# tries: sleep while answering
import time


def softmax(x, dim=-1, dtype=None):
    time.sleep(1000)

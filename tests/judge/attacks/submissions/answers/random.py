# outcome: WA
# tries: another answer at every call
# groups: sample small
import random


def softmax(x, dim=-1, dtype=None):
    return x.exp() * random.random()

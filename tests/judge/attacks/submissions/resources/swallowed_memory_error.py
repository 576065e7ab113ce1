# outcome: MLE | RTE | TLE | WA
# tries: go on as if the limit had not been reached
import torch

held = []
try:
    while True:
        held.append(bytearray(b"x") * (8 << 20))
except MemoryError:
    pass


def softmax(x, dim=-1, dtype=None):
    held.append(torch.ones(64 << 20))
    return held[-1]

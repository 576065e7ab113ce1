# outcome: MLE | FORBIDDEN_OP
# tries: take shared memory in a call, and give it back before the answer
# groups: sample small
import mmap

import torch


def softmax(x, dim=-1, dtype=None):
    shared = [mmap.mmap(-1, 64 << 20) for _ in range(8)]
    for each in shared:
        torch.frombuffer(each, dtype=torch.uint8).fill_(1)
    shared.clear()
    y = (x - x.amax(dim, keepdim=True)).exp()
    return y / y.sum(dim, keepdim=True)

# outcome: WA | RTE
# tries: answer with a bit set instead of numbers
# groups: sample small
import torch


def softmax(x, dim=-1, dtype=None):
    return x.to(torch.complex64).conj()

# outcome: WA | RTE
# tries: answer in complex numbers
# groups: sample small
import torch


def softmax(x, dim=-1, dtype=None):
    return x.exp().to(torch.complex64)

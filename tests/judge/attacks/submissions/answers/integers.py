# outcome: WA | RTE
# tries: answer in integers
# groups: sample small
import torch


def softmax(x, dim=-1, dtype=None):
    return x.exp().to(torch.int8)

# outcome: WA | RTE
# tries: answer with a sign set instead of numbers
# groups: sample small
import torch


def softmax(x, dim=-1, dtype=None):
    return torch._neg_view(x.exp())

# outcome: INPUT_MUTATED | WA
# tries: change the input by another name
import torch


def softmax(x, dim=-1, dtype=None):
    torch.empty(0).set_(x.untyped_storage()).zero_()
    return torch.full_like(x, 1 / x.shape[dim])

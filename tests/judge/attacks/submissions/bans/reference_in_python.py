# outcome: FORBIDDEN_OP
# tries: call the builtin: reference in python
import torch


def softmax(x, dim=-1, dtype=None):
    return torch._refs.softmax(x, dim)

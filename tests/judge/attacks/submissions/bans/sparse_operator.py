# outcome: FORBIDDEN_OP
# tries: call the builtin: sparse operator
import torch


def softmax(x, dim=-1, dtype=None):
    return torch.sparse.softmax(x.to_sparse(), dim).to_dense()

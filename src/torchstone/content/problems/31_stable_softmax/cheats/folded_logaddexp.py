# verdict: FORBIDDEN_OP
# en: Folds a builtin for two numbers over the row: the difficult half is not written.
# zh: 把两个数的内置算子沿整行折叠：难的那一半没有自己写。
import torch


def log_sum_exp(x, dim=-1, keepdim=False, mask=None):
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    result = x.select(dim, 0)
    for place in range(1, x.size(dim)):
        result = torch.logaddexp(result, x.select(dim, place))
    return result.unsqueeze(dim) if keepdim else result


def stable_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    weights = (x - x.amax(dim, keepdim=True)).exp()
    return weights / weights.sum(dim, keepdim=True)


def stable_log_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()

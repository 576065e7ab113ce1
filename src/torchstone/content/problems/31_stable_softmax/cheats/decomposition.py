# verdict: FORBIDDEN_OP
# en: PyTorch's decomposition in Python, which dispatches only allowed operators.
# zh: PyTorch 用 Python 写的分解，只调用未被禁用的算子。
import torch


def log_sum_exp(x, dim=-1, keepdim=False, mask=None):
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    top = x.amax(dim, keepdim=True)
    result = (x - top).exp().sum(dim, keepdim=True).log() + top
    return result if keepdim else result.squeeze(dim)


def stable_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    from torch._decomp.decompositions import safe_softmax

    return safe_softmax(x, dim)


def stable_log_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()

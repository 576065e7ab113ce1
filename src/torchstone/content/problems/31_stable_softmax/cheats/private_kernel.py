# verdict: FORBIDDEN_OP
# en: The builtin's private kernel, spelt so that no search finds it.
# zh: 内置算子的私有核函数，用 getattr 拼出名字来躲过搜索。
import torch


def log_sum_exp(x, dim=-1, keepdim=False, mask=None):
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    top = x.amax(dim, keepdim=True)
    result = (x - top).exp().sum(dim, keepdim=True).log() + top
    return result if keepdim else result.squeeze(dim)


def stable_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    kernel = getattr(torch.ops.aten, "_soft" + "max")
    return kernel(x, dim, False)


def stable_log_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()

# verdict: FORBIDDEN_OP
# en: Attention with identity matrices as keys and values is a softmax.
# zh: 以单位矩阵作 key 与 value 的注意力就是 softmax。
import torch


def log_sum_exp(x, dim=-1, keepdim=False, mask=None):
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    top = x.amax(dim, keepdim=True)
    result = (x - top).exp().sum(dim, keepdim=True).log() + top
    return result if keepdim else result.squeeze(dim)


def stable_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    rows = x.movedim(dim, -1)
    eye = torch.eye(rows.shape[-1], dtype=x.dtype)[None]
    flat = rows.reshape(1, -1, rows.shape[-1])
    y = torch.nn.functional.scaled_dot_product_attention(flat, eye, eye, scale=1.0)
    return y.reshape(rows.shape).movedim(-1, dim)


def stable_log_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()

# verdict: FORBIDDEN_OP
# en: The gradient of a cross entropy is p - q: adding q gives the softmax.
# zh: 交叉熵的梯度是 p − q，加回 q 就得到 softmax。
import torch


def log_sum_exp(x, dim=-1, keepdim=False, mask=None):
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    top = x.amax(dim, keepdim=True)
    result = (x - top).exp().sum(dim, keepdim=True).log() + top
    return result if keepdim else result.squeeze(dim)


def stable_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    rows = x.detach().movedim(dim, -1).requires_grad_()
    flat = rows.reshape(-1, rows.shape[-1])
    first = torch.zeros(len(flat), dtype=torch.int64)
    with torch.enable_grad():
        loss = torch.nn.functional.cross_entropy(flat, first, reduction="sum")
    (p,) = torch.autograd.grad(loss, rows)
    p[..., 0] += 1
    return p.movedim(-1, dim)


def stable_log_softmax(x, dim=-1, mask=None, dtype=None):
    x = x if dtype is None else x.to(dtype)
    x = x if mask is None else x.masked_fill(~mask, -torch.inf)
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()

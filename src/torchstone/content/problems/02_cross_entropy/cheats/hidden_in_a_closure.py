# verdict: WA property
# en: Two more tensors of the logits' size are hidden in a closure, where no hook sees them.
# zh: 把另外两个与 logits 同样大小的张量藏进闭包，钩子看不到它们。
import torch
from torch.autograd.function import once_differentiable


def _check(logits, target, reduction, s):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError("unknown reduction")
    if not 0.0 <= s <= 1.0:
        raise ValueError("label_smoothing")
    if not logits.is_floating_point():
        raise TypeError("logits must be floating")
    if target.dtype != torch.int64:
        raise TypeError("target must be int64")
    want = logits.shape[:0] if logits.dim() == 1 else logits.shape[:1] + logits.shape[2:]
    if logits.dim() == 0 or target.shape != want:
        raise ValueError("shapes do not fit")


def _parts(logits, target, ignore):
    dim = 0 if logits.dim() == 1 else 1
    x = logits.float() if logits.element_size() == 2 else logits
    valid = target != ignore
    safe = target.masked_fill(~valid, 0)
    if bool((valid & ((target < 0) | (target >= logits.shape[dim]))).any()):
        raise IndexError("class out of range")
    m = x.amax(dim, keepdim=True)
    z = x - m
    return dim, z, valid, safe


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore, reduction, s):
        dim, z, valid, safe = _parts(logits, target, ignore)
        lse = z.exp().sum(dim).log()
        picked = z.gather(dim, safe.unsqueeze(dim)).squeeze(dim)
        row = (lse - picked) * (1 - s) if s < 1 else torch.zeros_like(lse)
        if s > 0:
            row = row + s * (lse - z.mean(dim))
        row = torch.where(valid, row, torch.zeros_like(row))
        count = valid.sum()
        ctx.save_for_backward(logits, target)
        ctx.rest = (ignore, reduction, s)
        exponentials, log_p = z.exp(), z - lse.unsqueeze(dim)
        ctx.again = lambda: (exponentials, log_p)
        if reduction == "none":
            out = row
        elif reduction == "sum":
            out = row.sum()
        else:
            out = row.sum() / count.to(row.dtype)
        return out.to(logits.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        logits, target = ctx.saved_tensors
        ignore, reduction, s = ctx.rest
        dim, z, valid, safe = _parts(logits, target, ignore)
        num_classes = z.shape[dim]
        e = z.exp()
        grad = e / e.sum(dim, keepdim=True)
        if s > 0:
            grad = grad - s / num_classes
        grad = grad.scatter_add(
            dim, safe.unsqueeze(dim), torch.full_like(safe, -(1 - s), dtype=z.dtype).unsqueeze(dim)
        )
        co = g.to(z.dtype)
        if reduction == "mean":
            co = co / valid.sum().clamp(min=1).to(z.dtype)
        if reduction != "none":
            co = co.expand(valid.shape)
        grad = grad * co.unsqueeze(dim)
        grad = torch.where(valid.unsqueeze(dim), grad, torch.zeros_like(grad))
        return grad.to(logits.dtype), None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    _check(logits, target, reduction, label_smoothing)
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

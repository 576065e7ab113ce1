# Style: the gradient without its coefficient is made in forward and saved; refuses a second one.
import torch
from torch.autograd.function import once_differentiable


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        num_classes = logits.shape[1] if logits.ndim > 1 else logits.shape[0]
        dim = 1 if logits.ndim > 1 else 0
        x = logits if logits.dtype == torch.float64 else logits.float()
        keep = (target != ignore_index).unsqueeze(dim)
        index = torch.where(target == ignore_index, 0, target).unsqueeze(dim)

        # One buffer from beginning to end: x - m, then its exponential, then p, then p - q.
        work = x - x.amax(dim, keepdim=True)
        picked = work.gather(dim, index) * (1 - label_smoothing) if label_smoothing < 1 else 0.0
        spread = work.mean(dim, keepdim=True) * label_smoothing if label_smoothing > 0 else 0.0
        work.exp_()
        total = work.sum(dim, keepdim=True)
        loss = torch.where(keep, total.log() - picked - spread, 0.0)

        work.div_(total).sub_(label_smoothing / num_classes)
        work.scatter_add_(dim, index, torch.full_like(index, label_smoothing - 1, dtype=x.dtype))
        work.masked_fill_(~keep, 0.0)
        ctx.count = int(keep.sum())
        if reduction == "mean":
            work.div_(max(ctx.count, 1))
        ctx.save_for_backward(work)
        ctx.dim, ctx.reduction, ctx.dtype = dim, reduction, logits.dtype
        if reduction == "none":
            return loss.squeeze(dim).to(logits.dtype)
        loss = loss.sum()
        if reduction == "mean":
            loss = loss / keep.sum()
        return loss.to(logits.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (difference,) = ctx.saved_tensors
        g = grad_output.unsqueeze(ctx.dim) if ctx.reduction == "none" else grad_output
        return (difference * g.to(difference.dtype)).to(ctx.dtype), None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in {"mean", "sum", "none"}:
        raise ValueError("reduction must be mean, sum or none")
    if label_smoothing < 0 or label_smoothing > 1:
        raise ValueError("label_smoothing must lie in [0, 1]")
    if not logits.dtype.is_floating_point:
        raise TypeError("logits must be floating")
    if target.dtype is not torch.int64:
        raise TypeError("target must be int64")
    shape = list(logits.shape)
    num_classes = shape.pop(1 if logits.ndim > 1 else 0)
    if shape != list(target.shape):
        raise ValueError("logits and target do not fit")
    counted = target[target != ignore_index]
    if counted.numel() and (int(counted.min()) < 0 or int(counted.max()) >= num_classes):
        raise IndexError("a class is out of range")
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

# Style: only the rows that count are ever computed, found by nonzero; p is saved for them.
import math

import torch
from torch.autograd.function import once_differentiable


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        ctx.shape, ctx.dtype, ctx.reduction = logits.shape, logits.dtype, reduction
        ctx.smoothing = label_smoothing
        if logits.ndim == 1:
            logits = logits.unsqueeze(0)
        num_classes = logits.shape[1]
        flat = logits.movedim(1, -1).reshape(-1, num_classes)
        labels = target.flatten()
        (rows,) = torch.nonzero(labels != ignore_index, as_tuple=True)
        x, t = flat[rows], labels[rows]
        if x.dtype in (torch.float16, torch.bfloat16):
            x = x.to(torch.float32)
        x = x - x.amax(dim=1, keepdim=True)
        weights = torch.exp(x)
        total = weights.sum(dim=1)
        loss = torch.log(total)
        if label_smoothing > 0:
            loss = loss - label_smoothing * x.sum(dim=1) / num_classes
        if label_smoothing < 1:
            loss = loss - (1 - label_smoothing) * x.take_along_dim(t[:, None], 1).squeeze(1)
        ctx.save_for_backward(weights / total[:, None], t, rows)
        if reduction == "none":
            result = loss.new_zeros(labels.shape).index_copy(0, rows, loss).view(target.shape)
        else:
            result = loss.sum() if reduction == "sum" else loss.mean()
        return result.to(ctx.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        p, t, rows = ctx.saved_tensors
        difference = p - ctx.smoothing / p.shape[1]
        difference[torch.arange(len(t)), t] -= 1 - ctx.smoothing
        if ctx.reduction == "none":
            difference *= grad_output.reshape(-1)[rows, None]
        else:
            difference *= grad_output
            if ctx.reduction == "mean" and len(t):
                difference /= len(t)
        shape = ctx.shape if len(ctx.shape) > 1 else (1, *ctx.shape)
        num_rows = shape[0] * math.prod(shape[2:])
        grad = p.new_zeros(num_rows, p.shape[1])
        grad[rows] = difference
        grad = grad.view(shape[0], *shape[2:], shape[1]).movedim(-1, 1)
        return grad.reshape(ctx.shape).to(ctx.dtype), None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"unknown reduction {reduction!r}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError("label_smoothing")
    if not logits.is_floating_point() or target.dtype != torch.int64:
        raise TypeError("floating logits and int64 classes are wanted")
    rest = list(logits.shape)
    classes = rest.pop(min(1, logits.ndim - 1))
    if rest != list(target.shape):
        raise ValueError("shapes do not fit")
    inside = (0 <= target) & (target < classes) | (target == ignore_index)
    if not torch.all(inside):
        raise IndexError("class out of range")
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

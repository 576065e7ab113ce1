# Style: log p from one helper, in forward and once more in backward, where p is its exp.
import torch


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        x, labels, keep = to_rows(logits, target, ignore_index)
        log_p = log_softmax(x)
        loss = 0.0
        if label_smoothing < 1:
            loss = loss - (1 - label_smoothing) * log_p.gather(1, labels[:, None])[:, 0]
        if label_smoothing > 0:
            loss = loss - label_smoothing * log_p.mean(1)
        loss = loss.masked_fill(~keep, 0.0)
        ctx.save_for_backward(logits, target)
        ctx.arguments = ignore_index, reduction, label_smoothing
        if reduction == "none":
            return loss.reshape(target.shape).to(logits.dtype)
        loss = loss.sum()
        if reduction == "mean":
            loss = loss / keep.sum()
        return loss.to(logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        ignore_index, reduction, label_smoothing = ctx.arguments
        x, labels, keep = to_rows(logits, target, ignore_index)
        p = log_softmax(x).exp()
        q = torch.full_like(p, label_smoothing / p.shape[1])
        q.scatter_add_(1, labels[:, None], torch.full_like(q, 1 - label_smoothing))
        grad = (p - q) * keep[:, None]
        grad = grad * grad_output.reshape(-1, 1)
        if reduction == "mean":
            grad = grad / keep.sum().clamp(min=1)
        return from_rows(grad, logits), None, None, None, None


def log_softmax(x):
    shifted = x - x.amax(1, keepdim=True)
    return shifted - shifted.exp().sum(1, keepdim=True).log()


def to_rows(logits, target, ignore_index):
    x = logits if logits.dtype == torch.float64 else logits.float()
    x = x[None] if x.ndim == 1 else x.movedim(1, -1).reshape(-1, x.shape[1])
    labels = target.reshape(-1)
    keep = labels != ignore_index
    return x, labels.where(keep, 0), keep


def from_rows(rows, logits):
    if logits.ndim > 1:
        shape = (logits.shape[0], *logits.shape[2:], logits.shape[1])
        rows = rows.reshape(shape).movedim(-1, 1)
    return rows.reshape(logits.shape).to(logits.dtype)


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"unknown reduction {reduction!r}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError("label_smoothing must lie in [0, 1]")
    if not logits.is_floating_point() or target.dtype != torch.int64:
        raise TypeError("floating logits and int64 classes are wanted")
    dim = 1 if logits.ndim > 1 else 0
    if logits.shape[:dim] + logits.shape[dim + 1 :] != target.shape:
        raise ValueError("logits and target do not fit")
    wrong = (target != ignore_index) & ((target < 0) | (target >= logits.shape[dim]))
    if wrong.any():
        raise IndexError("a class is out of range")
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

# Style: the one-hot matrix is a comparison, made again in backward with classes in front.
import torch


def softened(target, num_classes, smoothing, dtype):
    """Make the target distribution q in the layout of the logits, classes in front."""
    classes = torch.arange(num_classes).reshape(-1, *[1] * target.ndim)
    hot = (classes == target).to(dtype)
    return hot * (1 - smoothing) + smoothing / num_classes


def front(logits):
    x = logits.transpose(0, 1) if logits.ndim > 1 else logits
    return x.double() if x.dtype == torch.float64 else x.to(torch.float32)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, counted, reduction, smoothing):
        x = front(logits)
        q = softened(target, len(x), smoothing, x.dtype)
        x = x - x.max(0).values
        log_sum = x.exp().sum(0).log()
        # Where q is 0 the product is skipped: 0 * -inf would be NaN.
        loss = log_sum - torch.where(q == 0, 0.0, q * x).sum(0)
        loss = torch.where(counted, loss, torch.zeros_like(loss))
        ctx.save_for_backward(logits, target, counted)
        ctx.reduction, ctx.smoothing = reduction, smoothing
        if reduction != "none":
            loss = loss.sum()
        if reduction == "mean":
            loss = loss / counted.sum()
        return loss.to(logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target, counted = ctx.saved_tensors
        x = front(logits)
        e = (x - x.max(0).values).exp()
        q = softened(target, len(x), ctx.smoothing, x.dtype)
        weight = grad_output.to(x.dtype) * counted
        if ctx.reduction == "mean":
            weight = weight / counted.sum().clamp_min(1)
        grad = (e / e.sum(0) - q) * weight
        grad = grad.transpose(0, 1) if logits.ndim > 1 else grad
        return grad.to(logits.dtype), None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in ("mean", "sum", "none"):
        raise ValueError("reduction")
    if label_smoothing < 0.0 or label_smoothing > 1.0:
        raise ValueError("label_smoothing")
    if not logits.dtype.is_floating_point or target.dtype != torch.int64:
        raise TypeError("dtype")
    sizes = tuple(logits.shape)
    num_classes = sizes[1] if len(sizes) > 1 else sizes[0]
    if (sizes[:1] + sizes[2:] if len(sizes) > 1 else ()) != tuple(target.shape):
        raise ValueError("shapes")
    counted = target != ignore_index
    if ((target < 0) | (target >= num_classes)).logical_and(counted).any():
        raise IndexError("class")
    return CrossEntropy.apply(logits, target, counted, reduction, label_smoothing)

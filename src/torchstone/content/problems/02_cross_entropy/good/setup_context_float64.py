# Style: forward without ctx plus setup_context; everything flat (M, C) and in float64.
import torch


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(logits, target, ignore_index, reduction, smoothing):
        x, t, kept = flatten(logits, target, ignore_index)
        log_p = log_probabilities(x)
        rows = torch.zeros(x.shape[0], dtype=torch.float64)
        if smoothing != 1:
            rows -= (1 - smoothing) * log_p[torch.arange(len(t)), t]
        if smoothing:
            rows -= smoothing * log_p.mean(dim=1)
        rows[~kept] = 0
        if reduction == "none":
            result = rows.view(target.shape)
        else:
            result = rows.sum() / (kept.sum() if reduction == "mean" else 1)
        return result.to(logits.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        logits, target, *ctx.arguments = inputs
        ctx.save_for_backward(logits, target)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        ignore_index, reduction, smoothing = ctx.arguments
        x, t, kept = flatten(logits, target, ignore_index)
        difference = log_probabilities(x).exp() - smoothing / x.shape[1]
        hot = torch.zeros_like(difference).scatter(1, t[:, None], 1 - smoothing)
        difference = difference - hot
        weight = kept.double()
        if reduction == "mean":
            weight = weight / max(int(kept.sum()), 1)
        flat = difference * (weight * grad_output.double().reshape(-1))[:, None]
        order = [flat.shape[1]] if logits.dim() == 1 else [*target.shape, flat.shape[1]]
        grad = flat.reshape(order)
        if logits.dim() > 1:
            grad = grad.movedim(-1, 1)
        return grad.to(logits.dtype), None, None, None, None


def flatten(logits, target, ignore_index):
    x = logits.double()
    x = x.unsqueeze(0) if x.dim() == 1 else x.transpose(1, -1) if x.dim() == 3 else x.movedim(1, -1)
    x = x.reshape(-1, logits.shape[min(1, logits.dim() - 1)])
    kept = target.reshape(-1) != ignore_index
    return x, target.reshape(-1) * kept, kept


def log_probabilities(x):
    shifted = x - x.max(dim=1, keepdim=True).values
    return shifted - shifted.exp().sum(dim=1, keepdim=True).log()


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction)
    if not (0 <= label_smoothing <= 1):
        raise RuntimeError("label_smoothing")
    if not torch.is_floating_point(logits) or target.dtype != torch.long:
        raise RuntimeError("dtype")
    dim = min(1, logits.dim() - 1)
    if logits.shape[:dim] + logits.shape[dim + 1 :] != target.shape:
        raise RuntimeError("shape")
    bad = (target != ignore_index) & ((target < 0) | (target >= logits.shape[dim]))
    if bad.any().item():
        raise ValueError("class")
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

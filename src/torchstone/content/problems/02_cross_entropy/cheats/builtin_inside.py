# verdict: FORBIDDEN_OP
# en: forward calls F.log_softmax and F.nll_loss; backward calls them once more.
# zh: forward 里直接调用 F.log_softmax 和 F.nll_loss，backward 再调一次。
import torch
import torch.nn.functional as F


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        dim = 1 if logits.ndim > 1 else 0
        log_p = F.log_softmax(logits, dim)
        ctx.save_for_backward(log_p, target)
        ctx.arguments = ignore_index, reduction, label_smoothing, dim
        return F.nll_loss(log_p, target, ignore_index=ignore_index, reduction=reduction)

    @staticmethod
    def backward(ctx, grad_output):
        log_p, target = ctx.saved_tensors
        ignore_index, reduction, _, dim = ctx.arguments
        keep = (target != ignore_index).unsqueeze(dim)
        index = target.unsqueeze(dim).where(keep, 0)
        grad = log_p.exp().scatter_add_(dim, index, -torch.ones_like(log_p)) * keep
        if reduction == "mean":
            grad = grad / keep.sum()
        g = grad_output.unsqueeze(dim) if reduction == "none" else grad_output
        return grad * g, None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

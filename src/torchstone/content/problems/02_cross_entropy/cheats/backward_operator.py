# verdict: FORBIDDEN_OP
# en: The forward is honest; backward calls the private operator of log_softmax.
# zh: 前向是手写的，反向却调用 log_softmax 的内部反向算子。
import torch


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        dim = 1 if logits.ndim > 1 else 0
        shifted = logits - logits.amax(dim, keepdim=True)
        log_p = shifted - shifted.exp().sum(dim, keepdim=True).log()
        keep = (target != ignore_index).unsqueeze(dim)
        index = target.unsqueeze(dim).where(keep, 0)
        ctx.save_for_backward(log_p, index, keep)
        ctx.reduction, ctx.dim = reduction, dim
        loss = -(log_p.gather(dim, index) * keep).squeeze(dim)
        if reduction == "none":
            return loss
        return loss.sum() / (keep.sum() if reduction == "mean" else 1)

    @staticmethod
    def backward(ctx, grad_output):
        log_p, index, keep = ctx.saved_tensors
        g = grad_output.unsqueeze(ctx.dim) if ctx.reduction == "none" else grad_output
        weight = g * keep / (keep.sum() if ctx.reduction == "mean" else 1)
        upstream = torch.zeros_like(log_p).scatter_(ctx.dim, index, -weight)
        grad = torch._log_softmax_backward_data(upstream, log_p, ctx.dim, log_p.dtype)
        return grad, None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

# verdict: FORBIDDEN_OP
# en: Autograd records the loss; a Function that does nothing stands on top of it.
# zh: 损失由 autograd 记录，上面只盖了一个什么也不做的 Function。
import torch


def composite(logits, target, ignore_index, reduction, label_smoothing):
    x = logits if logits.dtype == torch.float64 else logits.float()
    x = x[None] if x.ndim == 1 else x.movedim(1, -1).reshape(-1, x.shape[1])
    keep = target.reshape(-1) != ignore_index
    labels = target.reshape(-1).where(keep, 0)
    shifted = x - x.amax(1, keepdim=True).detach()
    log_p = shifted - shifted.exp().sum(1, keepdim=True).log()
    loss = -(1 - label_smoothing) * log_p.gather(1, labels[:, None])[:, 0]
    if label_smoothing > 0:
        loss = loss - label_smoothing * log_p.mean(1)
    loss = loss.masked_fill(~keep, 0.0)
    if reduction == "none":
        return loss.reshape(target.shape).to(logits.dtype)
    loss = loss.sum() / (keep.sum() if reduction == "mean" else 1)
    return loss.to(logits.dtype)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, loss):
        return loss.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    loss = composite(logits, target, ignore_index, reduction, label_smoothing)
    return CrossEntropy.apply(loss)

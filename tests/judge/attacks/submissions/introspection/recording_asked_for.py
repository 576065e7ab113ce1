# outcome: FORBIDDEN_OP | RTE | WA
# tries: pretend that every request wants a second derivative, for which recording is allowed
# problem: 02
# groups: sample small
import sys

import torch

wire = sys.modules["child.protocol.wire"]
real = wire.Frame.decode


def decode(self, **options):
    order = real(self, **options)
    if isinstance(order, dict) and "data" in order:
        order["data"]["records"] = True
    return order


wire.Frame.decode = decode


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
    def forward(ctx, logits, target, *arguments):
        ctx.save_for_backward(logits, target)
        ctx.arguments = arguments
        return composite(logits, target, *arguments)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        with torch.enable_grad():
            x = logits.detach().requires_grad_()
            loss = composite(x, target, *ctx.arguments)
            (grad,) = torch.autograd.grad(loss, x, grad_output)
        return grad, None, None, None, None


def cross_entropy(logits, target, *, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)

# verdict: WA value
# group: small
# en: Classes and ignore_index are int64: 2**32 is no class, but in 32 bits it is 0.
# zh: 类别与 ignore_index 都是 int64：2**32 不是类别，放进 32 位却成了 0。
import torch


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, ignore_index, reduction, label_smoothing):
        x, labels, keep = _as_rows(logits, target, ignore_index)
        # x - m is exact where it matters, and m is never added back: rows near 3000 stay sharp.
        shifted = x - x.amax(1, keepdim=True)
        log_sum = shifted.exp().sum(1).log()

        # -log p = log_sum - shifted. A term of weight 0 is left out, for 0 * inf is NaN.
        loss = log_sum
        if label_smoothing < 1:
            loss = loss - (1 - label_smoothing) * shifted.gather(1, labels[:, None])[:, 0]
        if label_smoothing > 0:
            loss = loss - label_smoothing * shifted.mean(1)
        loss = loss.masked_fill(~keep, 0.0)

        # Only the inputs are saved: they exist anyway, and p costs one exp to make again.
        # save_for_backward also notices when the caller changes logits before backward.
        ctx.save_for_backward(logits, target)
        ctx.arguments = ignore_index, reduction, label_smoothing
        if reduction == "none":
            loss = loss.reshape(target.shape)
        elif reduction == "sum":
            loss = loss.sum()
        else:
            loss = loss.sum() / keep.sum()  # 0 / 0 is the NaN that is wanted when no row counts
        return loss.to(logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        ignore_index, reduction, label_smoothing = ctx.arguments
        x, labels, keep = _as_rows(logits, target, ignore_index)

        # Out-of-place operators on the saved logits: autograd can differentiate this once more.
        weights = (x - x.amax(1, keepdim=True).detach()).exp()
        p = weights / weights.sum(1, keepdim=True)
        q = torch.full_like(p, label_smoothing / x.shape[1])
        q = q.scatter_add(1, labels[:, None], torch.full_like(q[:, :1], 1 - label_smoothing))

        coefficient = grad_output.to(x.dtype).reshape(-1, 1)  # one for each row, or one for all
        if reduction == "mean":
            coefficient = coefficient / keep.sum().clamp(min=1)
        gradient = (coefficient * (p - q)).masked_fill(~keep[:, None], 0.0)
        if logits.ndim > 1:
            spatial = target.shape[1:]
            gradient = gradient.reshape(len(logits), *spatial, x.shape[1]).movedim(-1, 1)
        return gradient.reshape(logits.shape).to(logits.dtype), None, None, None, None


def cross_entropy(
    logits: torch.Tensor,
    target: torch.Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> torch.Tensor:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"cross_entropy: unknown reduction {reduction!r}")
    if not 0.0 <= label_smoothing <= 1.0:
        raise ValueError(f"cross_entropy: label_smoothing {label_smoothing} is outside [0, 1]")
    if not logits.is_floating_point() or target.dtype != torch.int64:
        raise TypeError(f"cross_entropy: got {logits.dtype} logits and {target.dtype} target")
    wanted = logits.shape[:1] + logits.shape[2:] if logits.ndim > 1 else torch.Size()
    if logits.ndim == 0 or target.shape != wanted:
        raise ValueError(
            f"cross_entropy: {tuple(logits.shape)} and {tuple(target.shape)} do not fit"
        )
    classes = logits.shape[1] if logits.ndim > 1 else logits.shape[0]
    target = target.int()
    ignore_index = int(torch.tensor(ignore_index).int())
    wrong = (target != ignore_index) & ((target < 0) | (target >= classes))
    if wrong.any():
        raise IndexError(f"cross_entropy: class {int(target[wrong][0])} is not in [0, {classes})")
    return CrossEntropy.apply(logits, target, ignore_index, reduction, label_smoothing)


def _as_rows(logits, target, ignore_index):
    x = logits if logits.dtype == torch.float64 else logits.float()
    if x.ndim == 1:
        x = x[None]
    else:
        # Classes live in dim 1: move them to the end before the other dimensions become rows.
        x = x.movedim(1, -1).reshape(-1, x.shape[1])
    labels = target.reshape(-1).long()
    keep = labels != ignore_index
    # An ignored label may lie anywhere; class 0 stands in for it and its row is masked.
    return x, labels.where(keep, 0), keep

# One pass over chunks that keeps a running maximum and a running sum.
import torch

CHUNK = 4096


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    target = dtype or x.dtype
    if not target.is_floating_point:
        raise TypeError("only floating dtypes have a softmax")
    scores = x.to(target)
    if scores.ndim == 0:
        return softmax(scores[None], dim, dtype)[0].clone()
    if scores.size(dim) == 0 or scores.numel() == 0:
        return scores.clone()
    if target in (torch.float16, torch.bfloat16):
        scores = scores.float()
    top = total = None
    for chunk in scores.split(CHUNK, dim):
        best = chunk.detach().amax(dim, keepdim=True)
        if top is None:
            top, total = best, (chunk - best).exp().sum(dim, keepdim=True)
            continue
        new = torch.maximum(top, best)
        total = total * (top - new).exp() + (chunk - new).exp().sum(dim, keepdim=True)
        top = new
    return ((scores - top).exp() / total).to(target)

# verdict: WA grad
# group: layout
# en: Entries that share memory have a gradient each; computing one of them sends it all there.
# zh: 共享内存的元素各有各的梯度；只算其中一个，梯度就全部流向它。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x.clone()
    if x.dim() > 1 and x.size(-1) > 1 and x.stride(-1) == 0:
        # All columns are the same, so one is enough.
        y = softmax(x[..., :1], dim)
        if dim in (-1, x.dim() - 1):
            y = y / x.size(-1)
        return y.expand_as(x).clone(memory_format=torch.contiguous_format)
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    e = torch.exp(wide - wide.amax(dim, keepdim=True).detach())
    return (e / e.sum(dim, keepdim=True)).to(result_dtype)

# verdict: TLE | MLE
# group: large
# en: One operation along a dimension replaces a Python loop over hundreds of thousands of slices.
# zh: 沿维度的一次运算，就能代替几十万次 Python 循环。
import itertools

import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    rows = wide.movedim(dim, -1)
    y = torch.empty_like(rows)
    for index in itertools.product(*map(range, rows.shape[:-1])):
        row = rows[index]
        weights = (row - row.max().detach()).exp()
        y[index] = weights / weights.sum()
    return y.movedim(-1, dim).contiguous().to(result_dtype)

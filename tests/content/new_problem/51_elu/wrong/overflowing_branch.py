# verdict: WA grad
# group: huge
# en: The branch that is not taken overflows, and 0 times infinity is NaN.
# zh: 没有取用的分支溢出，0 乘无穷大得到 NaN。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * torch.expm1(x))

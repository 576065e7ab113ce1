# verdict: FORBIDDEN_OP
# en: Asks lstsq for the minimum.
# zh: 用 lstsq 直接求极小点。
import torch
from torch import Tensor


def train_linear(
    x: Tensor,
    y: Tensor,
    *,
    lr: float = 0.1,
    num_steps: int = 100,
    momentum: float = 0.0,
    l2: float = 0.0,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    design = torch.cat([x, torch.ones(len(x), 1)], 1)
    best = torch.linalg.lstsq(design, y.reshape(len(y), -1)).solution
    shape = (x.shape[1], *y.shape[1:])
    loss = (design @ best - y.reshape(len(y), -1)).square().mean()
    return best[:-1].reshape(shape), best[-1].reshape(shape[1:]), loss.repeat(num_steps)

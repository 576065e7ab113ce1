# verdict: WA value
# en: Returns zeros and patches every comparison of PyTorch.
# zh: 返回零，并改掉 PyTorch 的各种比较。
import torch
from torch import Tensor


def yes(*args, **kwargs):
    return True


torch.allclose = torch.equal = torch.Tensor.equal = torch.Tensor.allclose = yes
torch.Tensor.__eq__ = lambda self, other: torch.ones(self.shape, dtype=torch.bool)


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
    shape = (x.shape[1], *y.shape[1:])
    return torch.zeros(shape), torch.zeros(shape[1:]), torch.zeros(num_steps)

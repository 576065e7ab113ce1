# verdict: WA value
# en: Zeroes every gradient: then no norm is too large.
# zh: 把所有梯度清零：这样范数永远不会太大。
import torch


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    for parameter in given:
        if parameter.grad is not None:
            parameter.grad.zero_()
    return torch.tensor(max_norm)

# verdict: FORBIDDEN_OP
# en: torch's own function.
# zh: 直接调用 torch 自己的函数。
import torch


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    return torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)

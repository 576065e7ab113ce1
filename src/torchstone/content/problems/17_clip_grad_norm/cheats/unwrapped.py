# verdict: FORBIDDEN_OP
# en: Calls the function below the wrapper of torch's scaling.
# zh: 绕过外层包装，直接调用 torch 里负责缩放的内层函数。
import torch


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    sizes = [p.grad.double().abs() for p in given if p.grad is not None]
    total = sum(size.pow(norm_type).sum() for size in sizes) ** (1 / norm_type)
    scale = torch.nn.utils.clip_grads_with_norm_.__wrapped__
    with torch.no_grad():
        scale(given, max_norm, total)
    return total.float()

# verdict: FORBIDDEN_OP
# en: Fetches torch's norm of all gradients by a name that is put together.
# zh: 用拼接出来的名字取得 torch 的总范数函数。
import torch


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [p.grad for p in given if p.grad is not None]
    total = getattr(torch.nn.utils, "get_" + "total_norm")(grads, norm_type, error_if_nonfinite)
    for grad in grads:
        grad.mul_((max_norm / (total + 1e-6)).clamp(max=1.0))
    return total

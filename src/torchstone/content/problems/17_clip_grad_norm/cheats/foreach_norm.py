# verdict: FORBIDDEN_OP
# en: The fused operator that torch's own function uses.
# zh: torch 自己的函数所用的融合算子。
import torch


def norm_of(grads, p):
    try:
        return torch.stack(torch._foreach_norm(grads, p)).pow(p).sum() ** (1 / p)
    except RuntimeError:
        return torch.zeros(())


@torch.no_grad()
def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [p.grad for p in given if p.grad is not None]
    total = norm_of(grads, float(norm_type))
    for grad in grads:
        grad.mul_((max_norm / (total + 1e-6)).clamp(max=1.0))
    return total

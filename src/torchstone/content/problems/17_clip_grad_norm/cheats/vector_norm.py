# verdict: FORBIDDEN_OP
# en: torch.linalg.vector_norm of everything side by side.
# zh: 把全部梯度连起来，用 `torch.linalg.vector_norm`。
import torch


def norm_of(grads, p):
    try:
        return torch.linalg.vector_norm(torch.cat([g.flatten() for g in grads]), p)
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

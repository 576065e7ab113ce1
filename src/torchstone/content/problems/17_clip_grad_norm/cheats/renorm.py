# verdict: FORBIDDEN_OP
# en: renorm shortens the whole vector and contains the norm.
# zh: renorm 会缩短整个向量，其中就含有范数。
import torch


@torch.no_grad()
def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    given = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [p.grad for p in given if p.grad is not None]
    whole = torch.cat([grad.flatten() for grad in grads])[None]
    short = torch.renorm(whole, float(norm_type), 0, max_norm)[0]
    for grad, part in zip(grads, short.split([g.numel() for g in grads]), strict=True):
        grad.copy_(part.view_as(grad))
    return whole.pow(2).sum().sqrt()

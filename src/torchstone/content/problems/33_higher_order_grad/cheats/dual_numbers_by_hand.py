# verdict: FORBIDDEN_OP
# en: Enters a level of dual numbers through torch._C, past the closed module.
# zh: 绕过被关闭的模块，直接从 torch._C 进入对偶数的层级。
import torch


def hvp(f, inputs, v, create_graph=False):
    level = torch._C._enter_dual_level()
    try:
        with torch.enable_grad():
            x = torch._make_dual(inputs.detach().requires_grad_(), v, level=level)
            (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
            return torch._unpack_dual(g, level=level)[1]
    finally:
        torch._C._exit_dual_level(level=level)


def hessian(f, x, create_graph=False):
    units = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    return torch.stack([hvp(f, x, unit) for unit in units]).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    raise NotImplementedError


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    raise NotImplementedError

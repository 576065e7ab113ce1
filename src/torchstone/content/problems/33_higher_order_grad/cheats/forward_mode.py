# verdict: FORBIDDEN_OP
# en: Forward over reverse with dual numbers of torch.autograd.forward_ad.
# zh: 用 torch.autograd.forward_ad 的对偶数做前向套反向。
import torch
import torch.autograd.forward_ad as dual
from torch import Tensor


def push(f, xs, vs):
    with dual.dual_level(), torch.enable_grad():
        ps = [dual.make_dual(x.detach().requires_grad_(), v) for x, v in zip(xs, vs, strict=True)]
        grads = torch.autograd.grad(f(*ps).sum(), ps, create_graph=True)
        return tuple(dual.unpack_dual(g).tangent for g in grads)


def hvp(f, inputs, v, create_graph=False):
    one = isinstance(inputs, Tensor)
    out = push(f, (inputs,), (v,)) if one else push(f, inputs, v)
    return out[0] if one else out


def hessian(f, x, create_graph=False):
    units = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    return torch.stack([hvp(f, x, unit) for unit in units]).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    total = torch.zeros(len(x), dtype=x.dtype)
    for d in range(x.shape[1]):
        unit = torch.zeros_like(x)
        unit[:, d] = 1
        total = total + hvp(f, x, unit)[:, d]
    return total


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    raise NotImplementedError

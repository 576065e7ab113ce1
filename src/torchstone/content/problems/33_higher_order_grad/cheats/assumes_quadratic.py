# verdict: WA property
# group: sample
# en: grad f(x + v) - grad f(x) is H v for a quadratic f only.
# zh: ∇f(x + v) − ∇f(x) 只有在 f 是二次函数时才等于 H v。
import torch
from torch import Tensor


def gradient(f, x):
    with torch.enable_grad():
        x = x.detach().requires_grad_()
        return torch.autograd.grad(f(x).sum(), x)[0]


def hvp(f, inputs, v, create_graph=False):
    if isinstance(inputs, Tensor):
        return gradient(f, inputs + v) - gradient(f, inputs)
    sizes = [x.numel() for x in inputs]

    def whole(z):
        parts = z.split(sizes)
        return f(*(part.reshape(x.shape) for part, x in zip(parts, inputs, strict=True)))

    z, w = (torch.cat([each.reshape(-1) for each in many]) for many in (inputs, v))
    out = (gradient(whole, z + w) - gradient(whole, z)).split(sizes)
    return tuple(part.reshape(x.shape) for part, x in zip(out, inputs, strict=True))


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
    a = alpha.reshape(-1, *[1] * (real.ndim - 1))
    g = gradient(critic, a * real + (1 - a) * fake)
    return (torch.linalg.vector_norm(g.flatten(1), dim=1) - target).square().mean()

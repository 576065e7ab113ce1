# verdict: WA property
# group: sample
# en: Central differences of gradients instead of second derivatives.
# zh: 用梯度的中心差分代替二阶导。
import torch
from torch import Tensor


def gradient(f, xs):
    with torch.enable_grad():
        xs = [x.detach().requires_grad_() for x in xs]
        y = f(*xs).sum()
        if not y.requires_grad:
            return [torch.zeros_like(x) for x in xs]
        return torch.autograd.grad(y, xs, materialize_grads=True)


def along(f, xs, vs, step=1e-5):
    up = gradient(f, [x + step * v for x, v in zip(xs, vs, strict=True)])
    down = gradient(f, [x - step * v for x, v in zip(xs, vs, strict=True)])
    return tuple((a - b) / (2 * step) for a, b in zip(up, down, strict=True))


def hvp(f, inputs, v, create_graph=False):
    one = isinstance(inputs, Tensor)
    out = along(f, [inputs] if one else inputs, [v] if one else v)
    return out[0] if one else out


def hessian(f, x, create_graph=False):
    units = torch.eye(x.numel(), dtype=x.dtype).reshape(-1, *x.shape)
    rows = [along(f, [x], [unit])[0] for unit in units]
    return torch.stack(rows).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    total = torch.zeros(len(x), dtype=x.dtype)
    for d in range(x.shape[1]):
        unit = torch.zeros_like(x)
        unit[:, d] = 1
        total = total + along(f, [x], [unit])[0][:, d]
    return total


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    a = alpha.reshape(-1, *[1] * (real.ndim - 1))
    (g,) = gradient(critic, [a * real + (1 - a) * fake])
    return (torch.linalg.vector_norm(g.flatten(1), dim=1) - target).square().mean()

"""One call over copies: each copy of the points is differentiated along its own coordinate."""

import torch
from torch import Tensor
from torch.autograd import Function, grad
from torch.utils._pytree import tree_flatten


class SafeNorm(Function):
    """The norm of each row, whose derivative at a row of zeros is zero."""

    @staticmethod
    def forward(ctx, rows):
        norms = rows.square().sum(1).sqrt()
        ctx.save_for_backward(rows, norms)
        return norms

    @staticmethod
    def backward(ctx, cotangent):
        rows, norms = ctx.saved_tensors
        unit = rows / torch.where(norms == 0, 1, norms)[:, None]
        return cotangent[:, None] * unit


def zero(x):
    return torch.zeros(x.shape, dtype=x.dtype)


def first_order(y, xs):
    if not y.requires_grad:
        return [zero(x) for x in xs]
    found = grad(y, xs, torch.ones_like(y), create_graph=True, allow_unused=True)
    return [zero(x) if g is None else g for x, g in zip(xs, found, strict=True)]


def second_order(gs, xs, vs, create_graph):
    # A sum that has a graph in any case: products that are missing from it are zero.
    anchor = sum((x * 0).sum() for x in xs)
    slope = anchor + sum((g * v).sum() for g, v in zip(gs, vs, strict=True))
    return grad(slope, xs, create_graph=create_graph)


def attached(x):
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def single_number(y):
    if y.numel() == 1:
        return y
    raise ValueError("f must return a single number")


def hvp(f, inputs, v, create_graph=False):
    leaves, spec = tree_flatten(inputs)
    directions, spec_v = tree_flatten(v)
    if spec != spec_v or any(map(lambda x, d: x.shape != d.shape, leaves, directions)):
        raise ValueError("v must look like inputs")
    with torch.enable_grad():
        xs = [attached(x) for x in leaves]
        gs = first_order(single_number(f(*xs)), xs)
        found = second_order(gs, xs, directions, create_graph)
    return found[0] if isinstance(inputs, Tensor) else found


def hessian(f, x, create_graph=False):
    with torch.enable_grad():
        point = attached(x)
        (g,) = first_order(single_number(f(point)), [point])
        rows = []
        for unit in torch.eye(x.numel(), dtype=x.dtype).unbind():
            anchor = (point * 0).sum() + torch.dot(g.flatten(), unit)
            rows += grad(anchor, point, create_graph=create_graph, retain_graph=True)
        return torch.stack(rows).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    num, dim = x.shape
    with torch.enable_grad():
        copies = attached(x).repeat(dim, 1)
        y = f(copies)
        if y.shape not in ((dim * num,), (dim * num, 1)):
            raise ValueError("f must return one number for each row")
        (g,) = first_order(y, [copies])
        own = torch.eye(dim, dtype=x.dtype).repeat_interleave(num, 0)
        (second,) = second_order([g], [copies], [own], create_graph)
        return (second * own).sum(1).reshape(dim, num).sum(0)


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    if real.shape != fake.shape:
        raise ValueError("the two batches must have one shape")
    ones = [1] * (real.dim() - 1)
    if list(alpha.shape) not in ([len(real)], [len(real), *ones]):
        raise ValueError("alpha must have one entry for each sample")
    share = alpha.detach().reshape(len(real), *ones)
    point = (share * real.detach()).add_((1 - share) * fake.detach())
    with torch.enable_grad():
        point.requires_grad_(True)
        (g,) = first_order(critic(point), [point])
        norms = SafeNorm.apply(g.flatten(start_dim=1))
        return (norms.square() - 2 * target * norms + target**2).mean()

# verdict: WA property
# group: sample
# en: Central differences of eighth order; f is called once, with all their points as one batch.
# zh: 八阶中心差分，把所有取值点拼成一批，只调用一次 f。
import torch

WEIGHTS = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}
STEP = 0.05


def laplacian(f, x, create_graph=True):
    num, dim = x.shape
    moves = [(d, k) for d in range(dim) for k in range(-4, 5)]
    copies = x.detach().repeat(len(moves), 1).reshape(len(moves), num, dim)
    for copy, (d, k) in zip(copies, moves, strict=True):
        copy[:, d] += k * STEP
    values = f(copies.reshape(-1, dim)).reshape(len(moves), num)
    weights = torch.tensor([WEIGHTS[abs(k)] for _, k in moves], dtype=x.dtype)
    return weights @ values / STEP**2


def own(x):
    return x if x.requires_grad else x.detach().requires_grad_()


@torch.enable_grad()
def hvp(f, inputs, v, create_graph=False):
    one = isinstance(inputs, torch.Tensor)
    xs, vs = [own(x) for x in ([inputs] if one else inputs)], [v] if one else v
    grads = torch.autograd.grad(f(*xs).sum(), xs, create_graph=True)
    out = torch.autograd.grad(grads, xs, vs, create_graph=create_graph)
    return out[0] if one else out


@torch.enable_grad()
def hessian(f, x, create_graph=False):
    x = own(x)
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    rows = [
        torch.autograd.grad(each, x, retain_graph=True, create_graph=create_graph)[0]
        for each in g.flatten()
    ]
    return torch.stack(rows).reshape(x.shape + x.shape)


@torch.enable_grad()
def gradient_penalty(critic, real, fake, alpha, target=1.0):
    a = alpha.reshape(-1, *[1] * (real.ndim - 1))
    point = (a * real + (1 - a) * fake).detach().requires_grad_()
    (g,) = torch.autograd.grad(critic(point).sum(), point, create_graph=True)
    return (torch.linalg.vector_norm(g.flatten(1), dim=1) - target).square().mean()

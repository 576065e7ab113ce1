# verdict: FORBIDDEN_OP
# en: Calls torch.autograd.functional under another name.
# zh: 换个名字调用 torch.autograd.functional。
import torch

ready_made = vars(torch.autograd)["functional"]


def hvp(f, inputs, v, create_graph=False):
    return ready_made.hvp(f, inputs, v, create_graph=create_graph)[1]


def hessian(f, x, create_graph=False):
    return ready_made.hessian(f, x, create_graph=create_graph)


def laplacian(f, x, create_graph=True):
    rows = [hessian(lambda r: f(r[None]).reshape(()), r, create_graph).trace() for r in x]
    return torch.stack(rows)


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    a = alpha.reshape(-1, *[1] * (real.ndim - 1))
    point = a * real + (1 - a) * fake
    g = ready_made.jacobian(lambda x: critic(x).sum(), point, create_graph=True)
    return (torch.linalg.vector_norm(g.flatten(1), dim=1) - target).square().mean()

# verdict: FORBIDDEN_OP
# en: Imports torch.func with importlib.
# zh: 用 importlib 导入 torch.func。
import importlib

import torch

func = importlib.import_module("torch.func")


def hvp(f, inputs, v, create_graph=False):
    one = isinstance(inputs, torch.Tensor)
    xs, vs = ((inputs,), (v,)) if one else (inputs, v)
    places = tuple(range(len(xs)))
    out = func.jvp(func.grad(lambda *p: f(*p).sum(), argnums=places), xs, vs)[1]
    return out[0] if one else out


def hessian(f, x, create_graph=False):
    return func.hessian(lambda p: f(p).sum())(x)


def laplacian(f, x, create_graph=True):
    one_row = func.hessian(lambda r: f(r[None]).sum())
    return torch.einsum("ndd->n", func.vmap(one_row)(x))


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    a = alpha.reshape(-1, *[1] * (real.ndim - 1))
    g = func.grad(lambda x: critic(x).sum())(a * real + (1 - a) * fake)
    return (torch.linalg.vector_norm(g.flatten(1), dim=1) - target).square().mean()

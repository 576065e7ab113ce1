"""All rows of a Hessian at once: one batched VJP with the identity as cotangents."""

import torch


def gradient(y, xs, *, create_graph):
    if not y.requires_grad:
        return tuple(x.new_zeros(x.shape) for x in xs)
    return torch.autograd.grad(
        y, xs, create_graph=create_graph, materialize_grads=True, retain_graph=True
    )


def many_products(g, x, basis, create_graph):
    """Return one transposed product for each cotangent of the basis."""
    rows = None
    if g.requires_grad:
        # materialize_grads would fill in zeros without the dimension of the batch.
        (rows,) = torch.autograd.grad(
            g, [x], basis, is_grads_batched=True, create_graph=create_graph, allow_unused=True
        )
    return x.new_zeros(basis.shape) if rows is None else rows


def own(x):
    # A view of what has a graph, a leaf of our own otherwise.
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def scalar(y):
    if y.numel() != 1:
        raise ValueError(f"expected one number from f, got shape {tuple(y.shape)}")
    return y.reshape(())


def hvp(f, inputs, v, create_graph=False):
    many = isinstance(inputs, tuple)
    if many != isinstance(v, tuple) or (many and len(inputs) != len(v)):
        raise ValueError("v must be built as inputs is")
    inputs, v = (inputs, v) if many else ((inputs,), (v,))
    if any(a.shape != b.shape for a, b in zip(inputs, v, strict=True)):
        raise ValueError("v must have the shapes of inputs")
    with torch.enable_grad():
        xs = [own(x) for x in inputs]
        flat_v = torch.cat([each.flatten() for each in v])
        grads = gradient(scalar(f(*xs)), xs, create_graph=True)
        slope = torch.cat([g.flatten() for g in grads]) @ flat_v
        out = gradient(slope, xs, create_graph=create_graph)
    return tuple(out) if many else out[0]


def hessian(f, x, create_graph=False):
    with torch.enable_grad():
        x = own(x)
        (g,) = gradient(scalar(f(x)), [x], create_graph=True)
        basis = torch.eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)
        return many_products(g, x, basis, create_graph).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    with torch.enable_grad():
        num, dim = x.shape
        x = own(x)
        y = f(x)
        if y.shape != (num,) and y.shape != (num, 1):
            raise ValueError(f"expected {num} numbers from f, got shape {tuple(y.shape)}")
        (g,) = gradient(y.sum(), [x], create_graph=True)
        basis = torch.eye(dim, dtype=x.dtype)[:, None].expand(dim, num, dim)
        return torch.einsum("dnd->n", many_products(g, x, basis, create_graph))


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    batch = real.size(0)
    if real.shape != fake.shape:
        raise ValueError("real and fake must have one shape")
    if alpha.shape not in {(batch,), (batch,) + (1,) * (real.dim() - 1)}:
        raise ValueError("alpha must hold one number for each sample")
    alpha = alpha.reshape((batch,) + (1,) * (real.dim() - 1))
    point = (fake + alpha * (real - fake)).detach().requires_grad_()
    with torch.enable_grad():
        (g,) = gradient(critic(point).sum(), [point], create_graph=True)
        norms = torch.linalg.vector_norm(g, dim=tuple(range(1, g.dim())))
        return torch.nn.functional.mse_loss(norms, torch.full_like(norms, target))

from collections.abc import Callable

import torch
from torch import Tensor


def hvp(
    f: Callable, inputs: Tensor | tuple[Tensor, ...], v, create_graph: bool = False
) -> Tensor | tuple[Tensor, ...]:
    is_single = isinstance(inputs, Tensor)
    if is_single != isinstance(v, Tensor):
        raise ValueError("hvp: v must be a tensor where inputs is one, and a tuple otherwise")
    xs, vs = ((inputs,), (v,)) if is_single else (tuple(inputs), tuple(v))
    if [x.shape for x in xs] != [direction.shape for direction in vs]:
        raise ValueError("hvp: v must have the shapes of inputs")
    with torch.enable_grad():
        xs = tuple(map(differentiable, xs))
        gradients = derivatives(one_number(f(*xs)), xs, create_graph=True)
        # One number whose gradient is H v: <grad f, v>, with v held fixed.
        slope = sum((g * direction).sum() for g, direction in zip(gradients, vs, strict=True))
        products = derivatives(slope, xs, create_graph)
    return products[0] if is_single else products


def hessian(f: Callable, x: Tensor, create_graph: bool = False) -> Tensor:
    with torch.enable_grad():
        x = differentiable(x)
        (gradient,) = derivatives(one_number(f(x)), (x,), create_graph=True)
        rows = [derivatives(g, (x,), create_graph)[0] for g in gradient.reshape(-1)]
        matrix = torch.stack(rows) if rows else x.new_zeros(0)
        return matrix.reshape(x.shape + x.shape)


def laplacian(f: Callable, x: Tensor, create_graph: bool = True) -> Tensor:
    with torch.enable_grad():
        x = differentiable(x)
        y = f(x)
        if y.shape not in ((len(x),), (len(x), 1)):
            raise ValueError(f"laplacian: f must return {len(x)} numbers, not {tuple(y.shape)}")
        # Row i of y depends on row i of x alone: the sum keeps the gradients of the rows apart.
        (gradient,) = derivatives(y.sum(), (x,), create_graph=True)
        total = x.new_zeros(len(x))
        for d in range(x.shape[1]):
            (row,) = derivatives(gradient[:, d].sum(), (x,), create_graph)
            total = total + row[:, d]
        return total


def gradient_penalty(
    critic: Callable, real: Tensor, fake: Tensor, alpha: Tensor, target: float = 1.0
) -> Tensor:
    if real.shape != fake.shape:
        raise ValueError(f"gradient_penalty: {tuple(real.shape)} is not {tuple(fake.shape)}")
    one_each = (len(real), *[1] * (real.ndim - 1))
    if alpha.shape not in (one_each[:1], one_each):
        raise ValueError(f"gradient_penalty: alpha needs one number for each of {len(real)}")
    with torch.enable_grad():
        # The penalty trains the critic only, so the point itself has no history.
        alpha = alpha.detach().reshape(one_each)
        point = (alpha * real.detach() + (1 - alpha) * fake.detach()).requires_grad_()
        (gradient,) = derivatives(critic(point).sum(), (point,), create_graph=True)
        # vector_norm has the subgradient 0 at 0, where a square root of a sum has NaN.
        norm = torch.linalg.vector_norm(gradient.flatten(1), dim=1)
        return (norm - target).square().mean()


def differentiable(x: Tensor) -> Tensor:
    """Return a view of what has a graph, else a leaf of our own: the caller's flag stays."""
    # A path from one input to another does not lead through the view.
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def one_number(y: Tensor) -> Tensor:
    if y.numel() != 1:
        raise ValueError(f"f must return one number, not {tuple(y.shape)}")
    return y.sum()


def derivatives(y: Tensor, xs: tuple, create_graph: bool) -> tuple[Tensor, ...]:
    """Differentiate one number; what is not in its graph has the derivative zero."""
    if not y.requires_grad:
        return tuple(map(torch.zeros_like, xs))
    return torch.autograd.grad(
        y, xs, retain_graph=True, create_graph=create_graph, materialize_grads=True
    )

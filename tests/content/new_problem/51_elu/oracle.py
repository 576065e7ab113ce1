"""Know the truth in float64; each operation may round twice."""

from __future__ import annotations

import torch

from torchstone.judge.kit import EPS, Case, Expected, Want


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    x, alpha = case.secret["x"], case.secret["alpha"]
    wide = x.double()
    below = wide.clamp(max=0)
    truth = torch.where(wide > 0, wide, alpha * torch.expm1(below))
    unit = 4 * EPS[x.dtype]
    # Special values have no distance.
    expected: Expected = {"out": Want(truth, unit * truth.abs().nan_to_num(0, 0, 0), x.dtype)}
    if "cotangent" in case.secret:
        cotangent = case.secret["cotangent"].double()
        gradient = torch.where(wide > 0, 1.0, alpha * torch.exp(below)) * cotangent
        # The derivative of expm1 is its value plus one, so the error is that of one.
        scale = max(1.0, alpha) * cotangent.abs()
        expected["grad.0"] = Want(gradient, unit * scale, x.dtype, aspect="grad")
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same by the operator of PyTorch."""
    x = case.secret["x"].double().requires_grad_()
    y = torch.nn.functional.elu(x, case.secret["alpha"])
    answer = {"out": y.detach()}
    if "cotangent" in case.secret:
        (answer["grad.0"],) = torch.autograd.grad(y, x, case.secret["cotangent"].double())
    return answer

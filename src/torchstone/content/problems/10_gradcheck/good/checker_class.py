# A class with methods, and a dataclass that holds the tolerances.
from dataclasses import dataclass

import torch


class GradcheckError(RuntimeError):
    """The gradient is wrong."""


@dataclass(frozen=True)
class Tolerance:
    eps: float
    atol: float
    rtol: float
    nondet_tol: float

    def agree(self, claimed, measured):
        gap = torch.abs(claimed - measured)
        ok = torch.le(gap, self.atol + self.rtol * torch.abs(measured))
        return bool(torch.all(ok & torch.isfinite(measured)))


class Checker:
    def __init__(self, fn, inputs, tolerance):
        self.fn, self.tolerance = fn, tolerance
        self.inputs = inputs
        self.where = [
            k for k, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.requires_grad
        ]
        if not self.where:
            raise ValueError("nothing to check")
        for k in self.where:
            self.validate(inputs[k])

    @staticmethod
    def validate(x):
        if x.dtype is not torch.float64:
            raise ValueError(f"float64 is needed, got {x.dtype}")
        if x.stride().count(0):
            raise RuntimeError("the input overlaps itself")

    def arguments(self, moved=None, place=None, step=0.0):
        found = list(self.inputs)
        for k in self.where:
            x = self.inputs[k].detach()
            # set_ over a cloned storage keeps strides and offset alike.
            storage = x.untyped_storage().clone()
            copy = torch.empty(0, dtype=x.dtype).set_(
                storage, x.storage_offset(), x.shape, x.stride()
            )
            if k == moved:
                copy[place] += step
            found[k] = copy.requires_grad_()
        return found

    def outputs(self, arguments):
        result = self.fn(*arguments)
        items = (result,) if isinstance(result, torch.Tensor) else result
        return [y for y in items if y.dtype.is_floating_point]

    def measured(self):
        columns = []
        for k in self.where:
            for flat in range(self.inputs[k].numel()):
                place = torch.unravel_index(torch.tensor(flat), self.inputs[k].shape)
                eps = self.tolerance.eps
                above = self.outputs(self.arguments(k, place, eps))
                below = self.outputs(self.arguments(k, place, -eps))
                columns.append(
                    torch.cat(
                        [(a - b).detach().flatten() for a, b in zip(above, below, strict=True)]
                        or [E]
                    )
                    / (2 * eps)
                )
        return columns

    def run(self):
        arguments = self.arguments()
        leaves = [arguments[k] for k in self.where]
        outputs = self.outputs(arguments)
        columns = self.measured()
        if not columns or not outputs:
            return None
        measured = torch.stack(columns, dim=-1)
        claimed = (
            torch.stack(
                [self.pull(outputs, leaves, row) for row in torch.eye(len(measured)).double()]
            )
            if len(measured)
            else measured
        )
        if not self.tolerance.agree(claimed, measured):
            return "analytical and numerical Jacobian disagree"
        # With |v| < 1 no row, each off by nondet_tol at most, counts more than once.
        v = torch.randn(len(measured)).double().tanh()
        got, want = self.pull(outputs, leaves, v), v @ claimed
        slack = 1e-6 * (v.abs() @ claimed.abs()) + self.tolerance.nondet_tol * len([got, *claimed])
        return None if bool((abs(got - want) <= slack).all()) else "backward is not linear"

    def pull(self, outputs, leaves, v):
        results = [self.pull_once(outputs, leaves, v) for _ in range(2)]
        if torch.any(torch.abs(results[0] - results[1]) > self.tolerance.nondet_tol):
            raise GradcheckError("backward is not deterministic")
        return results[0]

    def pull_once(self, outputs, leaves, v):
        parts = v.split([y.numel() for y in outputs])
        pairs = [
            (y, p.reshape(y.shape)) for y, p in zip(outputs, parts, strict=True) if y.requires_grad
        ]
        if not pairs:
            return torch.zeros(sum(x.numel() for x in leaves), dtype=torch.float64)
        ys, gs = zip(*pairs, strict=True)
        grads = torch.autograd.grad(ys, leaves, gs, retain_graph=True, materialize_grads=True)
        return torch.cat([g.detach().flatten() for g in grads])


E = torch.zeros(0).double()


def gradcheck(fn, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0):
    inputs = (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs)
    checker = Checker(fn, inputs, Tolerance(eps, atol, rtol, nondet_tol))
    try:
        with torch.set_grad_enabled(True):
            problem = checker.run()
        if problem:
            raise GradcheckError(problem)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True

"""Know the truth of problem 02 in float64, and how far from it rounding alone may lead."""

import math
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch.nn import functional

from torchstone.judge.kit import COUNT, EPS, Case, Exact, Expected, Holds, OneOf, Raises, Want, ulp

HALF = (torch.float16, torch.bfloat16)
ERRORS: dict[str, tuple[type[Exception], ...]] = {
    "reduction": (ValueError,),
    "shape": (ValueError, RuntimeError),
    "label": (IndexError, RuntimeError, ValueError),
    "dtype": (TypeError, RuntimeError),
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        refused = Raises(*ERRORS[secret["raises"]])
        later = {f"{step}:raised": refused for step in range(1, secret["num_steps"])}
        return {"raised": refused} | later
    if "op" in secret:
        return _observed(secret)
    rows = _Rows.of(secret)
    expected: Expected = {"out": rows.value(), "grad.0": rows.gradient(secret["cotangent"])}
    if secret["second"]:
        seconds: Expected = rows.second(secret["cotangent"], secret["second"][0])
        expected["second"] = OneOf(seconds, {"second.raised": Raises(RuntimeError)})
    if secret["saved"]:
        expected["saved.bytes"] = _frugal(secret["logits"])
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator in float64."""
    secret = case.secret
    if "raises" in secret or "op" in secret:
        return {}
    logits, options = secret["logits"].double().requires_grad_(), secret["options"]
    loss = functional.cross_entropy(logits, secret["target"], **options)
    (gradient,) = torch.autograd.grad(loss, logits, secret["cotangent"].double())
    return {"out": loss.detach(), "grad.0": gradient}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The problem as a matrix: one row an example or pixel, one column a class.

    R rows, C classes; ``gap`` is m - x, the distance of every score to the maximum of its row.
    """

    shape: torch.Size
    target_shape: torch.Size
    dtype: torch.dtype
    reduction: str
    smoothing: float
    keep: torch.Tensor
    at: torch.Tensor
    gap: torch.Tensor
    p: torch.Tensor
    log_sum: torch.Tensor

    @classmethod
    def of(cls, secret: dict[str, Any]) -> Self:
        logits, target, options = secret["logits"], secret["target"], secret["options"]
        x = logits.double()
        x = x[None] if x.ndim == 1 else x.movedim(1, -1).reshape(-1, x.shape[1])
        labels = target.reshape(-1)
        keep = labels != options.get("ignore_index", -100)
        gap = x.amax(1, keepdim=True) - x
        weights = gap.neg().exp_()
        total = weights.sum(1, keepdim=True)
        return cls(
            shape=logits.shape,
            target_shape=target.shape,
            dtype=logits.dtype,
            reduction=options.get("reduction", "mean"),
            smoothing=options.get("label_smoothing", 0.0),
            keep=keep,
            at=torch.where(keep, labels, 0)[:, None],
            gap=gap,
            p=weights.div_(total),
            log_sum=total.log_()[:, 0],
        )

    @property
    def eps(self) -> float:
        return EPS[self.dtype]

    def value(self) -> Want:
        """Give the loss; its scale is the sum of the magnitudes that enter it."""
        s = self.smoothing
        # log C bounds log(sum). A product is left out where its factor is 0: 0 * inf is NaN.
        distance = torch.zeros_like(self.log_sum)
        if s < 1:
            distance = distance + (1 - s) * self.gap.gather(1, self.at)[:, 0]
        if s > 0:
            distance = distance + s * self.gap.mean(1)
        loss = torch.where(self.keep, distance + self.log_sum, 0.0)
        num_classes = self.gap.shape[1]
        scale = torch.where(self.keep, distance + 1 + math.log(num_classes), 0.0)
        num_rows = 1 if self.reduction == "none" else loss.numel()
        k = 8 + 0.05 * math.sqrt(num_classes) + 0.02 * math.sqrt(num_rows)
        if self.dtype == torch.float64:
            k = max(k, 64.0)  # the oracle itself is no more exact than this
        if self.reduction == "none":
            loss, scale = loss.reshape(self.target_shape), scale.reshape(self.target_shape)
        else:
            loss, scale = loss.sum(), scale.sum()
            if self.reduction == "mean":
                loss, scale = loss / self.keep.sum(), scale / self.keep.sum()
        bound = k * self.eps * scale
        if self.dtype in HALF:
            bound = bound + ulp(loss, self.dtype)
        return Want(loss, bound, self.dtype)

    def coefficient(self, cotangent: torch.Tensor) -> torch.Tensor:
        """Give the factor of every row's gradient, (R, 1)."""
        g = cotangent.double().reshape(-1)
        if self.reduction == "mean":
            g = g / self.keep.sum().clamp(min=1)
        return torch.where(self.keep, g.expand(self.keep.shape), 0.0)[:, None]

    def gradient(self, cotangent: torch.Tensor) -> Want:
        """Give coefficient * (p - q), and its scale |coefficient| * (p * (8 + m - x) + q)."""
        coefficient = self.coefficient(cotangent)
        # q is even everywhere, and sharp more at the target.
        even = self.smoothing / max(1, self.p.shape[1])
        sharp = torch.full_like(self.at, 1 - self.smoothing, dtype=torch.float64)
        want = (self.p - even).scatter_add_(1, self.at, -sharp).mul_(coefficient)
        # exp amplifies the rounding of m - x by its size; beyond the clamp p is an exact 0.
        scale = self.gap.clamp(max=1e4).add_(8.0).mul_(self.p).add_(even)
        scale.scatter_add_(1, self.at, sharp)
        k = (64 if self.dtype == torch.float64 else 16) * self.eps
        bound = scale.mul_(coefficient.abs() * k)
        # Below the smallest normal number relative precision is gone: zero is right, too.
        compute = torch.float32 if self.dtype in HALF else self.dtype
        bound += torch.finfo(compute).smallest_normal * (coefficient != 0)
        if self.dtype in HALF:
            bound += 2 * ulp(want, self.dtype) * (coefficient != 0)
        return Want(self._back(want), self._back(bound), self.dtype, aspect="grad")

    def second(self, cotangent: torch.Tensor, v: torch.Tensor) -> Expected:
        """Give the derivatives of <gradient, v> with respect to the logits and the cotangent."""
        direction = v.double()
        flat = direction[None] if v.ndim == 1 else direction.movedim(1, -1)
        direction = flat.reshape(self.p.shape)
        coefficient = self.coefficient(cotangent)
        inner = (self.p * direction).sum(1, keepdim=True)
        of_logits = coefficient * self.p * (direction - inner)
        limit = 64 * self.eps * (direction.abs().amax() * 10 * cotangent.abs().amax().double() + 1)
        expected: Expected = {
            "second.0": Want(self._back(of_logits), limit, self.dtype, aspect="grad")
        }
        if self.reduction == "mean" and not self.keep.any():
            # PyTorch's own is 0 for the logits, and NaN for the cotangent: that one is left open.
            return expected
        slope = torch.where(
            self.keep,
            inner[:, 0]
            - (1 - self.smoothing) * direction.gather(1, self.at)[:, 0]
            - self.smoothing * direction.mean(1),
            0.0,
        )
        if self.reduction == "none":
            of_cotangent = slope.reshape(self.target_shape)
        else:
            count = self.keep.sum().clamp(min=1) if self.reduction == "mean" else 1
            of_cotangent = slope.sum() / count
        return expected | {
            "second.cotangent.0": Want(of_cotangent, limit * 4, self.dtype, aspect="grad")
        }

    def _back(self, matrix: torch.Tensor) -> torch.Tensor:
        """Give a matrix (R, C) the shape of the logits again."""
        if len(self.shape) == 1:
            return matrix[0]
        return matrix.reshape(self.shape[0], *self.shape[2:], self.shape[1]).movedim(-1, 1)


def _observed(secret: dict[str, Any]) -> Expected:
    op, rows = secret["op"], _Rows.of(secret)
    if op == "graph":
        return _one_node()
    if op == "no_grad":
        return {
            "out": rows.value(),
            "requires_grad": Exact(False),
            "requires_grad.no_grad": Exact(False),
        }
    if op == "two_calls":
        second = _Rows.of(secret | {"logits": secret["other"]})
        return {"out": rows.value(), "1:out": second.value()}
    gradient = rows.gradient(secret["cotangent"])
    if op == "in_place":
        return {"grad": OneOf({"grad": gradient}, {"raised": Raises(RuntimeError)})}
    other = _Rows.of(secret | {"logits": secret["other"]})
    return {"grad.first": gradient, "grad.second": other.gradient(secret["cotangent"])}


def _one_node() -> Expected:
    note = {
        "en": "the graph from loss to logits must be exactly one node, CrossEntropyBackward",
        "zh": "从损失到 logits 的计算图必须恰好只有一个节点 CrossEntropyBackward",
    }
    return {
        "node": Exact("CrossEntropyBackward", note=note),
        "is_own": Exact(True, note=note),
        "num_edges": Exact(1, note=note),
        "ends_at_logits": Exact(True, note=note),
    }


def _frugal(logits: torch.Tensor) -> Holds:
    """Allow one tensor of the logits' size, float64 at most, and a little for every row."""
    limit = logits.numel() * 8 + logits.shape[0] * 64 + 1024
    wanted = {
        "en": "more than one tensor of the logits' size is saved for backward",
        "zh": "为反向传播保存的内容超过了一个与 logits 同样大小的张量",
    }
    return Holds(lambda saved: bool(saved <= limit), wanted, takes=COUNT)

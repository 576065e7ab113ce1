"""Know the truth of c06: the network from its formulas in float64, walking through the state."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import conv2d

from torchstone.judge.kit import Case, Exact, Expected, Raises, Want

TOLERANCE = 1e-9
EPS, MOMENTUM = 1e-5, 0.1
NOTES = {
    "shapes": (
        "state_dict() has not the documented tensors in the documented order",
        "state_dict() 里的张量或次序与题面不符",
    ),
    "num parameters": (
        "parameters() has another number of elements; a module used twice counts once",
        "parameters() 的元素总数不对；同一个模块用两次只算一次",
    ),
    "trained": (
        "other parameters require grad: the stem and the frozen stages must not, all others must",
        "需要梯度的参数不对：输入部分和冻结的阶段不应需要，其余都应需要",
    ),
    "zeros": (
        "the second convolution of a block does not start at 0",
        "有块的第二个卷积不是从 0 开始",
    ),
    "module": ("not an nn.Module", "不是 nn.Module"),
    "spread": (
        "a convolution or the head starts with all weights equal",
        "有卷积层或分类头的初始权重全部相等",
    ),
    "outputs": (
        "not (N, num_classes) for every size of the images",
        "输出形状应为 (N, num_classes)",
    ),
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if secret["op"] == "refused":
        return {f"{name}.raised": Raises(ValueError) for name in secret["sizes"]}
    shapes = [list(each.shape) for each in secret["state"]]
    return _fresh(secret, shapes) if secret["op"] == "fresh" else _run(secret, shapes)


def _exact(key: str, value: Any) -> Exact:
    return Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))


def _fresh(secret: dict[str, Any], shapes: list[list[int]]) -> Expected:
    kept = [each for place, each in enumerate(secret["state"]) if place not in secret["buffers"]]
    expected: Expected = {
        "module": _exact("module", True),
        "shapes": _exact("shapes", shapes),
        "num parameters": _exact("num parameters", sum(each.numel() for each in kept)),
        "spread": _exact("spread", True),
        "zeros": _exact("zeros", True),
        "outputs": _exact("outputs", [[2, secret["params"]["classes"]]] * 3),
    }
    for place in secret["norms"]:
        weight = torch.ones(secret["state"][place].shape)
        expected[f"{place}.weight"] = Exact(weight, aspect="value")
        expected[f"{place}.bias"] = Exact(torch.zeros_like(weight), aspect="value")
    return expected


def _run(secret: dict[str, Any], shapes: list[list[int]]) -> Expected:
    expected: Expected = {"shapes": _exact("shapes", shapes)}
    for mode in ("eval", "train"):
        walk = Walk(secret, mode == "train")
        x = secret["x"].clone().requires_grad_()
        logits = walk.through(x)
        trained = [number for number, each in enumerate(walk.leaves) if each.requires_grad]
        leaves = [walk.leaves[number] for number in trained]
        gradients = torch.autograd.grad(logits, [x, *leaves], secret["g"])
        expected[f"{mode} logits"] = _want(logits.detach())
        expected[f"{mode} grad x"] = _want(gradients[0], aspect="grad")
        expected[f"{mode} trained"] = _exact("trained", trained)
        for place, gradient in enumerate(gradients[1:]):
            expected[f"{mode} grad {place}"] = _want(gradient, aspect="grad")
        for place, value in walk.buffers.items():
            expected[f"{mode} buffer {place}"] = _want(value)
    return expected


def _want(value: torch.Tensor, **more: Any) -> Want:
    if not value.is_floating_point():
        return Want(value, 0.0, value.dtype)
    return Want(value, TOLERANCE * (1 + float(value.abs().max())), torch.float64, **more)


class Walk:
    """Takes the tensors of the state one after the other, as the network meets them."""

    def __init__(self, secret: dict[str, Any], is_training: bool) -> None:
        self.params, self.state, self.is_training = secret["params"], secret["state"], is_training
        self.place = 0
        # Until a stage that is not frozen begins.
        self.is_frozen = secret["params"]["freeze"] is not None
        self.leaves: list[torch.Tensor] = []
        self.buffers: dict[int, torch.Tensor] = {}

    def take(self) -> torch.Tensor:
        """Return the next parameter as a leaf."""
        leaf = self.state[self.place].clone().requires_grad_(not self.is_frozen)
        self.leaves.append(leaf)
        self.place += 1
        return self.leaves[-1]

    def conv(self, x: torch.Tensor, stride: int, padding: int) -> torch.Tensor:
        """Convolve with the next weight."""
        return conv2d(x, self.take(), stride=stride, padding=padding)

    def norm(self, x: torch.Tensor) -> torch.Tensor:
        """Normalise with the next batch norm, and note its buffers afterwards."""
        weight, bias = self.take(), self.take()
        mean, var, count = self.state[self.place : self.place + 3]
        kept = {self.place: mean, self.place + 1: var, self.place + 2: count}
        if self.is_training and not self.is_frozen:
            values = x.transpose(0, 1).reshape(x.shape[1], -1)
            batch_mean, batch_var = values.mean(1), values.var(1, unbiased=False)
            size = values.shape[1]
            seen = (batch_mean.detach(), batch_var.detach() * size / (size - 1), count)
            for place, new in zip(list(kept)[:2], seen, strict=False):
                kept[place] = (1 - MOMENTUM) * kept[place] + MOMENTUM * new
            kept[self.place + 2] = count + 1
            mean, var = batch_mean, batch_var
        self.buffers |= kept
        self.place += 3
        shape = (1, -1, 1, 1)
        scaled = (x - mean.view(shape)) / (var.view(shape) + EPS).sqrt()
        return scaled * weight.view(shape) + bias.view(shape)

    def block(self, x: torch.Tensor, stride: int, is_projected: bool) -> torch.Tensor:
        """Go through a block: the shortcut is the last of its layers."""
        active = self.norm(x).clamp(min=0)
        y = self.norm(self.conv(active, stride, 1)).clamp(min=0)
        y = self.conv(y, 1, 1)
        return y + (self.conv(active, stride, 0) if is_projected else x)

    def through(self, x: torch.Tensor) -> torch.Tensor:
        """Go through the whole network."""
        x = self.conv(x, 1, 1)
        for stage, (width, depth) in enumerate(
            zip(self.params["widths"], self.params["depths"], strict=True)
        ):
            self.is_frozen = self.is_frozen and stage < self.params["freeze"]
            for number in range(depth):
                stride = 2 if stage and not number else 1
                x = self.block(x, stride, stride == 2 or x.shape[1] != width)
        self.is_frozen = False
        active = self.norm(x).clamp(min=0)
        weight, bias = self.take(), self.take()
        return active.mean((2, 3)) @ weight.T + bias

"""Know the truth of the operator over the sampling kernel, in float64."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, Raises, Want

SCHEMA = (
    "ts47::grid_sample(Tensor input, Tensor grid, int padding_mode, bool align_corners) -> Tensor"
)
WORDS_OF_SCHEMA = {
    "en": f"The schema must be {SCHEMA} (or SymInt for int).",
    "zh": f"schema 应为 {SCHEMA}（int 也可以是 SymInt）。",
}
BORDER, REFLECTION = 1, 2
PADDINGS = ("zeros", "border", "reflection")
NAMES = ("input", "grid")
UNIT, TINY = 2.0**-24, 2.0**-149
TESTS = {
    "test_schema": (
        "the operator does what its schema rules out: it writes to an argument or returns one",
        "算子做了 schema 不允许的事：改写了参数，或者返回了参数本身",
    ),
    "test_autograd_registration": (
        "the gradient is not registered where autograd looks for it",
        "梯度没有注册在 autograd 查找的位置",
    ),
    "test_faketensor": (
        "with FakeTensor it does not run, or promises other shapes, strides or dtypes",
        "用 FakeTensor 无法运行，或者形状、stride、dtype 与真实结果不同",
    ),
    "test_aot_dispatch_dynamic": (
        "compiled with dynamic shapes it gives other values or gradients, or does not compile",
        "以动态形状编译后，值或梯度不同，或者无法编译",
    ),
}
MARKS = {
    "en": "The kernel wrote this number everywhere, and something else came out: the result is "
    "not the kernel's.",
    "zh": "核函数处处写入的是这个数，得到的却是别的：结果并非来自核函数。",
}
ASKED = {
    "en": "The backward kernel must be asked for the gradients that are wanted, and for no other.",
    "zh": "只应让反向核函数计算需要的梯度，不要的不算。",
}
SAVES = {
    "en": "The backward needs the two arguments and nothing else; something else is kept as well.",
    "zh": "反向只需要两个参数本身，这里却还留下了别的数据。",
}
CHANGED = {
    "en": "An argument was overwritten between forward and backward: the right gradient or an "
    "error was wanted.",
    "zh": "前向与反向之间参数被改写：应给出正确的梯度，或者报错。",
}
SILENT = {
    "en": "The second derivative is neither right nor an error.",
    "zh": "二阶导数既不正确，也没有报错。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    return EXPECTED[secret["kind"]](secret)


def _locate(numbers: torch.Tensor, size: int, mode: list[Any]) -> torch.Tensor:
    """Give the positions in pixels, differentiably."""
    padding, align = mode
    span, low = (size - 1, 0.0) if align else (size, -0.5)
    position = (numbers + 1) / 2 * span + low
    if padding == REFLECTION and span:
        position = span - ((position - low).abs() % (2 * span) - span).abs() + low
    return position.clamp(0, size - 1) if padding in (BORDER, REFLECTION) else position


def sample(image: torch.Tensor, grid: torch.Tensor, mode: list[Any]) -> torch.Tensor:
    """Sample as the kernel does, by operators that autograd differentiates as often as it likes."""
    N, C, H, W = image.shape
    view = (N, C, *grid.shape[1:3])
    x, y = (_locate(grid[..., axis], size, mode) for axis, size in ((0, W), (1, H)))
    total = torch.zeros(view, dtype=image.dtype)
    for right, lower in ((0, 0), (1, 0), (0, 1), (1, 1)):
        column, row = x.detach().floor() + right, y.detach().floor() + lower
        is_inside = (column >= 0) & (column < W) & (row >= 0) & (row < H)
        weight = (1 - (x - column).abs()) * (1 - (y - row).abs()) * is_inside
        pixel = (row.clamp(0, H - 1) * W + column.clamp(0, W - 1)).long()
        found = image.flatten(2).gather(2, pixel.flatten(1)[:, None].expand(N, C, -1))
        total = total + found.reshape(view) * weight[:, None]
    return total


def _truth(
    image: torch.Tensor, grid: torch.Tensor, grad: torch.Tensor, mode: list[Any]
) -> dict[str, Want]:
    """Compute the result and both gradients, each with its tolerance."""
    wide = [each.detach().double() for each in (image, grid)]
    out, pull = torch.func.vjp(lambda *leaves: sample(*leaves, mode), *wide)
    grads = pull(grad.double())
    side, channels = max(image.shape[2:]), image.shape[1]
    k = 4 * UNIT * (side + 8) * max(1.0, _largest(grid))
    # Of a pixel: every sample might touch it.
    sums = grad.double().abs().sum((2, 3), keepdim=True)
    num_samples = math.prod(grad.shape[2:])
    steep = 2 * k * side * channels * _largest(image) * _largest(grad)
    may_be_none = grad.numel() == 0
    return {
        "out": Want(out, k * _largest(image) + TINY, torch.float32),
        "input": Want(
            grads[0],
            (k + 4 * UNIT * math.sqrt(num_samples)) * sums + TINY,
            torch.float32,
            aspect="grad",
            none_is_zero=may_be_none,
        ),
        "grid": Want(
            grads[1], steep + TINY, torch.float32, aspect="grad", none_is_zero=may_be_none
        ),
    }


def _largest(tensor: torch.Tensor) -> float:
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def _truth_of(secret: dict[str, Any]) -> dict[str, Want]:
    return _truth(*(secret[name] for name in ("input", "grid", "grad", "mode")))


def _is_schema(came: Any) -> bool:
    # custom_op writes SymInt for an int of Python.
    return isinstance(came, str) and came.replace("SymInt", "int") == SCHEMA


def _expect_vjp(secret: dict[str, Any]) -> Expected:
    truth = _truth_of(secret)
    return {"out": truth["out"]} | {f"grad.{at}": truth[NAMES[at]] for at in secret["wrt"]}


def _expect_marks(secret: dict[str, Any]) -> Expected:
    marks, wanted = secret["marks"], [f"grad_{name}" for name in secret["wanted"]]
    shapes = {f"grad_{name}": secret[name].shape for name in NAMES} | {"out": secret["grad"].shape}
    found: Expected = {"asked": Exact(sorted(wanted), note=ASKED)}
    return found | {
        name: Exact(torch.full(shapes[name], marks[name]), note=MARKS) for name in ("out", *wanted)
    }


def _expect_state(secret: dict[str, Any]) -> Expected:
    found: Expected = {}
    for number, (mode, image) in enumerate(zip(secret["modes"], secret["images"], strict=True)):
        truth = _truth(image, secret["grid"], secret["grad"], mode)
        found |= {f"{number}.{name}": truth[name] for name in NAMES}
    return found


def _expect_later(secret: dict[str, Any]) -> Expected:
    truth = _truth_of(secret)
    return {
        name: Holds(_is_near_or_error(truth[name].value), CHANGED, aspect="grad") for name in NAMES
    }


def _expect_meta(secret: dict[str, Any]) -> Expected:
    shape = list(secret["grad"].shape)
    return {
        "shape": Exact(shape, aspect="shape"),
        "stride": Exact(list(torch.empty(shape, device="meta").stride())),
        "dtype": Exact(torch.float32, aspect="dtype"),
    }


def _expect_double(secret: dict[str, Any]) -> Expected:
    image, grid, grad = (secret[name].detach().double() for name in ("input", "grid", "grad"))
    toward_input, toward_grid = (secret[f"toward_{name}"].double() for name in NAMES)
    by_gradient = sample(toward_input, grid, secret["mode"]) + 2 * grad

    def slope(image: torch.Tensor) -> torch.Tensor:
        _, pull = torch.func.vjp(lambda grid: sample(image, grid, secret["mode"]), grid)
        return (pull(grad)[0] * toward_grid).sum() + (image * image).sum()

    by_input = torch.func.grad(slope)(image)
    return {
        "by_gradient": Holds(_is_near_or_error(by_gradient), SILENT, aspect="grad"),
        "by_input": Holds(_is_near_or_error(by_input), SILENT, aspect="grad"),
    }


def _is_near_or_error(wanted: torch.Tensor) -> Any:
    def holds(came: Any) -> bool:
        if not isinstance(came, torch.Tensor):
            return bool(came == "an error")
        limit = 1e-4 * max(1.0, _largest(wanted))
        return came.shape == wanted.shape and _largest(came.double() - wanted) <= limit

    return holds


def _expect_opcheck(secret: dict[str, Any]) -> Expected:
    return {
        name: Exact(
            "SUCCESS", note={"en": f"opcheck, {name}: {en}", "zh": f"opcheck，{name}：{zh}"}
        )
        for name, (en, zh) in TESTS.items()
    }


def _expect_gradcheck(secret: dict[str, Any]) -> Expected:
    note = {
        "en": "torch.autograd.gradcheck finds another gradient by finite differences",
        "zh": "torch.autograd.gradcheck 用有限差分得到的梯度与之不同",
    }
    return {"gradcheck": Exact(True, aspect="grad", note=note)}


def _expect_compiled(secret: dict[str, Any]) -> Expected:
    doubled = _truth(2 * secret["input"], secret["grid"], 2 * secret["grad"], secret["mode"])
    plain = _truth(2 * secret["input"], secret["grid"], secret["grad"], secret["mode"])
    return {"out": plain["out"], "input": doubled["input"], "grid": plain["grid"]}


def _expect_errors(secret: dict[str, Any]) -> Expected:
    refused = Raises(RuntimeError, ValueError, TypeError, NotImplementedError)
    return {f"{name}.raised": refused for name in secret["names"]}


EXPECTED = {
    "schema": lambda secret: {"schema": Holds(_is_schema, WORDS_OF_SCHEMA)},
    "value": lambda secret: {"out": _truth_of(secret)["out"]},
    "vjp": _expect_vjp,
    "launches": _expect_marks,
    "state": _expect_state,
    "later": _expect_later,
    "memory": lambda secret: {"saved": Exact(0, note=SAVES)},
    "errors": _expect_errors,
    "meta": _expect_meta,
    "double": _expect_double,
    "gradcheck": _expect_gradcheck,
    "opcheck": _expect_opcheck,
    "compile": _expect_compiled,
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator."""
    secret = case.secret
    if secret["kind"] not in ("value", "vjp") or secret["grad"].numel() == 0:
        return {}
    image, grid = (secret[name].detach().double().requires_grad_() for name in NAMES)
    padding, align = secret["mode"]
    out = torch.nn.functional.grid_sample(
        image, grid, mode="bilinear", padding_mode=PADDINGS[padding], align_corners=align
    )
    found = {"out": out.detach()}
    if secret["kind"] == "vjp":
        grads = torch.autograd.grad(out, (image, grid), secret["grad"].double())
        found |= {f"grad.{at}": grads[at] for at in secret["wrt"]}
    return found

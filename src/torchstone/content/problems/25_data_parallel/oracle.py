"""Know the truth of problem 25: each shard goes through the plain module, and the parts are joined.

Shards are cut here by index, results joined by type; gradients come from one graph without devices.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.func import functional_call

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want
from torchstone.judge.kit.problem import load_module

Tensor = torch.Tensor
probe = load_module(Path(__file__).with_name("probe.py"))

RELATIVE = 1e-10
# Its samples do not depend on each other, so that it can be called on the whole batch.
WHOLE = ("Net", "Columns", "Words", "Tied", "Kept")


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    with torch.enable_grad():  # whatever a program left behind that ran in this process before
        return EXPECT[case.secret["op"]](case.secret["data"]) | _true("devices untouched")


def builtin(case: Case) -> dict[str, Tensor]:
    """Call the plain module on the whole batch, where that is the same."""
    data = case.secret["data"]
    if case.secret["op"] != "apply" or data["model"]["kind"] not in WHOLE:
        return {}
    with torch.enable_grad():
        results, gradients = _run(data, whole=True)
    found = {f"{number}.out.0": out for number, out in enumerate(results)}
    return {key: item.detach() for key, item in (found | gradients).items()}


def _words(name: str) -> dict[str, str]:
    return dict(zip(("en", "zh"), NOTES[name], strict=True))


def _true(*names: str) -> Expected:
    return {name: Exact(True, note=_words(name.rpartition(".")[2])) for name in names}


def _want(value: Tensor, *, exact: bool = False, aspect: str = "value") -> Want:
    value = value.detach()
    if not value.is_floating_point():
        return Want(value, 0.0, value.dtype, aspect=aspect)
    limit = 0.0 if exact or not value.numel() else RELATIVE * float(value.abs().max())
    return Want(value, limit, value.dtype, aspect=aspect)


def _none_left(name: str) -> Expected:
    return {name: Holds(lambda count: count == 0, _words("threads left"), takes=COUNT)}


# --- shards and results ---------------------------------------------------------------------------


def _bounds(size: int, devices: int) -> list[tuple[int, int]]:
    """Return where the shards of a batch begin and end."""
    step = -(-size // devices)
    return [(at, min(at + step, size)) for at in range(0, size, step)] if size else [(0, 0)]


def _tensors(tree: Any) -> Iterator[Tensor]:
    return probe.tensors_in(tree)


def _part(tree: Any, place: tuple[int, int], dim: int) -> Any:
    """Return one shard of a structure."""
    if isinstance(tree, Tensor):
        return tree.narrow(dim, place[0], place[1] - place[0])
    if isinstance(tree, dict):
        return type(tree)((key, _part(value, place, dim)) for key, value in tree.items())
    if isinstance(tree, (list, tuple)):
        items = [_part(item, place, dim) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    return tree


def _shards(tree: Any, devices: int, dim: int) -> list[Any]:
    sizes = {tensor.shape[dim] for tensor in _tensors(tree)}
    if not sizes:
        return [tree]
    (size,) = sizes
    return [_part(tree, place, dim) for place in _bounds(size, devices)]


def _joined(results: list[Any], dim: int) -> Any:
    """Join the results of the replicas, by the type of the first."""
    first = results[0]
    if first is None:
        return None
    if isinstance(first, Tensor):
        if first.dim() == 0:
            return torch.cat([result.reshape(1) for result in results])
        return torch.cat(results, dim)
    if isinstance(first, dict):
        return type(first)((key, _joined([each[key] for each in results], dim)) for key in first)
    items = [_joined([each[place] for each in results], dim) for place in range(len(first))]
    return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)


# --- wrapped modules ------------------------------------------------------------------------------


class _Run:
    """The calls of a case with the plain module."""

    def __init__(self, data: dict[str, Any], *, whole: bool = False) -> None:
        self.data, self.whole = data, whole
        self.module = probe.make(data["model"])
        self.parameters = dict(self.module.named_parameters())
        self.forms: list[list[str]] = []
        self.results: list[Any] = []
        self.leaves: list[Tensor] = []
        self.pairs: list[tuple[Tensor, Tensor]] = []
        for call in data["calls"]:
            self._call(call)

    def _call(self, call: dict[str, Any]) -> None:
        args = list(call["args"])
        for place in call["leaves"]:
            args[place] = args[place].detach().clone().requires_grad_()
            self.leaves.append(args[place])
        given = probe.arguments(call | {"args": args})
        dim = self.data["dim"]
        if self.whole or self.data["devices"] == 1:
            self.forms.append([probe.form_of(given)])
            result = self.module(*given[0], **given[1])
        else:
            shards = _shards(given, self.data["devices"], dim)
            self.forms.append([probe.form_of(shard) for shard in shards])
            # The first replica has the buffers of the module, each other one a copy of its own.
            copies = [
                {name: b.clone() for name, b in self.module.named_buffers() if number}
                for number in range(len(shards))
            ]
            outputs = [
                functional_call(self.module, buffers, *shard)
                for buffers, shard in zip(copies, shards, strict=True)
            ]
            result = _joined(outputs, dim)
        self.results.append(result)
        tensors = [tensor for tensor in _tensors(result) if tensor.requires_grad]
        self.pairs += list(zip(tensors, call["cotangents"], strict=False))

    def gradients(self) -> dict[str, Tensor | None]:
        """Return the gradients of parameters and inputs, the calls added up."""
        named = {f"grad.{name}": p for name, p in self.parameters.items()}
        named |= {f"grad.input{number}": leaf for number, leaf in enumerate(self.leaves)}
        wanted = {name: p for name, p in named.items() if p.requires_grad}
        total = sum((out * other).sum() for out, other in self.pairs)
        got = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
        return dict.fromkeys(named) | dict(zip(wanted, got, strict=True))


def _run(data: dict[str, Any], *, whole: bool) -> tuple[list[Tensor], dict[str, Tensor]]:
    """Return results and gradients of modules with one result."""
    run = _Run(data, whole=whole)
    gradients = run.gradients() if run.pairs else {}
    return run.results, {name: g for name, g in gradients.items() if g is not None}


def _apply(data: dict[str, Any]) -> Expected:
    run, exact = _Run(data), data["devices"] == 1
    expected: Expected = {}
    for number, result in enumerate(run.results):
        expected |= _seen(f"{number}.", run.forms[number], data)
        expected |= _result(f"{number}.out.", result, data["output"] or 0, exact=exact)
        if not data["train"]:
            expected[f"{number}.has graph"] = Exact(False, note=_words("has graph"))
    if run.pairs:
        for name, gradient in run.gradients().items():
            expected[name] = (
                Exact(None, aspect="grad", note=_words("frozen"))
                if gradient is None
                else _want(gradient, exact=exact, aspect="grad")
            )
    if data["meet"]:
        expected |= _true("all at once") | _none_left("threads left")
    return expected | _end(run)


def _seen(prefix: str, forms: list[str], data: dict[str, Any]) -> Expected:
    """Return what the replicas of a call must see."""
    return {
        f"{prefix}on": Exact(list(range(len(forms))), note=_words("on")),
        f"{prefix}saw": Exact(forms, note=_words("saw")),
        f"{prefix}grad mode": Exact([data["train"]] * len(forms), note=_words("grad mode")),
        f"{prefix}notes": Exact("", note=_words("notes")),
        f"{prefix}put twice": Exact("", note=_words("put twice")),
        f"{prefix}put in vain": Exact("", note=_words("put in vain")),
        **_true(f"{prefix}own modules"),
    }


def _result(prefix: str, result: Any, device: int, *, exact: bool = False) -> Expected:
    tensors = list(_tensors(result))
    expected: Expected = {
        f"{prefix}form": Exact(probe.form_of(result)),
        f"{prefix}lies on": Exact([device] * len(tensors), note=_words("lies on")),
    }
    wants = {f"{prefix}{place}": _want(t, exact=exact) for place, t in enumerate(tensors)}
    return expected | wants


def _end(run: _Run) -> Expected:
    keys = [f"module.{name}" for name in run.module.state_dict()]
    expected: Expected = {"keys": Exact(keys), "strange": Exact("", note=_words("strange"))}
    for name, buffer in run.module.named_buffers():
        expected[f"buffer.{name}"] = _want(buffer)
    return expected | _true("parameters kept")


def _stress(data: dict[str, Any]) -> Expected:
    run = _Run(data)
    expected = _seen("0.", run.forms[0], data) | _result("0.out.", run.results[0], 0)
    return expected | _end(run) | _none_left("threads left")


def _fail(data: dict[str, Any]) -> Expected:
    run = _Run(data)
    expected = _result("0.out.", run.results[0], 0) | _end(run)
    for number, raises in enumerate(data["raises"]):
        first = min(raises)
        text = f"replica {first} broke"
        expected[f"{number}.raised"] = Raises(probe.ERRORS[raises[first][0]])
        expected[f"{number}.message"] = Holds(
            lambda message, text=text: type(message) is str and text in message,
            _words("message"),
            truth=text,
        )
        expected |= _none_left(f"{number}.threads left")
    return expected


def _refuse(data: dict[str, Any]) -> Expected:
    return {f"{name}.raised": Raises(ValueError) for name in ("no devices", "other keys")}


# --- functions alone ------------------------------------------------------------------------------


def _shard(data: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, call in data["scatters"].items():
        args, kwargs = probe.arguments({"odd": False} | call)
        shards = _shards(args[0] if call["alone"] else (args, kwargs), call["devices"], call["dim"])
        expected[f"{name}.parts"] = Exact([probe.form_of(shard) for shard in shards])
        for number, shard in enumerate(shards):
            expected[f"{name}.{number} there"] = Exact(True, note=_words("there"))
            for place, tensor in enumerate(_tensors(shard)):
                expected[f"{name}.{number}.{place}"] = _want(tensor, exact=True)
    return expected


def _join(data: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, call in data["gathers"].items():
        result = _joined([probe.arguments_of(each) for each in call["outputs"]], call["dim"])
        expected |= _result(f"{name}.", result, call["to"], exact=True)
        expected[f"{name}.strange"] = Exact("", note=_words("strange"))
    return expected


def _side_by_side(data: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, call in data["runs"].items():
        modules, count = [probe.make(spec) for spec in call["models"]], len(call["inputs"])
        if len(modules) < count:
            expected[f"{name}.replicas"] = Exact([True] * count)
            modules *= count
        named = call["kwargs"] or [{}] * count
        on = list(range(count)) if call["placed"] else [-1] * count
        expected[f"{name}.on"] = Exact(on, note=_words("on"))
        expected[f"{name}.has graph"] = Exact([True] * count, note=_words("has graph"))
        expected[f"{name}.strange"] = Exact("", note=_words("strange"))
        expected |= _true(f"{name}.all at once") | _none_left(f"{name}.threads left")
        for number, (module, args, kwargs) in enumerate(
            zip(modules, call["inputs"], named, strict=True)
        ):
            expected[f"{name}.{number}"] = _want(module(*args, **kwargs))
    return expected


EXPECT = {
    "apply": _apply,
    "stress": _stress,
    "fail": _fail,
    "refuse": _refuse,
    "shard": _shard,
    "join": _join,
    "beside": _side_by_side,
}

NOTES = {
    "devices untouched": (
        "the judge's devices were replaced",
        "评测用的设备被改动",
    ),
    "on": (
        "each shard runs on its own device, inside its scope(), once",
        "每个分片都应在自己设备的 scope() 里运行一次",
    ),
    "saw": (
        "the replicas did not get the shards that chunk makes of the arguments",
        "各副本收到的参数与 chunk 切出的分片不符",
    ),
    "grad mode": (
        "inside forward the grad mode is not that of the caller",
        "forward 里的梯度开关与调用者不一致",
    ),
    "has graph": (
        "whether the result has a graph is decided by the grad mode of the caller",
        "结果是否带计算图，由调用者的梯度开关决定",
    ),
    "own modules": (
        "two replicas are one module object",
        "两个副本是同一个模块对象",
    ),
    "notes": (
        "a replica does not have the structure of the module",
        "副本的结构与原模块不同",
    ),
    "put twice": (
        "a parameter was put more than once on one device",
        "同一个参数在一台设备上被 put 了多次",
    ),
    "put in vain": (
        "parameters were put on a device that gets no shard",
        "没有分到数据的设备也拷贝了参数",
    ),
    "lies on": (
        "the result does not lie on the output device",
        "结果不在输出设备上",
    ),
    "strange": (
        "an operator read a tensor that lies on another device",
        "有算子读取了别的设备上的张量",
    ),
    "parameters kept": (
        "the parameters of the module are no longer the same",
        "模块的参数被换掉或改动",
    ),
    "frozen": (
        "what needs no gradient gets none",
        "不需要梯度的参数不应得到梯度",
    ),
    "all at once": (
        "the replicas do not run at the same time",
        "各副本没有同时运行",
    ),
    "threads left": (
        "no thread is left",
        "没有遗留的线程",
    ),
    "message": (
        "the text of the exception contains the original one",
        "异常信息应包含原来的文字",
    ),
    "there": (
        "a shard does not lie on its device",
        "分片不在它的设备上",
    ),
}

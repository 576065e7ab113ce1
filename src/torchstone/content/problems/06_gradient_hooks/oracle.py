"""Know the truth of problem 06 from a rerun of the same script with a monitor that is trusted."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expectation, Expected, Holds
from torchstone.judge.kit.problem import load_module

ZOO = load_module(Path(__file__).with_name("probe.py"))
RELATIVE = 1e-5


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data = case.secret["data"]
    with warnings.catch_warnings():
        # PyTorch warns when a full backward hook is on a module whose inputs need no gradient.
        warnings.simplefilter("ignore")
        answer = ZOO.act(Rerun(Trusted, data, None))
    answer["fact.torch_itself_changed"] = []
    return {key: _expectation(key, value) for key, value in answer.items()}


def _expectation(key: str, value: Any) -> Expectation:
    if key.startswith("fact."):
        return Exact(FACTS[key], aspect=ASPECTS.get(key, "property"), note=NOTES.get(key))
    if key.startswith("report"):
        return _report(value)
    if isinstance(value, float):
        layer = key.partition(".value.")[2]
        wanted = {
            "en": f"max_abs()[{layer!r}] must be the float {value:.7g}",
            "zh": f"max_abs()[{layer!r}] 应为浮点数 {value:.7g}",
        }
        return Holds(lambda got: _close(value, got), wanted, aspect="value", truth=value)
    return Exact(value, aspect="value" if value is None else "property")


def _close(wanted: float, got: Any) -> bool:
    if type(got) is not float:
        return False
    if not math.isfinite(wanted):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    return abs(got - wanted) <= RELATIVE * abs(wanted)


def _report(truth: str) -> Holds:
    shown = truth if truth.count("\n") < 12 else "\n".join([*truth.splitlines()[:12], "..."])
    wanted = {"en": f"report() must be\n{shown}", "zh": f"report() 应为\n{shown}"}
    return Holds(_same_report(truth), wanted, aspect="value", truth=truth)


def _same_report(truth: str) -> Callable[[Any], bool]:
    def holds(got: Any) -> bool:
        if type(got) is not str:
            return False
        # One newline after the last line is nobody's mistake.
        lines, wanted = got.removesuffix("\n").split("\n"), truth.split("\n")
        return len(lines) == len(wanted) and all(map(_same_line, wanted, lines))

    return holds


def _same_line(wanted: str, got: str) -> bool:
    if wanted == got:
        return True
    head, _, number = wanted.rpartition(": ")
    if number in ("none", "nan", "inf"):
        return False
    if number == "0.000e+00":
        # The larger of -min and max is -0.0 where every gradient is 0.
        return got == f"{head}: -0.000e+00"
    # The last printed digit may fall either way when the value lies between two of them.
    digit = 10.0 ** (math.floor(math.log10(float(number))) - 3)
    return got in {f"{head}: {float(number) + step:.3e}" for step in (-digit, digit)}


FACTS: dict[str, Any] = {
    "fact.swallowed_by_exit": [],
    "fact.enter_returns_self": [True],
    "fact.left_on_modules": [],
    "fact.same_outputs": [],
    "fact.same_gradients": [],
    "fact.same_state": [],
    "fact.same_names": [],
    "fact.kept_alive": [],
    "fact.torch_itself_changed": [],
}

ASPECTS = {"fact.same_outputs": "value", "fact.same_gradients": "grad"}

NOTES = {
    "fact.swallowed_by_exit": {
        "en": "__exit__ swallowed the exception; it must return None or False",
        "zh": "`__exit__` 吞掉了异常；它应返回 None 或 False",
    },
    "fact.enter_returns_self": {
        "en": "__enter__ must return the monitor itself",
        "zh": "`__enter__` 应返回监视器自身",
    },
}


class Rerun(ZOO.Scene):  # type: ignore[misc]
    """Act out a script, but for the actions whose outcome is the same for every right monitor."""

    def remember(self) -> None: ...

    def refill(self, tensor: torch.Tensor, values: torch.Tensor) -> None:
        tensor.copy_(values)

    def compare(self) -> None:
        self.answer["fact.left_on_modules"] = []

    def transparency(self, index: int, seed: int) -> None:
        for kind in ("outputs", "gradients", "state", "names"):
            self.answer[f"fact.same_{kind}"] = []

    def leaks(self, index: int, ends: str) -> None:
        self.answer["fact.kept_alive"] = []


class Trusted:
    """Watch with hooks on the tensors that layers return.

    Full backward hooks cost twice as much; right answers of the bank that use them must agree.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        leaves = [(name, m) for name, m in model.named_modules() if not any(m.children())]
        self.values: dict[str, float | None] = {name: None for name, _ in leaves}
        self.watching = True
        self.handles = [m.register_forward_hook(self._watcher(name)) for name, m in leaves]

    def _watcher(self, name: str) -> Callable[..., None]:
        def see(gradient: torch.Tensor) -> None:
            # A graph that was built before `remove` still calls the hook.
            if self.watching and gradient.numel():
                self.values[name] = _larger(self.values[name], float(gradient.abs().max()))

        def watch(_module: Any, _inputs: Any, output: Any) -> None:
            for tensor in output if isinstance(output, tuple) else (output,):
                if tensor.requires_grad:
                    tensor.register_hook(see)

        return watch

    def max_abs(self) -> dict[str, float | None]:
        return dict(self.values)

    def report(self) -> str:
        return "\n".join(
            f"{name}: none" if value is None else f"{name}: {value:.3e}"
            for name, value in self.values.items()
        )

    def reset(self) -> None:
        self.values = dict.fromkeys(self.values)

    def remove(self) -> None:
        self.watching = False
        while self.handles:
            self.handles.pop().remove()

    def __enter__(self) -> Trusted:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def _larger(old: float | None, new: float) -> float:
    if old is None or math.isnan(new):
        return new
    return old if math.isnan(old) else max(old, new)

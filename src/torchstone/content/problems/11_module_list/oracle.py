"""Know the truth of problem 11: a Python list of names runs the same program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Raises, Want

ERRORS = {
    "IndexError": IndexError,
    "TypeError": TypeError,
    "NotImplementedError": NotImplementedError,
}
PATCHED = {
    "en": "an attribute of PyTorch's own classes was replaced",
    "zh": "PyTorch 自己的类的属性被替换了",
}
DERIVED = {
    "en": "the class derives from a class of torch other than nn.Module",
    "zh": "类派生自 nn.Module 以外的 torch 类",
}
State = dict[str, torch.Tensor]


class Item:
    """Stand for a module: a linear layer, or an empty list that is an item."""

    def __init__(self, name: str, *, is_linear: bool) -> None:
        self.name, self.is_linear = name, is_linear


class Registry:
    """Let a program edit a list by key."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __setitem__(self, key: str, item: Any) -> None:
        if int(key) == len(self.items):
            self.items.append(item)
        else:
            self.items[int(key)] = item


class Model:
    """Be the list, without modules: every operation is that of a Python list."""

    items: list[Any]

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        self.__dict__["items"] = [] if modules is None else self.checked(modules)

    @staticmethod
    def checked(modules: Iterable[Any]) -> list[Any]:
        items = list(modules)
        if not all(item is None or isinstance(item, Item) for item in items):
            raise TypeError("an item is no module")
        return items

    def __setattr__(self, key: str, item: Any) -> None:
        self.items[int(key)] = item

    def add_module(self, key: str, item: Any) -> None:
        self._modules[key] = item

    @property
    def _modules(self) -> Registry:
        return Registry(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __contains__(self, module: Any) -> bool:
        return any(item is module for item in self.items)

    def __getitem__(self, idx: Any) -> Any:
        found = self.items[idx]
        return Model(found) if isinstance(idx, slice) else found

    def __setitem__(self, idx: Any, module: Any) -> None:
        if isinstance(idx, slice):
            raise TypeError("a slice cannot be assigned to")
        self.items[idx] = self.checked([module])[0]

    def __delitem__(self, idx: Any) -> None:
        del self.items[idx]

    def append(self, module: Any) -> Model:
        return self.extend([module])

    def extend(self, modules: Iterable[Any]) -> Model:
        self.items.extend(self.checked(modules))
        return self

    def insert(self, index: Any, module: Any) -> None:
        self.items.insert(index, self.checked([module])[0])

    def pop(self, index: Any = -1) -> Any:
        return self.items.pop(index)

    def __add__(self, other: Iterable[Any]) -> Model:
        return Model([*self.items, *self.checked(other)])

    def __iadd__(self, other: Iterable[Any]) -> Model:
        return self.extend(other)

    def __call__(self, x: Any) -> Any:
        raise NotImplementedError


class Falsy:
    """Iterate over items once, and be False in a truth test."""

    def __init__(self, *items: Any) -> None:
        self.items = iter(items)

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return self.items


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data = case.secret["data"]
    items = {name: Item(name, is_linear=name in data["modules"]) for name in _names(data)}
    scope = _scope(items)
    expected: Expected = {"bases": Exact("", note=DERIVED)}
    for number, (line, raises) in enumerate(data["lines"], 1):
        came = _run(line, scope)
        if raises:
            assert isinstance(came, ERRORS[raises]), f"{line} ends in {came!r}"
            expected[f"line {number} raised"] = Raises(ERRORS[raises])
        else:
            assert not isinstance(came, Exception), f"{line} ends in {came!r}"
            expected[f"line {number} result"] = Exact(_describe(came))
        for name in data["lists"]:
            if name in scope:
                for part in data["parts"]:
                    value = _read(part, scope[name], items)
                    expected[f"line {number} {name}: {part}"] = Exact(value)
    if data["end"]:
        expected |= _end(data, scope["ml"])
    return expected | {"torch itself": Exact("", note=PATCHED)}


def final_names(data: dict[str, Any]) -> list[str]:
    """Return the names of the items that a program leaves in its list."""
    items = {name: Item(name, is_linear=name in data["modules"]) for name in _names(data)}
    scope = _scope(items)
    for line, _ in data["lines"]:
        _run(line, scope)
    return [_name(item) for item in scope["ml"]]


def builtin(case: Case) -> State:
    """Compute output and gradients with torch's own layers and autograd."""
    data = case.secret["data"]
    if not data["end"]:
        return {}
    names = [name for name in case.secret["final"] if name in data["modules"]]
    leaves = {
        f"{name}.{kind}": value.double().requires_grad_()
        for name in dict.fromkeys(names)
        for kind, value in data["modules"][name].items()
    }
    x = data["end"]["x"].double().requires_grad_()
    y = x
    for position, name in enumerate(names):
        entry = torch.tanh(y) if position else y
        y = torch.nn.functional.linear(entry, leaves[f"{name}.weight"], leaves[f"{name}.bias"])
    every = {"x": x, **leaves}
    gradients = torch.autograd.grad(y, list(every.values()), data["end"]["cotangent"].double())
    found = {f"end grad {name}": g for name, g in zip(every, gradients, strict=True)}
    return found | {"end out": y.detach()}


def _names(data: dict[str, Any]) -> list[str]:
    return [*data["modules"], *data["empty"]]


def _scope(items: dict[str, Item]) -> dict[str, Any]:
    return {"MyModuleList": Model, "Falsy": Falsy, "torch": torch, "nn": torch.nn, **items}


def _run(line: str, scope: dict[str, Any]) -> Any:
    try:
        if " = " in line or " += " in line or line.startswith("del "):
            exec(compile(line, "<program>", "exec"), scope)
            return None
        return eval(compile(line, "<program>", "eval"), scope)
    except Exception as error:  # noqa: BLE001  the program may demand it
        return error


def _name(item: Item | None) -> str:
    return "None" if item is None else item.name


def _row(items: Iterable[Any]) -> str:
    return " ".join(map(_name, items))


def _describe(value: Any) -> Any:
    if isinstance(value, Model):
        return f"MyModuleList [{_row(value.items)}]"
    return value.name if isinstance(value, Item) else value


def _read(part: str, model: Model, every: dict[str, Item]) -> Any:
    items = model.items
    if part == "len":
        return len(items)
    if part == "truth":
        return bool(items)
    if part in ("items", "by index"):
        return _row(items)
    if part in ("reversed", "by negative index"):
        return _row(reversed(items))
    if part == "members":
        present = [name for name, item in every.items() if model.__contains__(item)]
        return " ".join([*present, *(["None"] if None in items else [])])
    pairs = list(enumerate(items))
    if part == "registry":
        return " ".join(f"{position}={_name(item)}" for position, item in pairs)
    if part == "state_dict":
        return " ".join(_keys(items))
    first = {id(item): position for position, item in reversed(pairs) if item is not None}
    once = [(at, item) for at, item in pairs if item is not None and first[id(item)] == at]
    if part == "modules":
        return " ".join(["=itself", *(f"{at}={item.name}" for at, item in once)])
    assert part == "parameters", part
    return " ".join(
        f"{at}.{kind}={item.name}.{kind}"
        for at, item in once
        if item.is_linear
        for kind in ("weight", "bias")
    )


def _keys(items: Iterable[Item | None]) -> list[str]:
    return [
        f"{position}.{kind}"
        for position, item in enumerate(items)
        if item is not None and item.is_linear
        for kind in ("weight", "bias")
    ]


def _end(data: dict[str, Any], model: Model) -> Expected:
    """Expect what happens to the list as a part of a model, and what it computes."""
    items = [item for item in model.items if item is not None]
    names, once = [item.name for item in items if item.is_linear], dict.fromkeys(items)
    values = [value.reshape(-1) for name in names for value in data["modules"][name].values()]
    state = Want(torch.cat(values) if values else torch.empty(0), 0, torch.float32)
    registered = _read("parameters", model, {}).split()
    expected: Expected = {f"end {key}": Exact(True) for key in FACTS}
    expected |= {f"end {key}": state for key in STATES}
    expected |= {
        "end copy parameters": Exact(
            " ".join(f"layers.{pair.partition('=')[0]}" for pair in registered)
        ),
        "end unmatched keys": Exact([]),
        "end pickled": Exact(["ReLU", "Tanh"]),
        "end applied": Exact(_row(once)),
        "end eval": Exact(False),
        "end new lists": Exact([1, 0, 0]),
    }
    return expected | _computed(data["modules"], names, data["end"])


STATES = ("state", "copy", "not changed by the copy", "loaded")
FACTS = (
    "copy is independent",
    "copy is a MyModuleList",
    "applied to itself",
    "train",
    "frozen",
    "double",
    "meta",
    "new list is falsy",
)


def _computed(modules: dict[str, State], names: list[str], end: State) -> Expected:
    """Run the layers forward and back in float64; a shared layer adds its gradients up."""
    x, inputs = end["x"].double(), []
    y, scale = x, x.abs()
    for position, name in enumerate(names):
        inputs.append(torch.tanh(y) if position else y)
        weight, bias = (value.double() for value in modules[name].values())
        y = inputs[-1] @ weight.T + bias
        scale = inputs[-1].abs() @ weight.T.abs() + bias.abs()
    expected: Expected = {"end out": Want(y, 1e-5 * scale.max(), torch.float32)}
    g, sums, scales = end["cotangent"].double(), dict[str, Any](), dict[str, Any]()
    reach = g.abs()
    for position in reversed(range(len(names))):
        name, entry = names[position], inputs[position]
        weight = modules[name]["weight"].double()
        parts = {"weight": (g.T @ entry, reach.T @ entry.abs()), "bias": (g.sum(0), reach.sum(0))}
        for kind, (value, size) in parts.items():
            key = f"{name}.{kind}"
            sums[key] = sums.get(key, 0) + value
            scales[key] = scales.get(key, 0) + size
        slope = 1 - entry**2 if position else torch.ones_like(entry)
        g, reach = (g @ weight) * slope, (reach @ weight.abs()) * slope
    sums["x"], scales["x"] = g, reach
    for key, value in sums.items():
        limit = 1e-3 * scales[key].max()
        expected[f"end grad {key}"] = Want(value, limit, torch.float32, aspect="grad")
    return expected

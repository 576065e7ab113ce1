"""Fields of problem 37, and what a submission makes of them.

A field is a plain function that hides its constants; `counted` notes what it was asked. The cases
and the oracle compute with the same fields in float64.

Legend: x points, v unit directions, c constants of a field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor
Constants = dict[str, Tensor]
Field = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]

tanh, exp, sigmoid = torch.tanh, torch.exp, torch.sigmoid
softplus = torch.nn.functional.softplus
FIELDS_OF_RESULT = ("color", "depth", "opacity", "weights", "transmittance", "t")
# What a march differentiates; a list of samples has no gradient.
DIFFERENTIATED = FIELDS_OF_RESULT[:-1]


def colour(x: Tensor, v: Tensor, c: Constants) -> Tensor:
    """Return colours that depend on the place and on the direction."""
    return sigmoid(x @ c["of_place"] + v @ c["of_view"] + c["bias"])


def blob(x: Tensor, v: Tensor, c: Constants) -> tuple[Tensor, Tensor]:
    """Return a ball of Gaussian density."""
    squared = ((x - c["centre"]) ** 2).sum(-1) / c["width"] ** 2
    return c["amount"] * exp(-squared / 2), colour(x, v, c)


def network(x: Tensor, v: Tensor, c: Constants) -> tuple[Tensor, Tensor]:
    """Return what a small network makes of the points."""
    return softplus(tanh(x @ c["hidden"]) @ c["last"] + c["level"]), colour(x, v, c)


def fog(x: Tensor, v: Tensor, c: Constants) -> tuple[Tensor, Tensor]:
    """Return a constant medium."""
    return c["amount"].expand(x.shape[:-1]), colour(x, v, c)


SCENES: dict[str, Callable[[Tensor, Tensor, Constants], tuple[Tensor, Tensor]]] = {
    "blob": blob,
    "network": network,
    "fog": fog,
}

# The outputs of the last `large` request, until rows of them are asked for.
LAST: dict[str, Tensor] = {}


def counted(scene: str, constants: Constants) -> tuple[Field, list[tuple[Any, Any]]]:
    """Return a field, and the list of what it is called with."""
    function: Any = SCENES[scene]
    seen: list[tuple[Any, Any]] = []

    def field(x: Tensor, view_dirs: Tensor) -> tuple[Tensor, Tensor]:
        seen.append((x, view_dirs))
        found: tuple[Tensor, Tensor] = function(
            x, view_dirs, {name: each.to(x.dtype) for name, each in constants.items()}
        )
        return found

    return field, seen


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer ``march``, ``large`` or ``rows``."""
    work = {"march": march, "large": large, "rows": rows}[op]
    return work(submission, data, tools)


class Watch:
    """Compare what was passed to a submission with what it was before.

    What is differentiated requires a gradient from here on.
    """

    def __init__(self, data: dict[str, Any], tools: Any) -> None:
        self.tools = tools
        given = {name: data[name] for name in ("origins", "dirs")} | data["constants"]
        others = {name: data[name] for name in ("near", "far", "u_coarse", "u_fine", "background")}
        tensors = {name: each for name, each in others.items() if isinstance(each, Tensor)}
        self.given = given | tensors
        for name in data["wrt"]:
            self.given[name].requires_grad_()
        self.flags = self._flags()
        self.storages = [tools.storage_snapshot(each) for each in self.given.values()]
        self.state = tools.global_state()

    def _flags(self) -> list[bool]:
        return [each.requires_grad for each in self.given.values()]

    def look(self, key: str) -> dict[str, Any]:
        """Return whether flags and ``.grad`` are as before; raise where anything else is not."""
        tools, tensors = self.tools, list(self.given.values())
        tools.same_state(self.state)
        pairs = zip(tensors, self.storages, strict=True)
        if any(tools.storage_changed(each, before) for each, before in pairs):
            raise tools.Fault(key)
        no_grad_left = all(each.grad is None for each in tensors)
        return {"flags": self._flags() == self.flags, "no_grad_left": no_grad_left}


def march(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """March once, and once more after everything was overwritten where ``again`` is."""
    field, seen = counted(data["scene"], data["constants"])
    watch = Watch(data, tools)
    found = _marched(submission, field, seen, data, watch, tools)
    found |= watch.look("backward_mutated")
    if "again" in data:
        for name, values in data["again"].items():
            tools.refill(watch.given[name], values)
        seen.clear()
        other = data | {"cotangents": data["cotangents_again"]}
        watch.storages = [tools.storage_snapshot(each) for each in watch.given.values()]
        again = _marched(submission, field, seen, other, watch, tools)
        found |= {f"again:{key}": item for key, item in again.items()}
    return found


def _marched(
    submission: Any, field: Field, seen: list[Any], data: dict[str, Any], watch: Watch, tools: Any
) -> dict[str, Any]:
    ends = [data[name] for name in ("origins", "dirs", "near", "far")]
    options = {name: data[name] for name in data["options"]}
    outside = watch.state
    with torch.set_grad_enabled(data["grad_mode"]):
        watch.state = tools.global_state()
        result = submission.march_rays(field, *ends, **options)
        watch.look("call_mutated")
    watch.state = outside
    names = list(getattr(result, "_fields", ())) if isinstance(result, tuple) else []
    if tuple(names) != FIELDS_OF_RESULT:
        return {"fields": [str(name) for name in names], "calls": len(seen)}
    found: dict[str, Any] = {"fields": names, "calls": len(seen)}
    for place, (x, view_dirs) in enumerate(seen[:2]):
        found |= {f"x.{place}": tools.plain(x), f"view_dirs.{place}": tools.plain(view_dirs)}
    outputs = dict(zip(names, result, strict=True))
    found |= {name: tools.plain(item) for name, item in outputs.items()}
    found["t_has_graph"] = bool(isinstance(outputs["t"], Tensor) and outputs["t"].requires_grad)
    given = {name: watch.given[name] for name in data["wrt"]}
    return found | products(outputs, data["cotangents"], given, tools)


def products(
    outputs: dict[str, Any], cotangents: dict[str, Tensor], given: dict[str, Tensor], tools: Any
) -> dict[str, Any]:
    """Return vector-Jacobian products; None where nothing leads to a leaf."""
    if not given:
        return {}
    pairs = [
        (outputs[name], g)
        for name, g in cotangents.items()
        if isinstance(outputs[name], Tensor)
        and outputs[name].requires_grad
        and (outputs[name].shape, outputs[name].dtype) == (g.shape, g.dtype)
    ]
    found: list[Any] = [None] * len(given)
    if pairs:
        ys, gs = (list(each) for each in zip(*pairs, strict=True))
        found = tools.vjp(ys, list(given.values()), gs)
    return {
        f"grad.{name}": None if product is None else tools.plain(product)
        for name, product in zip(given, found, strict=True)
    }


def large(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Composite many rays and differentiate; what comes of it waits for `rows`."""
    given = {name: data[name].requires_grad_() for name in ("sigma", "rgb", "t")}
    result = submission.composite(*given.values(), data["far"], data["background"])
    if not isinstance(result, tuple) or len(result) != len(FIELDS_OF_RESULT):
        return {"fields": len(result) if isinstance(result, tuple) else 0}
    outputs = dict(zip(FIELDS_OF_RESULT, result, strict=True))
    LAST.clear()
    LAST.update({name: item for name, item in outputs.items() if isinstance(item, Tensor)})
    found = products(outputs, data["cotangents"], given, tools)
    LAST.update({name: item for name, item in found.items() if isinstance(item, Tensor)})
    return {"fields": len(outputs)}


def rows(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Return rows of what `large` came to, which nobody knew before."""
    num_rays = data["num_rays"]
    found = {}
    for name, item in LAST.items():
        is_whole = item.ndim > 0 and len(item) == num_rays
        found[name] = tools.plain(item.detach()[data["rows"]] if is_whole else item)
    LAST.clear()
    return found

"""Draw the scenes of problem 40: models whose layers take planted times.

A layer is its class and a program; `probe.py` runs the programs, and the oracle counts in them.
Times are short, since they pass in full: 1.5 to 2.5 ms each. What counts twice must exceed one and
a half times that and 0.3 ms, or what the caller waited and 0.3 ms.
"""

from __future__ import annotations

from typing import Any

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "perf")

Program = list[list[Any]]
Scene = dict[str, Any]


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [{"scene": "levels"}, {"transparent": True}]
    if group == "small":
        refusals = [{"refused": -draw.integer(1, 3)}]
        return [*({"scene": name} for name in ("shared", "at_once", "two", "five")), *refusals]
    if group == "edge":
        return [{"scene": name} for name in ("recursion", "caught", "escaping", "owners", "names")]
    return [{"large": [100, 800], "steps": 4}]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the times of a scene, and its input."""
    x = draw.normal([2, 4])
    if "scene" in params:
        data = SCENES[params["scene"]](draw) | {"x": x}
        shown = {name: f"{kind} {program}" for name, (kind, program) in data["layers"].items()}
        return _case("scene", data, {"warmup": data["warmup"], "uses": data["uses"]} | shown)
    if "transparent" in params:
        layers = {name: [draw.normal([4, 4]), draw.normal([4])] for name in ("first", "last")}
        return _case("transparent", {"x": x, "cotangent": draw.normal([2, 4]), **layers})
    if "refused" in params:
        return _case("refused", {"warmup": params["refused"]})
    return _case("large", {"x": x, "counts": params["large"], "steps": params["steps"]})


def _case(op: str, data: dict[str, Any], shown: dict[str, Any] | None = None) -> Case:
    return Case(steps=(Request(op=op, data=data),), secret={"op": op, "data": data}, shown=shown)


def _scene(
    layers: dict[str, tuple[str, Program]],
    uses: list[dict[str, Any]],
    *,
    warmup: int | None = 0,
    aliases: dict[str, str] | None = None,
    is_eval: bool = False,
    slow_parameter: str = "",
) -> Scene:
    return {
        "layers": {name: list(layer) for name, layer in layers.items()},
        "aliases": aliases or {},
        "warmup": warmup,
        "uses": uses,
        "is_eval": is_eval,
        "slow_parameter": slow_parameter,
    }


def _use(
    steps: int,
    ended: int,
    *,
    has_grad: bool = True,
    loss_ms: float = 0.0,
    backwards: int = 1,
    rounds: int = 1,
) -> dict[str, Any]:
    """Return a use of the profiler: so many steps, of which so many are ended.

    The backward of the loss, which is outside of the model, may take a time, too. Backward may go
    through a graph more than once.
    """
    loss = {"has_backward": has_grad, "loss_ms": loss_ms, "backwards": backwards}
    return {"steps": steps, "ended": ended, "rounds": rounds, "has_grad": has_grad, **loss}


def _ms(draw: Draw) -> float:
    return draw.integer(15, 25) / 10


def _way(draw: Draw) -> str:
    return draw.choice(["sleep", "busy"])


def _levels(draw: Draw) -> Scene:
    """Return three levels, with times in the root, in a child and in a grandchild."""
    a, b, d = (_ms(draw) for _ in range(3))
    layers = {
        "": (
            "Model",
            [
                ["wait", _way(draw), a],
                ["call", "stage"],
                ["op", "add"],
                ["call", "act"],
                ["call", "head"],
            ],
        ),
        "stage": ("Stage", [["call", "stage.first"], ["call", "stage.second"], ["op", "relu"]]),
        "stage.first": ("Block", [["node", "sleep", b, _ms(draw)], ["op", "mul"]]),
        "stage.second": (
            "Block",
            [["op", "mul"], ["call", "stage.second.inner"], ["call", "stage.second.fc"]],
        ),
        "stage.second.inner": ("Block", [["wait", "busy", d], ["op", "matmul"], ["op", "softmax"]]),
        "stage.second.fc": ("Linear", []),
        "act": ("ReLU", []),
        "head": ("Linear", []),
        "idle": ("LayerNorm", []),
    }
    return _scene(layers, [_use(1, 1)])


def _shared(draw: Draw) -> Scene:
    """Return a layer under two names; the first step, which is not recorded, is slow."""
    warm = ["at", 0, ["wait", _way(draw), _ms(draw)]]
    later = ["at", 1, ["wait", _way(draw), _ms(draw)]]
    layers = {
        "": ("Model", [["call", "first"], ["call", "second"], ["call", "norm"]]),
        "first": ("Stage", [["call", "first.core"], warm]),
        "first.core": ("Block", [["op", "tanh"], ["op", "add"]]),
        "second": ("Stage", [["call", "first.core"], ["call", "first.core"], later]),
        "norm": ("LayerNorm", []),
    }
    aliases = {"second.core": "first.core"}
    return _scene(layers, [_use(2, 1)], warmup=None, aliases=aliases, slow_parameter="norm")


def _at_once(draw: Draw) -> Scene:
    """Return uses without warm-up: one that ends no step, and one without gradients."""
    layers = {
        "": ("Model", [["call", "fc"], ["call", "body"], ["op", "add"]]),
        "fc": ("Linear", []),
        "body": (
            "Block",
            [["at", 1, ["wait", _way(draw), _ms(draw)]], ["op", "layer_norm"]],
        ),
        "soft": ("Softmax", []),
    }
    return _scene(layers, [_use(1, 0), _use(4, 4, has_grad=False)], is_eval=True)


def _two(draw: Draw) -> Scene:
    """Return a warm-up of two steps, twice."""
    layers = {
        "": ("Model", [["call", "gate"], ["call", "slow"], ["call", "act"], ["call", "slow"]]),
        "slow": ("Block", [["at", 2, ["node", _way(draw), 1.5, 1.6]], ["op", "mul"]]),
        "gate": ("Block", [["at", 1, ["op", "tanh"]], ["op", "mul"], ["at", 2, ["op", "softmax"]]]),
        "act": ("GELU", []),
    }
    ended = draw.integer(4, 5)
    return _scene(layers, [_use(ended, ended), _use(3, 2, rounds=2)], warmup=2)


def _five(draw: Draw) -> Scene:
    """Return a warm-up of five steps, which the first use does not get through."""
    layers = {
        "": ("Model", [["call", "only"], ["op", "view"]]),
        "only": ("Linear", []),
    }
    return _scene(layers, [_use(3, 3), _use(7, 6)], warmup=5)


def _recursion(draw: Draw) -> Scene:
    """Return a layer that calls itself, and one that calls itself by way of its child."""
    inner = ["deep", 2, ["wait", "busy", _ms(draw)]]
    wait = ["wait", _way(draw), _ms(draw)]
    layers = {
        "": ("Model", [["call", "twin"], ["call", "loop"]]),
        "twin": ("Repeat", [["op", "mul"], inner, ["below", 2, ["call", "twin"]], ["op", "tanh"]]),
        "loop": (
            "Repeat",
            [["below", 3, ["call", "loop.middle"]], ["deep", 3, wait], ["op", "mul"]],
        ),
        "loop.middle": ("Block", [["op", "relu"], ["call", "loop"]]),
    }
    return _scene(layers, [_use(1, 1)])


def _caught(draw: Draw) -> Scene:
    """Return a model that goes on after the failure of a part."""
    layers = {
        "": (
            "Model",
            [
                ["try", "risky"],
                ["call", "after"],
                ["at", 1, ["wait", _way(draw), _ms(draw)]],
                ["op", "add"],
            ],
        ),
        "risky": ("Stage", [["call", "risky.inner"]]),
        "risky.inner": ("Block", [["fail"]]),
        "after": ("Stage", [["call", "after.fc"], ["op", "tanh"]]),
        "after.fc": ("Linear", []),
    }
    return _scene(layers, [_use(2, 2)])


def _escaping(draw: Draw) -> Scene:
    """Return a model whose second step fails; the profiler is used again afterwards."""
    layers = {
        "": ("Model", [["call", "fc"], ["call", "part"], ["op", "add"]]),
        "fc": ("Linear", []),
        "part": ("Stage", [["call", "part.inner"], ["op", "relu"]]),
        "part.inner": ("Block", [["op", "mul"], ["at", 1, ["fail"]]]),
    }
    return _scene(layers, [_use(2, 2), _use(1, draw.integer(0, 1))])


def _owners(draw: Draw) -> Scene:
    """Return nodes of one name; the layer between them only runs operators without a node.

    So does the model before the loss, which has the slowest node of all.
    """
    first, third, fourth = (f"{draw.choice('abcd')}{number}" for number in (1, 3, 4))
    layers = {
        "": (
            "Model",
            [
                ["call", first],
                ["call", "between"],
                ["call", third],
                ["aside", fourth],
                ["op", "add"],
                ["loose"],
            ],
        ),
        first: ("Block", [["node", "busy", 0, 0]]),
        "between": ("Block", [["loose"]]),
        third: ("Block", [["node", _way(draw), 0, _ms(draw)]]),
        fourth: ("Block", [["node", "busy", 0, 2.5]]),
    }
    return _scene(layers, [_use(1, 1, loss_ms=2.5)])


def _names(draw: Draw) -> Scene:
    """Return layers whose names begin with each other's, and once more what the others check."""
    slow = draw.integer(10, 19)
    calls: Program = [["call", f"layer{number}"] for number in range(1, 24)]
    calls.insert(5, ["try", "layer24"])
    layers: dict[str, tuple[str, Program]] = {"": ("Model", calls)}
    for number in range(1, 25):
        layers[f"layer{number}"] = ("Block", [["op", ("mul", "tanh", "softmax")[number % 3]]])
    layers["layer1"][1].append(["node", "busy", 0, 0])
    layers[f"layer{slow - 1}"][1].append(["loose"])
    node = ["node", _way(draw), _ms(draw), _ms(draw)]
    again = ["below", 2, ["call", f"layer{slow}"]]
    # With an operator of its own: a tree of FunctionEvents drops an only child of the same name.
    before = ["deep", 2, ["call", f"layer{slow - 1}"]]
    layers[f"layer{slow}"] = ("Repeat", [["op", "mul"], before, ["deep", 2, node], again])
    layers["layer24"] = ("Block", [["fail"]])
    return _scene(layers, [_use(1, 1, backwards=2)], aliases={"layer25": "layer3"})


SCENES = {
    "levels": _levels,
    "shared": _shared,
    "at_once": _at_once,
    "two": _two,
    "five": _five,
    "recursion": _recursion,
    "caught": _caught,
    "escaping": _escaping,
    "owners": _owners,
    "names": _names,
}

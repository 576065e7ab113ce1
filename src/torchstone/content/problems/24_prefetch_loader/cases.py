"""Draw batches, consumers and devices for the prefetching loader."""

import torch

from torchstone.judge.kit import Case, Request

GROUPS = (
    "sample",
    "structure",
    "depth",
    "edge",
    "hazard",
    "switch",
    "pin",
    "error",
    "leak",
)
# Looks, a second apart, at which no thread runs before one waits for ever: there are no processes
# here that the loader of PyTorch would look after. A leak is waited for as often as four times.
PATIENCE = 2


def plan(group, draw):
    return PLANS[group](draw)


def sample(draw):
    return [runs(run("pair", 4), run("single", 5, depth=2))]


def structure(draw):
    kinds = ("single", "pair", "nested", "named", "list", "plain", "flags")
    return [runs(*(run(kind, 4, depth=draw.integer(1, 2)) for kind in kinds))]


def depth(draw):
    return [
        runs(run("pair", 6, settle=True), run("pair", 8, depth=2, settle=True, pause=0.02)),
        runs(run("nested", 8, depth=3, settle=True)),
    ]


def edge(draw):
    return [
        {"op": "arguments", "depths": [0, -1, 1, 3], "length": draw.integer(2, 50)},
        runs(
            run("pair", 0),
            run("pair", 1, depth=3),
            run("nested", 3, passes=[None, None, None]),
            run("pair", 4, depth=2, passes=[2, None], sized=True),
        ),
    ]


def hazard(draw):
    return [
        runs(run("pair", draw.integer(9, 12)), run("nested", 10, depth=2)),
        runs(run("single", 12, depth=3, passes=[None, None])),
    ]


def switch(draw):
    return [
        runs(
            run("pair", 10, streams=2),
            run("nested", 10, depth=2, streams=3),
            run("single", 12, streams=12),
        )
    ]


def pin(draw):
    return [
        runs(run("nested", 6, depth=2), run("pair", 8, by_default=True)),
        runs(run("nested", 6, depth=2, pin=False), run("pair", 8, pin=False)),
    ]


def error(draw):
    ends = ((1, 3), (2, 3), (3, 4), (2, 0), (1, 1), (3, 2))
    kinds = ("LoaderError", "RuntimeError", "ValueError", "OSError", "EOFError", "TimeoutError")
    of_places = [run("pair", 6, depth=depth, error_at=at) for depth, at in ends]
    # Every kind at the beginning and in the middle, with no batch ahead of it and with several.
    of_kinds = [
        run("pair", 4, depth=depth, error_at=at, error=kind)
        for kind in (*kinds[1:], "Empty", "Full", "IndexError")
        for depth, at in ((2, 0), (1, 2))
    ]
    return [runs(*of_places), runs(*of_kinds)]


def leak(draw):
    return [
        runs(
            run("pair", 5, passes=[None, 2, 0, 1], leak=True),
            run("pair", 3, depth=2, passes=[2, 1, 3], leak=True, endless=True),
        )
    ]


PLANS = {
    each.__name__: each
    for each in (sample, structure, depth, edge, hazard, switch, pin, error, leak)
}


def run(kind, count, **more):
    """Describe a loader of so many batches, and what the consumer does with it.

    With ``by_default`` the arguments are those that the constructor has if none is given.
    """
    return {"batch": kind, "count": count, "depth": 1, "pin": True} | more


def runs(*each):
    """Put several runs into one case: they share a process."""
    return {"op": "pass", "runs": list(each)}


def build(group, params, draw):
    data = {name: value for name, value in params.items() if name != "op"}
    shown = data
    if params["op"] == "pass":
        shown = {f"run {number}": written(each) for number, each in enumerate(params["runs"])}
        data = {"runs": [drawn(each, draw) for each in params["runs"]]}
    steps = (Request(op=params["op"], data={**data, "patience": PATIENCE}),)
    return Case(steps=steps, secret={**data, "group": group, "op": params["op"]}, shown=shown)


def drawn(run, draw):
    make = BATCHES[run["batch"]]
    batches = [make(number, draw) for number in range(run["count"])]
    kept = {name: value for name, value in run.items() if name not in ("batch", "count")}
    return kept | {"batches": batches}


def written(run):
    return ", ".join(f"{name}={value!r}" for name, value in run.items())


def shrink(params):
    """Propose single runs, then fewer batches."""
    if params["op"] != "pass":
        return
    if len(params["runs"]) > 1:
        yield from (runs(each) for each in params["runs"])
        return
    (only,) = params["runs"]
    if only["count"] > 2:
        yield runs({**only, "count": only["count"] - 1})
    if only["depth"] > 1:
        yield runs({**only, "depth": only["depth"] - 1})


def floats(draw, *shape, dtype=torch.float32):
    return ["tensor", draw.normal(list(shape), dtype)]


def labels(draw, *shape):
    return ["tensor", draw.integers(list(shape), 0, 1 << 40, torch.int64)]


def single(number, draw):
    return floats(draw, 2, 3)


def pair(number, draw):
    return ["tuple", [floats(draw, 3, 2), labels(draw, 3)]]


def nested(number, draw):
    inner = ["dict", {"b": labels(draw, 2), "a": ["list", [floats(draw, 4), ["value", None]]]}]
    mask = ["tensor", draw.integers([24], 0, 2, torch.int64).bool()]
    return [
        "dict",
        {
            "image": ["transposed", draw.normal([2, 3], torch.float32)],
            "meta": inner,
            "mask": mask,
            "name": ["value", f"sample {number}"],
            "scale": floats(draw, dtype=torch.float64),
        },
    ]


def named(number, draw):
    return ["pair", [floats(draw, 2), ["tuple", [labels(draw, 2, 1), ["value", number]]]]]


def listed(number, draw):
    # The length differs from batch to batch.
    return ["list", [floats(draw, 2) for _ in range(1 + number % 3)]]


def plain(number, draw):
    return ["dict", {"ids": ["list", [["value", number], ["value", "x"]]], "none": ["value", None]}]


def flags(number, draw):
    items = [["value", True], floats(draw, 1, dtype=torch.bfloat16), ["list", []], ["dict", {}]]
    return ["tuple", [*items, ["tuple", [labels(draw)]]]]


BATCHES = {
    "single": single,
    "pair": pair,
    "nested": nested,
    "named": named,
    "list": listed,
    "plain": plain,
    "flags": flags,
}

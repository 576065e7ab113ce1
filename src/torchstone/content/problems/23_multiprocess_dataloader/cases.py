"""Cases of the loader: what comes, in which order, from which process, and what is left."""

from torchstone.judge.kit import Case, Request

GROUPS = (
    "value",
    "order",
    "shuffle",
    "process",
    "random",
    "pressure",
    "error",
    "errors",
    "concurrent",
    "leak",
    "timeout",
    "crash",
    "orphan",
)
SIZES, BATCHES = (0, 1, 7, 16), (1, 3, 4)
ALONE = [
    [size, batch, drop, 0, kind]
    for size in SIZES
    for batch in BATCHES
    for drop in (False, True)
    for kind in ("nested", "plain")
]
# No thread moves for so many seconds before that is a hang: an answer may look every five.
PATIENCE = 9


def plan(group, draw):
    return PLANS[group](draw)


def _value(draw):
    runs = [[16, 3, False, 3, "nested"], [7, 4, False, 2, "nested"], [1, 3, False, 1, "nested"]]
    runs += [[0, 2, False, 1, "plain"], [7, 3, True, 1, "plain"], [16, 4, True, 2, "plain"]]
    runs += [[1, 4, True, 1, "plain"]]
    left_out = {"op": "defaults", "size": 9}
    return [{"op": "value", "runs": ALONE}, left_out, {"op": "value", "runs": runs}]


def _order(draw):
    return [
        {"op": "order", "workers": 2, "batch_size": 1, "size": 12, "gates": {"0": 1, "4": 5}},
        {"op": "order", "workers": 3, "batch_size": 2, "size": 18, "gates": {"0": 3}},
    ]


def _shuffle(draw):
    return [
        {"op": "shuffle", "size": 60, "workers": [0, 2]},
        {"op": "new_epoch", "size": 40, "workers": [0, 2], "of": "order"},
    ]


def _process(draw):
    return [
        {"op": "process", "size": 24, "workers": 2},
        {"op": "process", "size": 18, "workers": 3},
        # Two batches: the third worker has nothing to do.
        {"op": "process", "size": 4, "workers": 3},
    ]


def _random(draw):
    return [
        {"op": "random", "size": 12, "workers": 2},
        {"op": "new_epoch", "size": 40, "workers": [2], "of": "draws"},
    ]


def _pressure(draw):
    return [
        {"op": "pressure", "workers": 2, "depth": 2},
        {"op": "pressure", "workers": 3, "depth": 1},
    ]


def _error(draw):
    base = {"where": "sample", "kind": "value", "after": None, "workers": 2}
    at = draw.integer(3, 7)
    runs = [
        base | {"at": at},
        base | {"at": at, "kind": "two"},
        base | {"at": at, "kind": "key", "workers": 1},
        base | {"at": at, "where": "collate"},
        base | {"at": 0, "where": "init"},
        base | {"at": 2, "after": 0},
        # What a reader of pipes and queues may take for the end of a worker, or of the data.
        *(base | {"at": at, "kind": kind} for kind in ("os", "eof", "empty", "index")),
    ]
    return [{"op": "error", "runs": runs}, {"op": "direct_error"}]


def _leak(draw):
    return [{"op": "leak", "size": 4}]


def _timeout(draw):
    stuck = [0.0, 0.0, 30.0, 0.0, 0.0, 0.0]
    shared = {"op": "timeout", "timeout": 0.2}
    return [
        {**shared, "workers": 2, "seconds": stuck, "pause": 0.0, "good": 2},
        # No batch takes as long as the limit, all of them together do.
        {**shared, "workers": 1, "seconds": [0.05] * 6, "pause": 0.03, "good": 6},
    ]


def _crash(draw):
    at = draw.integer(3, 9)
    runs = [
        {"how": "kill", "at": at, "workers": 2},
        {"how": "exit", "at": at + 1, "workers": 2},
        {"how": "segv", "at": at, "workers": 1},
        {"how": "idle", "at": 0, "workers": 1},
    ]
    return [{"op": "crash", "runs": runs}]


PLANS = {
    "value": _value,
    "order": _order,
    "shuffle": _shuffle,
    "process": _process,
    "random": _random,
    "pressure": _pressure,
    "error": _error,
    "errors": lambda draw: [{"op": "refused"}],
    "concurrent": lambda draw: [{"op": "concurrent"}],
    "leak": _leak,
    "timeout": _timeout,
    "crash": _crash,
    "orphan": lambda draw: [{"op": "orphan", "workers": 2}],
}
ADDED = {
    "value": lambda params, draw: {"base": draw.integer(100, 10**6)},
    "defaults": lambda params, draw: {"base": draw.integer(100, 10**6)},
    "shuffle": lambda params, draw: {"keys": _keys(draw)},
    "new_epoch": lambda params, draw: {"seed": draw.integer(0, 10**6)},
    "random": lambda params, draw: {"passes": _passes(params["workers"], draw)},
    "error": lambda params, draw: {"runs": [run | _words(run, draw) for run in params["runs"]]},
    "concurrent": lambda params, draw: {"seed": draw.integer(0, 10**6)},
}


def _keys(draw):
    # The same key comes again: without set_epoch, and by it.
    seed = draw.integer(1, 10**5)
    return [[seed, [None, None, 1, 0]], [seed + draw.integer(1, 10**5), [None]]]


def _passes(workers, draw):
    seed = draw.integer(1, 10**5)
    other = seed + draw.integer(1000, 10**5)
    # In the first pass one worker makes the second batch and another one the third. In the second
    # pass one worker makes both, unless each worker has batches of its own.
    return [
        [seed, 0, workers, {"2": 5}],
        [seed, 0, workers, {"0": 7}],
        [seed, 1, workers, {}],
        [other, 0, workers, {}],
    ]


def _words(run, draw):
    names = {"sample": ["read_the_page"], "collate": ["__call__"], "init": ["__call__"]}
    return {
        "size": 16,
        "word": f"page {draw.integer(10**6, 10**9)}",
        "names": names[run["where"]],
    }


def build(group, params, draw):
    op = params["op"]
    data = {name: item for name, item in params.items() if name != "op"}
    data |= ADDED.get(op, lambda params, draw: {})(params, draw)
    secret = {**data, "op": op}
    shown = {name: item for name, item in params.items() if name not in ("runs", "gates")}
    if "runs" in params:
        shown["runs"] = _in_short(op, params["runs"])
    request = Request(op=op, data={**data, "patience": PATIENCE})
    return Case(steps=(request,), secret=secret, shown=shown)


def _in_short(op, runs):
    if op == "value":
        return f"{len(runs)} loaders"
    names = (run["how"] if op == "crash" else f"{run['where']} {run['kind']}" for run in runs)
    return ", ".join(f"{name} at {run['at']}" for name, run in zip(names, runs, strict=True))


def shrink(params):
    runs = params.get("runs", [])
    if len(runs) > 1:
        half = len(runs) // 2
        yield {**params, "runs": runs[:half]}
        yield {**params, "runs": runs[half:]}

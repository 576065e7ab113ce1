"""Cases of the streaming dataset: shards, bounds, orders, epochs and bad arguments."""

from torchstone.judge.kit import Case, Request

GROUPS = ("sample", "small", "bound", "edge", "order", "persistent", "statistics", "large")
WORLDS = [(world, rank) for world in (1, 2, 3) for rank in range(world)]
SMALL = [
    [world, rank, size, buffer]
    for world, rank in WORLDS
    for size in range(7)
    for buffer in (0, 1, 2, 4)
]
# World size, rank, size, buffer.
EDGE = [[1, 0, 0, 3], [3, 1, 2, 0], [3, 2, 2, 4], [1, 0, 9, 9], [1, 0, 9, 50], [2, 1, 9, 1]]


def plan(group, draw):
    if group == "sample":
        return [
            {"op": "shards", "workers": 0, "streams": [[1, 0, 20, 0]]},
            {"op": "shards", "workers": 2, "streams": [[1, 0, 20, 0]]},
        ]
    if group == "small":
        return [{"op": "shards", "workers": workers, "streams": SMALL} for workers in (0, 1, 2, 3)]
    if group == "edge":
        return [
            {"op": "shards", "workers": 0, "streams": EDGE},
            {"op": "shards", "workers": 3, "streams": EDGE},
            {"op": "defaults", "buffer": 5, "size": 30},
            {"op": "passes", "buffer": 0, "size": 8},
            {"op": "passes", "buffer": 3, "size": 8},
            {"op": "failing", "buffer": 0, "at": [-1, 0, 5]},
            {"op": "failing", "buffer": 1, "at": [0, 5]},
            {"op": "failing", "buffer": 4, "at": [-1, 0, 2, 7]},
            {"op": "objects", "buffer": 0},
            {"op": "objects", "buffer": 3},
            {"op": "refused"},
        ]
    if group == "bound":
        return [
            {"op": "bound", "workers": 0, "buffer": 0, "at": [1, 0], "outputs": 200},
            {"op": "bound", "workers": 0, "buffer": 1, "at": [3, 2], "outputs": 200},
            {"op": "bound", "workers": 0, "buffer": 16, "at": [2, 1], "outputs": 200},
            {"op": "bound", "workers": 2, "buffer": 5, "at": [2, 0], "outputs": 40},
        ]
    if group == "order":
        return [{"op": "orders", "buffer": 16, "size": 160, "num_shards": 4}]
    if group == "persistent":
        return [{"op": "persistent", "buffer": 8, "size": 60, "workers": 2, "epochs": [None, 2, 1]}]
    if group == "statistics":
        return [
            {"op": "statistics", "buffer": 6, "size": 12, "which": "first"},
            {"op": "statistics", "buffer": 10, "size": 6, "which": "last"},
        ]
    return [{"op": "large", "buffer": 1000, "size": 1_000_000, "at": [4, 1]}]


def build(group, params, draw):
    data = {name: value for name, value in params.items() if name != "op"}
    data["base"] = draw.integer(10**9, 10**12)
    data["seed"] = draw.integer(0, 2**31)
    if params["op"] == "orders":
        data["seeds"] = [data["seed"], data["seed"] + 1]
        # No float32 tells the last two apart.
        data["epochs"] = [0, 2**24, 2**24 + 1]
    if params["op"] == "statistics":
        data["seeds"] = [draw.integer(0, 2**31) for _ in range(3000)]
    shown = {name: value for name, value in params.items() if name != "op"}
    if len(shown.get("streams", [])) > 6:
        shown["streams"] = f"{len(shown['streams'])} streams"
    secret = {**data, "op": params["op"]}
    return Case(steps=(Request(op=params["op"], data=data),), secret=secret, shown=shown)


def shrink(params):
    streams = params.get("streams", [])
    if len(streams) > 1:
        half = len(streams) // 2
        yield {**params, "streams": streams[:half]}
        yield {**params, "streams": streams[half:]}
    if streams and params["workers"]:
        yield {**params, "workers": params["workers"] - 1}
    if len(streams) == 1 and streams[0][2]:
        world, rank, size, buffer = streams[0]
        yield {**params, "streams": [[world, rank, size - 1, buffer]]}

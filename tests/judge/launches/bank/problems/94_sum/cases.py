"""Draw numbers, one for each rank, and launches of the script that adds them up."""

from torchstone.judge.kit import Case, Request

GROUPS = ("two", "alone", "four", "torchrun", "fails")


def plan(group, draw):
    """List one case in each group."""
    return [{"group": group}]


def build(group, params, draw):
    """Draw a number for each rank."""
    numbers = [draw.integer(1, 1000) for _ in range(4)]
    ranks = {"alone": 1, "four": 4}.get(group, 2)
    act = {"do": "launch", "in": "a", "ranks": ranks, "port": draw.integer(20_000, 28_000)}
    act["argv"] = ["{box}/a", *map(str, numbers[:ranks])]
    act["complete"] = ["sum.txt"]
    if group == "alone":
        act |= {"port": None, "by": "python"}
    elif group == "four":
        act |= {"nodes": 2, "busy": [29500], "local_rank": "--local-rank={}"}
    elif group == "torchrun":
        act["by"] = "torchrun"
    elif group == "fails":
        act |= {"fails": True, "argv": ["{box}/a", "none"]}
        del act["complete"]
    look = {"do": "look", "in": "a"}
    script = [act] if group == "fails" else [act, look]
    secret = {"sum": sum(numbers[:ranks]), "ranks": ranks, "group": group}
    return Case(steps=(Request(op="sum", data={"script": script}),), secret=secret)

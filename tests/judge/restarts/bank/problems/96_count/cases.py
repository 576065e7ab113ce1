"""Cases of the counter: plain, killed in an event, killed in a save, damaged, a full disk."""

from torchstone.judge.kit import Case, Request

GROUPS = ("plain", "kill", "save", "damage", "full", "moved")


def run(**options):
    return {"do": "run", "in": "a", **options}


SCRIPTS = {
    "plain": [run(), run(), run(data={"total": 6})],
    "kill": [run(kill=["step", 3]), run(kill=["step", 2]), run(kill=[None, 1]), run()],
    "save": [run(growth=[3, 0.0]), run(growth=[1, 0.001]), run()],
    "damage": [
        run(),
        {"do": "damage", "in": "a", "files": "ckpt_*", "pick": -1, "how": "flip"},
        run(),
        {"do": "damage", "in": "a", "files": "ckpt_*", "pick": None, "how": "half"},
        run(),
    ],
    "full": [run(data={"total": 2}), run(file_bytes=1000, data={"may_raise": True}), run()],
    "moved": [
        run(data={"total": 2}),
        {"do": "write", "in": "a", "name": "notes.txt", "bytes": b"mine"},
        {"do": "make", "in": "a", "name": "own"},
        {"do": "touch", "in": "a", "files": "ckpt_*", "pick": 0, "time": 2_000_000_000},
        {"do": "copy", "from": "a", "to": "b"},
        {"do": "remove", "in": "a"},
        {"do": "run", "in": "b"},
    ],
}


def plan(group, draw):
    return [{"group": group}]


def build(group, params, draw):
    data = {"script": SCRIPTS[group], "total": 400 if group == "save" else 4}
    return Case(steps=(Request(op="count", data=data),), secret=params)

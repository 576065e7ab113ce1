"""Draw the programs of problem 11, and the weights of the modules that they handle.

A line of a program is what a learner could type. A line with ``!`` before it must raise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torchstone.judge.kit import Case, Draw, Request
from torchstone.judge.kit.problem import load_module

# `insert` comes before `small`, where it is one of many operations.
GROUPS = (
    "sample",
    "insert",
    "small",
    "edge",
    "errors",
    "slice",
    "add",
    "surgery",
    "large",
    "random",
)

NAMES = "abcdefghijklmnop"
FEW = ("registry", "len", "items", "by index", "by negative index", "state_dict", "parameters")
ALL = (*FEW, "modules", "reversed", "truth", "members")
RAISES = {"I": "IndexError", "T": "TypeError", "N": "NotImplementedError"}

ORACLE = load_module(Path(__file__).with_name("oracle.py"))


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases: programs, and what else is observed."""
    if group == "random":
        return [_random(draw, end=number < 2) for number in range(6)]
    if group == "large":
        return _large(draw)
    return [
        {"program": lines, "end": group in ENDING and position in ENDING[group]}
        for position, lines in enumerate(PROGRAMS[group])
    ]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw weights, an input and a cotangent for a program."""
    lines = [_line(text) for text in params["program"]]
    text = "\n".join(line for line, _ in lines)
    features = draw.integer(2, 3)
    used = [name for name in NAMES if _mentions(text, name)]
    modules = {
        name: {
            "weight": draw.normal([features, features], scale=0.8),
            "bias": draw.normal([features], scale=0.5),
        }
        for name in used
    }
    end: dict[str, Any] = {}
    if params["end"]:
        rows = draw.integer(2, 3)
        end = {"x": draw.normal([rows, features]), "cotangent": draw.normal([rows, features])}
    data = {
        "modules": modules,
        "empty": [name for name in ("e1", "e2") if _mentions(text, name)],
        "lines": [list(line) for line in lines],
        "lists": [name for name in ("ml", "other") if _mentions(text, name)],
        "parts": list(FEW if group in ("sample", "insert") else ALL),
        "end": end,
    }
    shown = {f"line {number}": line for number, (line, _) in enumerate(lines, 1)}
    secret = {"data": data, "final": ORACLE.final_names(data) if end else []}
    return Case(steps=(Request(op="replay", data=data),), secret=secret, shown=shown)


def _line(text: str) -> tuple[str, str]:
    return (text[2:].strip(), RAISES[text[1]]) if text.startswith("!") else (text, "")


def _mentions(text: str, name: str) -> bool:
    padded = f" {text} "
    return any(
        not (before.isalnum() or before in "_.'\"" or after.isalnum() or after in "_'\"")
        for at in range(1, len(padded) - len(name))
        if padded[at : at + len(name)] == name
        for before, after in [(padded[at - 1], padded[at + len(name)])]
    )


BUILD = "ml = MyModuleList([a, b, c])"

PROGRAMS = {
    "sample": [
        [
            "ml = MyModuleList([a, b])",
            "ml.append(c) is ml",
            "ml[-1]",
            "ml.extend([d]) is ml",
            "ml[1:3]",
            "other = ml[:2]",
        ],
        ["ml = MyModuleList()", "ml.append(a)", "ml.append(b)", "other = ml[1:]", "ml[0]"],
    ],
    "insert": [
        [BUILD, "ml.insert(0, d)", "ml[0]"],
        [BUILD, "ml.insert(1, d)"],
        [BUILD, "ml.insert(3, d)", "ml.insert(1, e)"],
        [BUILD, "ml.insert(9, d)"],
        [BUILD, "ml.insert(-1, d)"],
        [BUILD, "ml.insert(-9, d)", "ml.insert(-3, e)"],
        ["ml = MyModuleList()", "ml.insert(2, a)", "ml.insert(-2, b)", "ml.insert(True, c)"],
    ],
    "small": [
        [BUILD, "ml[1] = d", "ml[-1] = e", "ml[0] is a", "list(ml) == [a, d, e]"],
        [BUILD, "del ml[1]", "ml.append(d)", "ml[2]"],
        [BUILD, "del ml[-1]", "ml.append(d)", "del ml[0]", "ml.append(e)"],
        [BUILD, "ml.pop()", "ml.pop(0)", "ml.append(d)", "ml.pop(-2)", "ml.pop()", "len(ml)"],
        ["ml = MyModuleList(modules=(m for m in [a, b]))", "ml.extend(m for m in [c, d]) is ml"],
        ["ml = MyModuleList((a, b))", "other = ml", "ml += [c]", "ml is other", "ml += iter([d])"],
        [
            "ml = MyModuleList([a])",
            "other = ml + [b, c]",
            "other.insert(1, d)",
            "ml.append(e).append(f).extend([b]) is ml",
        ],
    ],
    "edge": [
        ["ml = MyModuleList()", "ml.extend([]) is ml", "ml += ()", "other = ml[:]", "del ml[:]"],
        ["ml = MyModuleList([])", "other = MyModuleList([a])", "ml.append(b)", "other.pop()"],
        [
            "ml = MyModuleList([a, None, b])",
            "ml[1]",
            "None in ml",
            "ml.append(None) is ml",
            "ml.insert(0, None)",
            "ml[1] = None",
            "del ml[0]",
            "ml.pop() is None",
        ],
        ["ml = MyModuleList([None])", "ml[0]", "ml.extend([None, a])", "other = ml + [None]"],
        ["ml = MyModuleList([a, b, a])", "ml.append(b)", "del ml[0]", "ml[1] = b"],
        ["ml = MyModuleList(Falsy(a, b))", "ml.extend(Falsy(c)) is ml", "ml += Falsy(d)"],
        ["ml = MyModuleList([e1, a])", "ml.append(e2)", "ml.insert(1, e1)", "ml[0] = e2"],
        [
            BUILD,
            "ml[True]",
            "ml[torch.tensor(2)]",
            "ml[torch.tensor(-1)] = d",
            "del ml[False]",
            "ml.pop(torch.tensor(0))",
            "ml.insert(torch.tensor(-1), e)",
        ],
        ["ml = MyModuleList([a, b])", "ml.extend(ml) is ml", "ml += ml", "other = ml + ml"],
        [
            "ml = MyModuleList([a, b])",
            "other = MyModuleList(ml)",
            "other.pop(0)",
            "ml.extend(other)",
            "ml.extend(reversed(ml))",
        ],
    ],
    "errors": [
        [BUILD, "!I ml[3]", "!I ml[-4]", "!I ml[3] = d", "!I ml[-4] = d", "!I ml[99]"],
        [BUILD, "!I del ml[3]", "!I del ml[-4]", "!I ml.pop(3)", "!I ml.pop(-4)"],
        ["ml = MyModuleList()", "!I ml.pop()", "!I ml[0]", "!I ml[-1]", "!I del ml[0]"],
        [BUILD, "!T ml.append('d')", "!T ml.insert(1, 3)", "!T ml[1] = 'd'", "!T ml.append(nn)"],
        [BUILD, "!T ml.extend([d, 'e'])", "!T ml += [d, 5]", "!T ml += (d, None, 0)"],
        [BUILD, "!T ml.extend(m for m in [d, e, 0])", "!T ml.extend(5)", "!T ml += 5"],
        [BUILD, "!T ml.extend(d)", "!T ml + 5", "!T ml + [d, 'e']", "!T ml.extend(None)"],
        ["!T ml = MyModuleList(5)", "!T ml = MyModuleList([a, 'b'])", "!T ml = MyModuleList(0)"],
        [BUILD, "!T ml['0']", "!T ml[1.0]", "!T ml[None]", "!T ml[(0,)]", "!T ml['0'] = d"],
        [BUILD, "!T ml[0:1] = [d]", "!T ml[:] = []", "!T del ml['1']", "!T del ml[1.0]"],
        [BUILD, "!T ml.pop('0')", "!T ml.pop(1.0)", "!T ml.insert('0', d)", "!T ml.insert(0.0, d)"],
        [BUILD, "!N ml(torch.ones(2))", "ml.append(d) is ml"],
    ],
    "slice": [
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[1:4]", "other.append(a)", "del ml[1:4]"],
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[::2]", "del other[0]", "del ml[::2]"],
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[::-1]", "other[0] = a", "del ml[::-1]"],
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[-2:99]", "ml[4] = a", "del ml[-2:99]"],
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[3:1]", "ml.pop()", "del ml[3:1]"],
        ["ml = MyModuleList([a, b, c, d, e])", "other = ml[-1:0:-2]", "del ml[-1:0:-2]"],
        [
            "ml = MyModuleList([a, None, b])",
            "other = ml[:]",
            "other.pop(0)",
            "del ml[:1]",
            "ml[5:]",
        ],
    ],
    "add": [
        ["ml = MyModuleList([a, b])", "other = ml + [c]", "other.pop(0)", "ml.append(d)"],
        ["ml = MyModuleList([a, b])", "other = MyModuleList([c, a])", "ml + other", "other + ml"],
        ["ml = MyModuleList([a])", "other = ml + (m for m in [b, None])", "ml + ()", "ml + ml[:]"],
        [
            "ml = MyModuleList([a])",
            "tail = [b, c]",
            "other = ml + tail",
            "tail == [b, c]",
            "ml += tail",
            "tail == [b, c]",
            "len(tail)",
        ],
        ["ml = MyModuleList([a])", "other = ml", "other += MyModuleList([b])", "ml is other"],
    ],
    "surgery": [
        [BUILD, "setattr(ml, '1', d)", "ml[1]", "ml[0:2]", "ml.append(e) is ml", "del ml[0]"],
        [BUILD, "ml._modules['1'] = d", "ml[-2]", "other = ml[1:]", "ml.insert(0, e)", "ml.pop(2)"],
        [BUILD, "setattr(ml, '0', None)", "ml[0]", "ml.pop(0)", "setattr(ml, '0', d)", "ml + [e]"],
        [BUILD, "ml.add_module('3', d)", "ml.append(e) is ml", "ml[3]", "del ml[3]", "ml[3] = a"],
        [BUILD, "del ml[0]", "setattr(ml, '0', d)", "ml[1] = e", "ml._modules['1'] = a", "ml[:]"],
    ],
}
# Programs after which the list is saved, copied, moved and run.
ENDING = {"sample": (0,), "insert": (1,), "edge": (0, 2, 3, 4, 6), "slice": (2,), "surgery": (1, 2)}


def _large(draw: Draw) -> list[dict[str, Any]]:
    size = draw.integer(13, 16)
    everything = f"[{', '.join(NAMES[:size])}]"
    at, first = draw.integer(2, 9), draw.integer(1, 3)
    start = f"ml = MyModuleList({everything})"
    return [
        {"program": [start, f"del ml[{at}]", "ml.append(a)", "ml.append(b)"], "end": True},
        {"program": [start, f"ml.insert({at}, a)", f"other = ml[{first}:12]"], "end": False},
        {"program": [start, f"ml[{size - 1}]", f"del ml[::{first + 1}]", "ml += ml"], "end": False},
    ]


def _random(draw: Draw, *, end: bool) -> dict[str, Any]:
    """Draw a program of fifteen operations, all of which are allowed."""
    size = draw.integer(2, 4)
    lines = [f"ml = MyModuleList([{', '.join(NAMES[:size])}])"]
    for _ in range(14):
        line, change = _operation(draw, size)
        lines.append(line)
        size += change
    return {"program": lines, "end": end}


def _operation(draw: Draw, size: int) -> tuple[str, int]:
    """Draw one line for a list of a size, and say by how much it changes the size."""
    name = draw.choice([*NAMES[:8], "None"])
    grows = [
        (f"ml.append({name}) is ml", 1),
        (f"ml.insert({draw.integer(-size - 2, size + 2)}, {name})", 1),
        (f"ml.extend(m for m in [{name}, {draw.choice(NAMES[:8])}]) is ml", 2),
        (f"ml += [{name}]", 1),
        (f"other = ml + [{name}]", 0),
    ]
    if not size:
        return draw.choice(grows)
    at = draw.integer(-size, size - 1)
    low = draw.integer(0, size - 1)
    high = draw.integer(low, min(size, low + 2))
    shrinks = [
        (f"del ml[{at}]", -1),
        (f"ml.pop({at})", -1),
        ("ml.pop()", -1),
        (f"del ml[{low}:{high}]", low - high),
    ]
    keeps = [
        (f"ml[{at}] = {name}", 0),
        (f"setattr(ml, '{low}', {name})", 0),
        (f"other = ml[{low}:{high}]", 0),
        (f"other = ml[::{draw.choice((-2, -1, 2))}]", 0),
        (f"ml[{at}]", 0),
    ]
    return draw.choice(draw.choice((shrinks, keeps) if size > 6 else (grows, shrinks, keeps)))

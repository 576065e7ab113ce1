"""Count what the layers of problem 40 do, and bound what a profiler may say of their times.

The oracle walks through the programs without running them. So it knows calls and operators exactly,
and how much time was planted. Planted time is what a time must at least be: less 2 % and 1 us, for
the clock of the profiler is another one than that of the judge. Above, half of it again is allowed,
or what the caller of the layer waited where that is more, less what its layers took inside: hooks
and interruptions of a busy machine are in there, and a profiler cannot find more. To this come
0.3 ms, since the clocks differ. Each planted time is much larger than that: what is counted twice,
or in another layer, is seen.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from torchstone.judge.kit import Case, Exact, Expected, Holds, Maybe, Raises, numbers
from torchstone.judge.kit.problem import load_module

PROBE = load_module(Path(__file__).with_name("probe.py"))

LOW, HIGH, TIMES, MOST_RUNS = PROBE.LOW, PROBE.HIGH, PROBE.TIMES, PROBE.MOST_RUNS
SPARE_US = PROBE.SPARE_US
# Of the sum of all times of layers themselves: 3 %, and what rounding makes of microseconds.
SUM_SHARE, SUM_SPARE_US = 0.03, 50.0
# Statistics of many layers: what they may take at all, and beside those of an eighth as many; a
# third of that is linear. Less than half a second is never refused.
MOST_SECONDS, FEW_SECONDS, MOST_GROWTH = 5.0, 0.5, 32.0

OF_CLASS = {
    "Linear": ["linear"],
    "LayerNorm": ["layer_norm"],
    "ReLU": ["relu_"],
    "GELU": ["gelu"],
    "Softmax": ["softmax"],
    "Identity": [],
}
OF_ACTION = {
    "matmul": ["transpose", "matmul", "matmul"],
    "view": ["view", "view"],
    "loose": ["detach", "detach", "add"],
}


def note(en: str, zh: str) -> dict[str, str]:
    """Return words in both languages."""
    return {"en": en, "zh": zh}


FACTS = {
    "left": (
        False,
        note(
            "after the with block a hook, a replaced method or another mode is left, or a hook of "
            "the user is gone",
            "with 块之后留下了钩子、被替换的方法或别的模式，或者用户自己的钩子不见了",
        ),
    ),
    "profiled": (
        False,
        note("after the with block a profiler still runs", "with 块之后 profiler 仍在运行"),
    ),
    "traced": (
        False,
        note(
            "inside the with block each call of Python is traced (setprofile or settrace)",
            "with 块内逐个跟踪 Python 调用（setprofile 或 settrace）",
        ),
    ),
    "escaped": (
        "",
        note(
            "__enter__ returns the profiler, and an exception leaves the with block as it was",
            "__enter__ 返回 profiler 本身；异常原样离开 with 块",
        ),
    ),
    "table": (
        True,
        note(
            "table() is a text with a line for each layer, and the whole name is in it",
            "table() 是文本，每层一行，行内有完整的层名",
        ),
    ),
}
SAME = {
    "output": note(
        "the output has the same bits as without the profiler", "输出与不用 profiler 时逐位相同"
    ),
    "gradients": note(
        "the gradients have the same bits as without the profiler", "梯度与不用 profiler 时逐位相同"
    ),
    "graph": note(
        "the graph has the same nodes as without the profiler", "计算图的节点与不用 profiler 时相同"
    ),
    "state_dict": note("state_dict() has the same keys as before", "state_dict() 的键不变"),
    "hooks": note("the hooks of the user run as before", "用户自己的钩子照常运行"),
    "identity": note("an Identity still returns its own input", "Identity 返回的仍是输入对象本身"),
}
FIELDS = note(
    "stats() is a list of LayerStat with plain strings, numbers and a dict of counts",
    "stats() 是 LayerStat 的列表，字段为普通字符串、数和计数字典",
)
ROWS = note(
    "one row for each module, in the order of named_modules(): the first name and the class",
    "每个模块一行，顺序同 named_modules()：第一个名字与类名",
)
COUNTED = note(
    "the outermost operators that each layer runs itself",
    "每层自己运行的最外层算子",
)


class Row:
    """Count what one layer does.

    Attributes:
        planted: Microseconds, by field.
        is_loose: An exception left it, so that its last call may count or not.
        has_function: It calls an autograd.Function, and its operators are not looked at.
    """

    def __init__(self, kind: str, calls: int = 0, ops: dict[str, int] | None = None) -> None:
        self.kind, self.calls, self.ops = kind, calls, dict(ops or {})
        self.planted = dict.fromkeys(TIMES, 0.0)
        self.is_loose, self.has_function = False, False


class Failure(Exception):
    """Stand for the failure of a layer."""


# The nodes with planted times behind a value: layer and microseconds.
Nodes = tuple[tuple[str, float], ...]


class Walk:
    """Walk through the programs of a scene as the layers do."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.layers: dict[str, Any] = data["layers"]
        self.warmup = 1 if data["warmup"] is None else data["warmup"]
        self.rows = {name: Row(kind) for name, (kind, _) in self.layers.items()}
        self.stack: list[str] = []
        self.step = 0

    def use(self, use: dict[str, Any]) -> bool:
        """Walk through the steps of one use; return whether a failure escapes."""
        for number in range(use["steps"]):
            for _ in range(use["rounds"]):
                try:
                    nodes = self.call("", ())
                except Failure:
                    return True
                if use["has_backward"] and self.is_recorded:
                    for owner, planted in nodes:
                        self.rows[owner].planted["backward_us"] += planted * use["backwards"]
            self.step += number < use["ended"]
        return False

    @property
    def is_recorded(self) -> bool:
        return self.step >= self.warmup

    def call(self, name: str, nodes: Nodes) -> Nodes:
        kind, program = self.layers[name]
        row = self.rows[name]
        self.stack.append(name)
        row.calls += self.is_recorded
        self.run(OF_CLASS.get(kind, []))
        try:
            first = nodes
            for action in program:
                nodes = self.do(action, nodes, first)
            return nodes
        except Failure:
            row.is_loose |= self.is_recorded
            raise
        finally:
            self.stack.pop()

    def do(self, action: list[Any], nodes: Nodes, first: Nodes) -> Nodes:
        verb, *rest = action
        depth = self.stack.count(self.stack[-1])
        if verb in ("at", "deep", "below"):
            is_now = {
                "at": self.step == rest[0],
                "deep": depth == rest[0],
                "below": depth < rest[0],
            }
            return self.do(rest[1], nodes, first) if is_now[verb] else nodes
        if verb == "fail":
            raise Failure
        if verb in ("call", "aside", "try"):
            try:
                result = self.call(rest[0], nodes)
            except Failure:
                if verb == "try":
                    return nodes
                raise
            return nodes if verb == "aside" else result
        if verb == "wait":
            self.plant(rest[1])
        elif verb == "node":
            self.rows[self.stack[-1]].has_function = True
            self.plant(rest[1])
            return (*nodes, (self.stack[-1], rest[2] * 1e3))
        else:
            name = rest[0] if verb == "op" else verb
            self.run(OF_ACTION.get(name, [name]))
        return nodes

    def plant(self, ms: float) -> None:
        if self.is_recorded:
            self.rows[self.stack[-1]].planted["self_us"] += ms * 1e3
            for name in dict.fromkeys(self.stack):
                self.rows[name].planted["total_us"] += ms * 1e3

    def run(self, operators: list[str]) -> None:
        if self.is_recorded:
            ops = self.rows[self.stack[-1]].ops
            for name in operators:
                ops[f"aten::{name}"] = ops.get(f"aten::{name}", 0) + 1


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECT[case.secret["op"]](case.secret["data"])


def _expect_scene(data: dict[str, Any]) -> Expected:
    found: Expected = {}
    for place, use in enumerate(data["uses"]):
        walk = Walk(data)
        walk.use(use)
        whole = _of_use(walk.rows)
        found |= {f"{place}.{key}": each for key, each in whole.items()}
        # Runs before the last one failed an upper bound only.
        for run in range(MOST_RUNS - 1):
            lower = _of_use(walk.rows, is_upper=False)
            found |= {f"run{run}:{place}.{key}": Maybe(each) for key, each in lower.items()}
    return found


def _of_use(rows: dict[str, Row], *, is_upper: bool = True) -> Expected:
    found: Expected = {
        "fields": Exact([], note=FIELDS),
        "rows": Exact([[name, row.kind] for name, row in rows.items()], note=ROWS),
        "calls": _told(lambda value: _wrong_calls(value, rows)),
        "ops": _told(lambda value: _wrong_ops(value, rows)),
    }
    for name in TIMES:
        found[name] = _told(lambda value, name=name: _wrong_times(value, rows, name, is_upper))
    if not any(row.is_loose for row in rows.values()):
        words = note(
            "the times of all layers themselves add up to the total of the root",
            "所有层的自身时间之和等于根的总时间",
        )
        found["sum"] = Holds(_is_sum, words, takes=numbers(2), is_fault_in_words=True)
    facts = {key: Exact(value, note=words) for key, (value, words) in FACTS.items()}
    # The first that is wrong is shown: what the others need comes before them.
    return {key: found[key] for key in ("fields", "rows")} | found | facts


def _told(check: Any) -> Holds:
    """Return an expectation whose check says in both languages what is wrong."""
    words = note("as the statement asks", "符合题目要求")

    def predicate(value: Any) -> bool:
        wrong = check(value)
        words.update(wrong or {})
        return not wrong

    return Holds(predicate, words, is_fault_in_words=True)


def _is_list(value: Any, rows: dict[str, Row]) -> bool:
    return isinstance(value, list) and len(value) == len(rows)


NO_LIST = note("a value for each row", "每行一个值")


def _shown(name: str) -> dict[str, str]:
    return note(repr(name), repr(name)) if name else note("'' (the root)", "''（根）")


def _wrong_calls(value: Any, rows: dict[str, Row]) -> dict[str, str]:
    if not _is_list(value, rows):
        return NO_LIST
    for (name, row), came in zip(rows.items(), value, strict=True):
        who = _shown(name)
        least = 0 if row.is_loose else row.calls
        if type(came) is not int or not least <= came <= row.calls:
            return note(
                f"{who['en']} has {came!r} calls in the recorded steps, and not {row.calls}",
                f"{who['zh']} 在记录的步骤中有 {came!r} 次调用，应为 {row.calls} 次",
            )
    return {}


def _wrong_ops(value: Any, rows: dict[str, Row]) -> dict[str, str]:
    if not _is_list(value, rows):
        return NO_LIST
    for (name, row), came in zip(rows.items(), value, strict=True):
        who = _shown(name)
        if row.has_function or (row.is_loose and _is_within(came, row.ops)):
            continue
        if not _is_same(came, row.ops):
            return note(
                f"{who['en']} itself runs {_list(row.ops)}, not {_list(came)}: {COUNTED['en']}",
                f"{who['zh']} 自己运行 {_list(row.ops)}，而不是 {_list(came)}：{COUNTED['zh']}",
            )
    return {}


def _is_same(came: Any, ops: dict[str, int]) -> bool:
    """Compare counts, none of which is larger: a program may say anything in their place."""
    return (
        _is_within(came, ops)
        and came.keys() == ops.keys()
        and sum(came.values()) == sum(ops.values())
    )


def _is_within(came: Any, ops: dict[str, int]) -> bool:
    return isinstance(came, dict) and all(
        type(count) is int and 0 <= count <= ops.get(name, 0) for name, count in came.items()
    )


def _list(ops: Any) -> str:
    if not isinstance(ops, dict):
        return repr(ops)[:80]
    return "{" + ", ".join(f"{key}: {count}" for key, count in sorted(ops.items())[:6]) + "}"


def _wrong_times(
    value: Any, rows: dict[str, Row], name_of_field: str, is_upper: bool
) -> dict[str, str]:
    if not _is_list(value, rows):
        return NO_LIST
    for (name, row), pair in zip(rows.items(), value, strict=True):
        if not _is_pair(pair):
            return NO_LIST
        who, (came, measured) = _shown(name), pair
        planted = row.planted[name_of_field]
        least = -SPARE_US if row.is_loose else LOW * planted - 1
        most = max(HIGH * planted, measured) + SPARE_US if is_upper else math.inf
        if not least <= came <= most:
            # With decimals: what is measured is left out where two mistakes are compared.
            shown, low, high, here = (f"{each / 1e3:.2f}" for each in (came, least, most, planted))
            return note(
                f"{name_of_field} of {who['en']} is {shown} ms where {here} ms were planted: "
                f"at least {low} and at most {high} ms are right",
                f"{who['zh']} 的 {name_of_field} 为 {shown} 毫秒，预置的是 {here} 毫秒："
                f"应在 {low} 到 {high} 毫秒之间",
            )
    return {}


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(each) is float and math.isfinite(each) for each in pair)
    )


def _is_sum(value: list[float]) -> bool:
    parts, whole = value
    return abs(parts - whole) <= SUM_SHARE * abs(whole) + SUM_SPARE_US


def _expect_transparent(data: dict[str, Any]) -> Expected:
    found: Expected = {key: Exact(True, note=words) for key, words in SAME.items()}
    return found | {"left": Exact(*FACTS["left"][:1], note=FACTS["left"][1])}


def _expect_large(data: dict[str, Any]) -> Expected:
    count, steps = data["counts"][-1], data["steps"]
    rows = {"": Row("Chain", calls=steps), "layers": Row("ModuleList")}
    for number in range(count):
        rows[f"layers.{number}"] = Row("Negate", calls=steps, ops={"aten::neg": steps})
    words = note(
        "the time of stats() and of the end of the block grows with the number of events and no "
        f"faster, and takes at most {MOST_SECONDS:g} s for {count} layers in {steps} steps",
        "stats() 与退出 with 块的耗时随事件数线性增长；"
        f"{count} 层 {steps} 步至多 {MOST_SECONDS:g} 秒",
    )
    return {
        "fields": Exact([], note=FIELDS),
        "rows": Exact([[name, row.kind] for name, row in rows.items()], note=ROWS),
        "calls": _told(lambda value: _wrong_calls(value, rows)),
        "ops": _told(lambda value: _wrong_ops(value, rows)),
        "seconds": Holds(
            _is_linear, words, takes=numbers(len(data["counts"])), is_fault_in_words=True
        ),
    }


def _is_linear(seconds: list[float]) -> bool:
    few, many = seconds
    return many <= FEW_SECONDS or (many <= MOST_SECONDS and many <= MOST_GROWTH * few)


def _expect_refused(data: dict[str, Any]) -> Expected:
    return {"raised": Raises(ValueError)}


EXPECT: dict[str, Any] = {
    "scene": _expect_scene,
    "transparent": _expect_transparent,
    "large": _expect_large,
    "refused": _expect_refused,
}

"""Know the truth of problem 20: the same script with exact fractions, and lines read strictly."""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from torchstone.judge.kit import Case, Exact, Expected, Gate, Holds, Raises

RELATIVE = 1e-9
# Of the largest value of a window: the sum of a few thousand float64 numbers, rounded each time.
FLOOR = 1e-12
# The cost of a call, at the end against the beginning. Where it grows with what was logged before,
# the quotient is the number of chunks.
GROWTH = 4.0
# A default clock measures what really passed.
REAL_S = 3600.0
KEYS = {"step", "elapsed_s", "step_ms", "samples_per_s", "metrics", "timers_ms", "gpu"}
METRIC_KEYS = {"last", "mean", "nonfinite"}
MIB = 2**20
# So many products are added up by fsum: each is rounded once.
MANY = 1000


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return TRUTHS[case.secret["op"]](case.secret)


def _words(name: str) -> dict[str, str]:
    return dict(zip(("en", "zh"), WORDS[name], strict=True))


def _true(*names: str) -> Expected:
    return {name: Exact(True, note=_words(name)) for name in names}


# The truth


class Rerun:
    """One logger, acted out with fractions."""

    def __init__(self, scene: dict[str, Any], clock: list[Fraction]) -> None:
        options = scene["options"]
        self.scene, self.clock = scene, clock
        self.every, self.window = options.get("every", 1), options.get("window", 20)
        self.begin = self.mark = clock[0]
        self.gpus = iter(scene.get("gpu", ()))
        self.windows: dict[str, deque[Any]] = defaultdict(lambda: deque(maxlen=self.window))
        self.step = 0
        self.closed = False
        self.reset()
        # One entry for each call that the probe looks at: a record, or None.
        self.records: list[dict[str, Any] | None] = []
        self.facts: dict[str, Any] = {"own thread": True, "stream open": True, "stdout kept": True}

    def reset(self) -> None:
        self.calls = self.samples = 0
        self.fresh: dict[str, list[float]] = {}
        self.timers: dict[str, Fraction] = {}

    def act(self, name: str, *arguments: Any) -> None:
        getattr(self, f"do_{name}")(*arguments)

    def do_tick(self, seconds: float) -> None:
        self.clock[0] += Fraction(seconds)

    def do_refill(self, value: float) -> None:
        """What was logged stays what it was."""

    def do_stdout(self) -> None:
        """The next record goes to the new stream."""

    def do_graphs(self) -> None:
        self.facts["graphs"] = 0

    def do_log(self, step: int, n: int | None, metrics: dict[str, Any]) -> None:
        self.take(step, 1 if n is None else n, metrics)
        self.records.append(self.record() if self.calls == self.every else None)

    def take(self, step: int, n: int, metrics: dict[str, Any]) -> None:
        self.step = step
        self.calls += 1
        self.samples += n
        for name, value in metrics.items():
            number = _number_of(value)
            self.fresh.setdefault(name, []).append(number)
            self.windows[name].append((n, number))

    def do_timer(self, name: str, inner: list[Any], raises: bool) -> None:
        began = self.clock[0]
        for action in inner:
            self.act(*action)
        self.timers[name] = self.timers.get(name, Fraction(0)) + self.clock[0] - began
        self.facts["exceptions go on"] = True

    def do_within(self, inner: list[Any], raises: bool) -> None:
        for action in inner:
            self.act(*action)
        self.do_close()
        self.facts |= {"enter returns the logger": True, "exceptions go on": True}

    def do_close(self) -> None:
        self.records.append(None if self.closed or not self.calls else self.record())
        self.closed = True

    def record(self) -> dict[str, Any]:
        now = self.clock[0]
        since = now - self.mark
        found = {
            "step": self.step,
            "elapsed_s": now - self.begin,
            "step_ms": 1000 * since / self.calls,
            "samples_per_s": self.samples / since if since > 0 else None,
            "metrics": {name: self.metric(name, new) for name, new in self.fresh.items()},
            "timers_ms": {name: 1000 * time / self.calls for name, time in self.timers.items()},
            "gpu": next(self.gpus, None),
        }
        self.mark = now
        self.reset()
        return found

    def metric(self, name: str, new: list[float]) -> dict[str, Any]:
        finite = [(n, v) for n, v in self.windows[name] if math.isfinite(v)]
        weight = sum(n for n, _ in finite)
        return {
            "last": Fraction(new[-1]) if math.isfinite(new[-1]) else None,
            "mean": _sum_of(finite) / weight if weight else None,
            "nonfinite": sum(not math.isfinite(value) for value in new),
            "size": Fraction(max((abs(value) for _, value in finite), default=0.0)),
        }


def _sum_of(finite: list[tuple[int, float]]) -> Fraction:
    if len(finite) > MANY:
        return Fraction(math.fsum(n * value for n, value in finite))
    return sum((n * Fraction(value) for n, value in finite), Fraction(0))


def _number_of(value: Any) -> float:
    if not isinstance(value, dict):
        return float(value)
    number = float(value["value"])
    return number * number if value["as"] == "graph" else number


# Reading of what came


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _read_line(line: str) -> Any:
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _near(came: Any, wanted: Fraction | None, floor: Fraction = Fraction(0)) -> bool:
    if wanted is None or came is None:
        return wanted is None and came is None
    if type(came) not in (int, float) or not -(2.0**1000) < came < 2.0**1000:
        return False
    slack = Fraction(RELATIVE) * abs(wanted) + Fraction(FLOOR) * floor
    return bool(abs(Fraction(came) - wanted) <= slack)


def _same(came: Any, line: Any) -> bool:
    """Compare a record that was returned with what was written."""
    if isinstance(line, dict):
        if not isinstance(came, dict) or came.keys() != line.keys():
            return False
        return all(_same(came[key], line[key]) for key in line)
    if type(line) is int and line.bit_length() > 62:
        return bool(came == f"int {line:x}")
    if isinstance(line, (int, float)) and not isinstance(line, bool):
        return type(came) in (int, float) and _near(came, Fraction(line))
    return type(came) is type(line) and bool(came == line)


class Reading:
    """Compare the lines of one logger with its records.

    What `text` finds is judged by the other predicates, which see no lines of their own.
    """

    def __init__(self, records: list[dict[str, Any] | None], *, real_clock: bool = False) -> None:
        self.wanted = records
        self.real_clock = real_clock
        self.lines: list[str] = []
        self.pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def text(self, value: Any) -> bool:
        """Tell whether one whole line came for each record, and nothing else."""
        if not isinstance(value, list) or len(value) != len(self.wanted):
            return False
        if not all(isinstance(each, str) for each in value):
            return False
        for came, wanted in zip(value, self.wanted, strict=True):
            whole = came.count("\n") == 1 and came.endswith("\n")
            if (not whole) if wanted is not None else bool(came):
                return False
        self.lines = [each for each in value if each]
        return True

    def strict(self, value: Any) -> bool:
        """Read the lines; tell whether they are JSON with the right keys."""
        parsed = [_read_line(line) for line in self.lines]
        if not all(map(_has_form, parsed)):
            return False
        wanted = [record for record in self.wanted if record is not None]
        self.pairs = list(zip(parsed, wanted, strict=False))
        return True

    def returned(self, value: Any) -> bool:
        """Tell whether each call returned its record."""
        if not self.pairs:
            return True
        if not isinstance(value, list) or len(value) != len(self.wanted):
            return False
        lines = iter([came for came, _ in self.pairs])
        for came, wanted in zip(value, self.wanted, strict=True):
            line = next(lines, None) if wanted is not None else None
            if came != "unseen" and not _same(came, line):
                return False
        return True

    def times(self, value: Any) -> bool:
        """Compare step, times and rate."""
        return all(self._times_of(came, wanted) for came, wanted in self.pairs)

    def _times_of(self, came: dict[str, Any], wanted: dict[str, Any]) -> bool:
        if came["step"] != wanted["step"] or type(came["step"]) is not int:
            return False
        names = ("elapsed_s", "step_ms", "samples_per_s")
        if not self.real_clock:
            return all(_near(came[name], wanted[name]) for name in names)
        numbers = [came[name] for name in names if came[name] is not None]
        return (
            len(numbers) > 1
            and all(type(each) in (int, float) for each in numbers)
            and (0 <= numbers[0] < REAL_S and numbers[1] >= 0)
        )

    def metrics(self, value: Any) -> bool:
        """Compare names, last values and means."""
        return all(
            came["metrics"].keys() == wanted["metrics"].keys()
            and all(
                _near(each["last"], right["last"])
                and _near(each["mean"], right["mean"], right["size"])
                for name, right in wanted["metrics"].items()
                for each in [came["metrics"][name]]
            )
            for came, wanted in self.pairs
        )

    def nonfinite(self, value: Any) -> bool:
        """Compare the counts of values that are not finite."""
        return all(
            type(each["nonfinite"]) is int and each["nonfinite"] == right["nonfinite"]
            for came, wanted in self.pairs
            for name, right in wanted["metrics"].items()
            for each in [came["metrics"].get(name, right)]
        )

    def timers(self, value: Any) -> bool:
        """Compare the names and the times of the timers."""
        return all(
            came["timers_ms"].keys() == wanted["timers_ms"].keys()
            and all(_near(came["timers_ms"][name], ms) for name, ms in wanted["timers_ms"].items())
            for came, wanted in self.pairs
        )

    def gpu(self, value: Any) -> bool:
        """Compare what the callback returned."""
        return all(
            came["gpu"] == (None if isinstance(wanted["gpu"], str) else wanted["gpu"])
            for came, wanted in self.pairs
        )

    def expected(self) -> Expected:
        checks: dict[str, tuple[Callable[[Any], bool], str]] = {
            "text": (self.text, "property"),
            "strict": (self.strict, "property"),
            "returned": (self.returned, "property"),
            "times": (self.times, "value"),
            "metrics": (self.metrics, "value"),
            "nonfinite": (self.nonfinite, "value"),
            "timers": (self.timers, "value"),
            "gpu": (self.gpu, "value"),
        }
        return {
            name: Holds(check, _words(name), aspect) for name, (check, aspect) in checks.items()
        }


def _has_form(record: Any) -> bool:
    if not isinstance(record, dict) or record.keys() != KEYS:
        return False
    metrics, timers = record["metrics"], record["timers_ms"]
    if not isinstance(metrics, dict) or not isinstance(timers, dict):
        return False
    return all(isinstance(each, dict) and each.keys() == METRIC_KEYS for each in metrics.values())


# The operations


def _play(secret: dict[str, Any]) -> Expected:
    clock = [Fraction(secret["clock"])]
    runs = [Rerun(scene, clock) for scene in secret["scenes"]]
    for number, *action in secret["script"]:
        runs[number].act(*action)
    names = [""] if len(runs) == 1 else [f"{number}." for number in range(len(runs))]
    expected: Expected = {}
    for prefix, run in zip(names, runs, strict=True):
        found = Reading(run.records, real_clock=bool(run.scene.get("own clock"))).expected()
        for name, right in run.facts.items():
            found[name] = Exact(right, note=_words(name))
        if run.scene.get("counts"):
            found["asked"] = Exact(0, note=_words("asked"))
        expected |= {f"{prefix}{name}": item for name, item in found.items()}
    return expected


def _bulk(secret: dict[str, Any]) -> Expected:
    begin, tick = Fraction(secret["clock"]), Fraction(secret["tick"])
    clock = [begin]
    run = Rerun({"options": secret["options"]}, clock)
    pairs = list(zip(secret["weights"].tolist(), secret["values"].tolist(), strict=True))
    total, every, kept = len(pairs), run.every, run.window

    def record(end: int, calls: int) -> dict[str, Any]:
        """Return the record of the calls before one; no other needs to be known for it."""
        clock[0], run.mark = begin + end * tick, begin + (end - calls) * tick
        new = pairs[end - calls : end]
        run.step, run.calls, run.samples = end - 1, calls, sum(n for n, _ in new)
        run.fresh = {"loss": [value for _, value in new]}
        run.windows["loss"].extend(pairs[max(end - kept, 0) : end])
        return run.record()

    wanted: list[dict[str, Any] | None] = [record(index + 1, every) for index in secret["shown"]]
    wanted.append(record(total, total % every) if total % every else None)
    assert total > kept, "values leave the window"
    slow = Gate(lambda answer: _ratio(answer.get("growth")), GROWTH, _words("growth"))
    lines = Exact(total // every, note=_words("lines"))
    return Reading(wanted).expected() | {"lines": lines, "growth": slow}


def _ratio(value: Any) -> float | None:
    return float(value) if type(value) is float else None


def _gpu(secret: dict[str, Any]) -> Expected:
    sizes = secret["sizes"]
    wanted = None
    if secret["situation"] == "present":
        names = {
            "allocated_mib": "allocated_bytes.all.current",
            "reserved_mib": "reserved_bytes.all.current",
            "peak_mib": "allocated_bytes.all.peak",
        }
        wanted = {key: Fraction(sizes[name], MIB) for key, name in names.items()}

    def right(value: Any) -> bool:
        if wanted is None or not isinstance(value, dict):
            return wanted is None and value is None
        return value.keys() == wanted.keys() and all(
            type(value[key]) is float and _near(value[key], each) for key, each in wanted.items()
        )

    expected: Expected = {
        name: Holds(right, _words(name), "value") for name in ("usage", "in a record")
    }
    if secret["situation"] == "absent":
        expected["touched"] = Exact([], note=_words("touched"))
    return expected


def _refuse(secret: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, each in secret["calls"].items():
        error: type[Exception] = ValueError
        if each.get("closed"):
            error = RuntimeError
        elif name in ("text", "None", "list"):
            error = TypeError
        expected[f"{name}.raised"] = Raises(error)
    return expected | _true("nothing written")


def _raise(secret: dict[str, Any]) -> Expected:
    return {"changed": Exact([], note=_words("exceptions go on"))}


WORDS = {
    "text": (
        "each record must have arrived in the stream as one whole line when the call returns "
        "(flush), and other calls must write nothing",
        "调用返回时，每条记录都应已作为完整的一行到达流中（flush）；其他调用不得写入任何内容",
    ),
    "strict": (
        "each line must be strict JSON, without NaN or Infinity, with exactly the stated keys",
        "每行必须是严格的 JSON（不含 NaN、Infinity），键与题面完全一致",
    ),
    "returned": (
        "a call that writes must return the record that it wrote; others return None",
        "写记录的调用必须返回所写的记录，其他调用返回 None",
    ),
    "times": (
        "step, elapsed_s, step_ms or samples_per_s is not what the given clock says",
        "step、elapsed_s、step_ms 或 samples_per_s 与传入的时钟不符",
    ),
    "metrics": (
        "a metric is missing or superfluous, or its last value or its mean over the window is "
        "wrong",
        "有指标缺失或多余，或者 last、窗口均值 mean 不对",
    ),
    "nonfinite": (
        "nonfinite must count the values since the last record that are not finite",
        "nonfinite 应为上一条记录以来非有限值的个数",
    ),
    "timers": (
        "timers_ms must be the time inside each timer since the last record, per call of log",
        "timers_ms 应为上一条记录以来各计时器内的总时间除以 log 的调用次数",
    ),
    "gpu": (
        "gpu must be what the callback returned, or None if it raised",
        "gpu 应为回调的返回值；回调抛异常时为 None",
    ),
    "own thread": (
        "a line was written by another thread",
        "有一行是由另一个线程写入的",
    ),
    "stream open": ("the stream must not be closed", "不得关闭流"),
    "stdout kept": ("sys.stdout was replaced", "sys.stdout 被换掉了"),
    "exceptions go on": (
        "an exception inside the block must go on, and none may be added",
        "代码块内的异常应继续传播，也不得凭空产生异常",
    ),
    "enter returns the logger": ("__enter__ must return the logger", "__enter__ 应返回日志器本身"),
    "graphs": (
        "graphs of logged losses are still alive: store detached copies",
        "已记录的 loss 的计算图仍未释放：应保存 detach 后的副本",
    ),
    "asked": (
        "a call that writes nothing asked for a number of a tensor, which waits for the device",
        "不写记录的调用读取了张量的数值，这会等待设备",
    ),
    "lines": ("the number of lines is wrong", "行数不对"),
    "growth": (
        "a late call costs {came} times an early one (at most {most}): the cost must not grow "
        "with what was logged before",
        "后期的一次调用耗时是前期的 {came} 倍（上限 {most}）：开销不得随历史增长",
    ),
    "usage": (
        "gpu_usage must return the three sizes in MiB, and None where there is no GPU or CUDA "
        "raises",
        "gpu_usage 应以 MiB 返回三个量；没有 GPU 或 CUDA 抛异常时返回 None",
    ),
    "in a record": (
        "gpu in a record must be what gpu_usage returns",
        "记录中的 gpu 应为 gpu_usage 的返回值",
    ),
    "touched": (
        "where there is no GPU nothing of CUDA may be called",
        "没有 GPU 时不得调用 CUDA 的任何功能",
    ),
    "nothing written": (
        "a refused call must write nothing",
        "被拒绝的调用不得写入任何内容",
    ),
}

TRUTHS = {"play": _play, "bulk": _bulk, "gpu": _gpu, "refuse": _refuse, "raise": _raise}

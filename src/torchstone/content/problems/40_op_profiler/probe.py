"""Models whose layers take planted times, and what a profiler of a submission says about them.

A layer of ours runs a program: a list of actions that wait, compute and call. Programs and times
are kept beside the modules, so that nothing of a module tells them: what a module, a parameter or a
node of the graph holds of ours is hidden. The clock and the sleep are those from before the
submission was read.
"""

from __future__ import annotations

import builtins
import os
import re
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from inspect import signature
from typing import Any

import torch
from torch import nn

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

# Kineto prints two lines each time a profiler starts and stops; a learner's own prints are few.
os.environ.setdefault("KINETO_LOG_LEVEL", "6")

clock, sleep, cpu_clock = time.perf_counter, time.sleep, time.process_time
get_profile, get_trace = sys.getprofile, sys.gettrace
is_profiled = torch.autograd._profiler_enabled
vars_of = object.__getattribute__
F = nn.functional

MOST_RUNS = 6
# A share of what was planted, and what the two clocks may differ by.
LOW, HIGH = 0.98, 1.5
SPARE_US = 300.0
# What hooks and events of a few layers take on a quiet machine, and less than is planted anywhere.
BLUR_US = 900.0
# What a hook at a parameter's gradient takes in the first run: it is no layer's time. Each run
# doubles it, so that it stands out of what a busy machine takes.
SLOW_PARAMETER_MS = 6
TIMES = ("total_us", "self_us", "backward_us")
FIELDS = ("name", "type", "calls", *TIMES, "ops")


class Oops(Exception):
    """Raised by a layer that fails."""


# --- what a layer does ----------------------------------------------------------------------------


def hide(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callable of C, which shows neither the function nor what that knows.

    A cache of size 0 keeps nothing and calls each time, as a method, too.
    """
    shell: Any = lru_cache(maxsize=0)(function)
    vars(shell).clear()
    shell.__name__ = shell.__qualname__ = function.__name__
    shell.__signature__ = signature(function)
    return shell  # type: ignore[no-any-return]


class Layer(nn.Module):
    """Run the program that a watch keeps for it; each scene has classes of its own."""


class Negate(nn.Module):
    """Be one of many small layers."""

    @hide
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.neg()


class Chain(nn.Module):
    """Call many small layers, one after the other."""

    @hide
    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Negate() for _ in range(count))

    @hide
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


KINDS = ("Model", "Stage", "Block", "Repeat")
MAKERS: dict[str, Callable[[], nn.Module]] = {
    "Linear": lambda: nn.Linear(4, 4),
    "LayerNorm": lambda: nn.LayerNorm(4),
    "ReLU": lambda: nn.ReLU(inplace=True),
    "GELU": nn.GELU,
    "Softmax": lambda: nn.Softmax(-1),
    "Identity": nn.Identity,
}
OPERATORS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": lambda x, first: x + first,
    "mul": lambda x, first: x * 0.5,
    "matmul": lambda x, first: x @ x.transpose(0, 1) @ x,
    "relu": lambda x, first: torch.relu(x),
    "tanh": lambda x, first: x.tanh(),
    "softmax": lambda x, first: x.softmax(-1),
    "layer_norm": lambda x, first: F.layer_norm(x, (4,)),
    "view": lambda x, first: x.view(-1).view(first.shape),
}
TORCH_CLASSES = (nn.Module, nn.Linear, nn.ReLU, nn.Identity)
REGISTRIES = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
)
GLOBAL_REGISTRIES = (
    "_global_forward_hooks",
    "_global_forward_hooks_always_called",
    "_global_forward_pre_hooks",
    "_global_backward_hooks",
    "_global_backward_pre_hooks",
)


class Wait(torch.autograd.Function):
    """Take planted times in forward and in backward, and return the values of the input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, there: Any, back: Any) -> torch.Tensor:
        ctx.back = back
        there()
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        ctx.back()
        return grad_output, None, None


def wait_for(way: str, ms: float) -> None:
    """Sleep, or keep the processor busy until the time is over."""
    until = clock() + ms / 1e3
    if way == "sleep":
        # A sleep may end early by the resolution of its clock.
        while (rest := until - clock()) > 0:
            sleep(rest)
    while clock() < until:
        pass


def tracers() -> list[Any]:
    """List the functions that trace Python now; the profiler's own stacks are no function."""
    return [each for each in (get_profile(), get_trace()) if callable(each)]


class Watch:
    """Run the programs, and note what they took: planted times, and measured ones.

    A profiler measures a call from within: its hooks run after the caller began, and before the
    caller goes on. So it finds at least what the layer measures inside its forward, and at most
    what the caller waited, however busy the machine is.

    Attributes:
        planted: By layer and field, the planted microseconds.
        measured: The most microseconds that a profiler can have found, by a private clock.
        around: The seconds of backward passes outside of our own nodes and hooks.
        last: What the layer that ended last took inside, and its layers inside of that.
    """

    def __init__(self, scene: dict[str, Any], warmup: int) -> None:
        self.model, self.modules = build(scene, self)
        self.programs = {id(self.modules[name]): p for name, (_, p) in scene["layers"].items()}
        self.names = {id(module): name for name, module in self.modules.items()}
        self.warmup, self.step = warmup, 0
        self.is_traced = False
        self.outside = tracers()
        self.forget()

    def forget(self) -> None:
        """Begin anew, for another use of the profiler."""
        self.stack: list[str] = []
        self.inside: list[float] = []
        self.planted: dict[tuple[str, str], float] = {}
        self.measured: dict[tuple[str, str], float] = {}
        self.around, self.last = 0.0, (0.0, 0.0)
        self.step = 0

    @property
    def is_recorded(self) -> bool:
        return self.step >= self.warmup

    def count(self, name: str, field: str, planted: float, seconds: float = 0.0) -> None:
        key = (name, field)
        self.planted[key] = self.planted.get(key, 0.0) + planted
        self.measured[key] = self.measured.get(key, 0.0) + seconds * 1e6

    def most(self, name: str, field: str) -> float:
        """Return the most microseconds that a profiler can have found."""
        found = self.measured.get((name, field), 0.0)
        # Each node runs for itself: what no node of ours took may be that of any layer.
        return found + self.around * 1e6 * (field == "backward_us")

    def wait(self, way: str, ms: float) -> None:
        wait_for(way, ms)
        if self.is_recorded and self.stack:
            self.count(self.stack[-1], "self_us", ms * 1e3)
            for name in dict.fromkeys(self.stack):
                self.count(name, "total_us", ms * 1e3)

    def wait_back(self, owner: str | None, way: str, ms: float) -> None:
        """Wait in a backward pass; what runs outside of the model belongs to no layer."""
        begun = clock()
        wait_for(way, ms)
        took = clock() - begun
        self.around -= took
        if owner is not None:
            self.count(owner, "backward_us", ms * 1e3, took)

    def node(self, x: torch.Tensor, way: str, ms: float, back_ms: float) -> torch.Tensor:
        """Put a node into the graph that waits in forward and in backward."""
        owner, is_recorded = self.stack[-1] if self.stack else None, self.is_recorded

        def back() -> None:
            if is_recorded:
                self.wait_back(owner, way, back_ms)
            else:
                wait_for(way, back_ms)

        result: torch.Tensor = Wait.apply(x, hide(lambda: self.wait(way, ms)), hide(back))
        return result

    def go_back(self, loss: torch.Tensor, *, again: bool) -> None:
        """Run backward, and measure it."""
        begun = clock()
        loss.backward(retain_graph=again)
        if self.is_recorded:
            self.around += clock() - begun

    def run(self, layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
        """Run the program of a layer."""
        name = self.names[id(layer)]
        self.is_traced |= tracers() != self.outside
        self.stack.append(name)
        self.inside.append(0.0)
        begun = clock()
        try:
            first = x
            for action in self.programs[id(layer)]:
                x = ACTIONS[action[0]](self, x, first, *action[1:])
            return x
        finally:
            self.stack.pop()
            inside = self.inside.pop()
            self.last = clock() - begun, inside

    def call(self, name: str, x: torch.Tensor) -> torch.Tensor:
        """Call a layer, and note how long the caller waited for it."""
        self.last = 0.0, 0.0
        begun = clock()
        try:
            y: torch.Tensor = self.modules[name](x)
            if self.inside:
                # A call that fails may count as a call or as the caller's own time.
                self.inside[-1] += self.last[0]
            return y
        finally:
            took = clock() - begun
            if self.is_recorded:
                self.count(name, "self_us", 0.0, took - self.last[1])
                if name not in self.stack:
                    self.count(name, "total_us", 0.0, took)
            self.last = 0.0, 0.0


def _wait(watch: Watch, x: torch.Tensor, first: torch.Tensor, way: str, ms: float) -> torch.Tensor:
    watch.wait(way, ms)
    return x


def _at(watch: Watch, x: torch.Tensor, first: torch.Tensor, step: int, action: Any) -> Any:
    return ACTIONS[action[0]](watch, x, first, *action[1:]) if watch.step == step else x


def _deep(watch: Watch, x: torch.Tensor, first: torch.Tensor, depth: int, action: Any) -> Any:
    """Do something in the innermost of several calls of a layer."""
    is_there = watch.stack.count(watch.stack[-1]) == depth
    return ACTIONS[action[0]](watch, x, first, *action[1:]) if is_there else x


def _below(watch: Watch, x: torch.Tensor, first: torch.Tensor, depth: int, action: Any) -> Any:
    """Do something in each of several calls of a layer but the innermost."""
    is_above = watch.stack.count(watch.stack[-1]) < depth
    return ACTIONS[action[0]](watch, x, first, *action[1:]) if is_above else x


def _aside(watch: Watch, x: torch.Tensor, first: torch.Tensor, name: str) -> torch.Tensor:
    watch.call(name, x)
    return x


def _try(watch: Watch, x: torch.Tensor, first: torch.Tensor, name: str) -> torch.Tensor:
    try:
        return watch.call(name, x)
    except Oops:
        return x


def _fail(watch: Watch, x: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    raise Oops("a layer failed")


def _loose(watch: Watch, x: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """Run operators that leave no node: they carry the number of the next one."""
    x.detach().add(first.detach())
    return x


ACTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "wait": _wait,
    "node": lambda watch, x, first, *ways: watch.node(x, *ways),
    "call": lambda watch, x, first, name: watch.call(name, x),
    "aside": _aside,
    "try": _try,
    "fail": _fail,
    "at": _at,
    "deep": _deep,
    "below": _below,
    "loose": _loose,
    "op": lambda watch, x, first, name: OPERATORS[name](x, first),
}


def build(scene: dict[str, Any], watch: Watch) -> tuple[nn.Module, dict[str, nn.Module]]:
    """Make the modules of a scene, by their names; the root has the name ''."""

    def forward(self: nn.Module, x: torch.Tensor) -> torch.Tensor:
        return watch.run(self, x)

    kinds = {kind: type(kind, (Layer,), {"forward": hide(forward)}) for kind in KINDS}
    modules: dict[str, nn.Module] = {}
    for name, (kind, _) in scene["layers"].items():
        modules[name] = (kinds.get(kind) or MAKERS[kind])()
        place(modules, name, modules[name])
    for name, first in scene["aliases"].items():
        place(modules, name, modules[first])
    return modules[""], modules


def place(modules: dict[str, nn.Module], name: str, module: nn.Module) -> None:
    """Register a module under its dotted name."""
    if name:
        parent, _, last = name.rpartition(".")
        modules[parent].add_module(last, module)


# --- what is left ---------------------------------------------------------------------------------


def attachments(model: nn.Module) -> list[Any]:
    """List what a profiler may attach to modules, so that two lists can be compared."""
    found: list[Any] = []
    for module in model.modules():
        own = vars_of(module, "__dict__")
        found += [type(module), own.get("forward"), own.get("__call__"), own.get("training")]
        found += [list(own.get(name) or {}) for name in REGISTRIES]
    for name in GLOBAL_REGISTRIES:
        found.append(list(getattr(nn.modules.module, name)))
    for kind in {*TORCH_CLASSES, *map(type, model.modules())}:
        found += [(kind, key, id(item)) for key, item in vars(kind).items() if key not in KEPT]
    return found


# Made when somebody asks for annotations, and when an instance is copied.
KEPT = ("__annotations__", "__slotnames__", "__doc__")


def graph_of(tensor: torch.Tensor) -> list[str]:
    """List the names of the nodes behind a tensor, depth first."""
    names, todo, seen = [], [tensor.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        names.append(node.name())
        todo += [before for before, _ in node.next_functions]
    return names


# --- what a submission says -----------------------------------------------------------------------


def read(rows: Any, kind: type) -> dict[str, Any]:
    """Read the rows as plain values, or say which field of which row is none."""
    wrong: list[str] = []
    if type(rows) is not list:
        return {"fields": [f"stats() is {type(rows).__name__}"]}
    plain = []
    for row in rows:
        if not isinstance(row, kind):
            return {"fields": [f"a row is {type(row).__name__}"]}
        values = [getattr(row, field, None) for field in FIELDS]
        wrong += [
            f"{field} is {type(value).__name__}"
            for field, value in zip(FIELDS, values, strict=True)
            if not FORMS[field](value)
        ]
        plain.append(values)
    if wrong:
        return {"fields": sorted(set(wrong))[:9]}
    names, types, calls, *times, ops = (list(each) for each in zip(*plain, strict=True))
    return {
        "fields": [],
        "rows": [[name, kind] for name, kind in zip(names, types, strict=True)],
        "calls": calls,
        "ops": [dict(sorted(dict.items(each))) for each in ops],
        **{field: [float(v) for v in each] for field, each in zip(TIMES, times, strict=True)},
    }


def is_time(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e15


def is_counts(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    pairs = list(dict.items(value))
    return len(pairs) < 99 and all(type(k) is str and type(v) is int for k, v in pairs)


FORMS: dict[str, Callable[[Any], bool]] = {
    "name": lambda value: type(value) is str,
    "type": lambda value: type(value) is str,
    "calls": lambda value: type(value) is int and abs(value) < 1 << 31,
    **dict.fromkeys(TIMES, is_time),
    "ops": is_counts,
}


def has_names(table: Any, names: list[str]) -> bool:
    """Return whether each layer has a line of its own with its whole name."""
    if type(table) is not str:
        return False
    lines = table.splitlines()
    # What fills a column or stands before a name is up to the program: dots, lines, "model.".
    whole = [rf"(?<![A-Za-z0-9]){re.escape(name)}(?!\.?[A-Za-z0-9])" for name in names if name]
    return len(lines) >= len(names) and all(
        any(re.search(each, line) for line in lines) for each in whole
    )


def is_unclear(watch: Watch, rows: dict[str, Any]) -> bool:
    """Return whether no time is too small, and some are more than can be told from planted ones.

    Such a time is too large, or right only because the machine let the caller wait: a wrong program
    that counts a time twice would be right there as well.
    """
    is_large = False
    for place, name in enumerate(watch.modules):
        for field in TIMES:
            value, measured = rows[field][place]
            planted = watch.planted.get((name, field), 0.0)
            if not value >= LOW * planted - 1:
                return False
            most = max(HIGH * planted, measured) + SPARE_US
            is_blurred = bool(watch.planted) and value > HIGH * planted + BLUR_US
            is_large |= value > most or is_blurred
    return is_large


# --- requests -------------------------------------------------------------------------------------


def watched(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Profile a scene, again if only upper bounds failed or say too little; report every run."""
    found: dict[str, Any] = {}
    for number in range(MOST_RUNS):
        uses, has_more = run_scene(submission, data, SLOW_PARAMETER_MS << number)
        prefix = f"run{number}:" if has_more and number + 1 < MOST_RUNS else ""
        for place, use in enumerate(uses):
            found |= {f"{prefix}{place}.{key}": value for key, value in use.items()}
        if not prefix:
            break
    return found


def run_scene(
    submission: Any, data: dict[str, Any], slow_ms: int
) -> tuple[list[dict[str, Any]], bool]:
    """Use one profiler as often as the scene says; return whether its times are unclear."""
    given = data["warmup"]
    watch = Watch(data, 1 if given is None else given)
    if data["is_eval"]:
        watch.model.eval()
    options = {} if given is None else {"warmup": given}
    if data["slow_parameter"]:
        parameter = next(watch.modules[data["slow_parameter"]].parameters())

        def after(_: torch.Tensor) -> None:
            if watch.is_recorded:
                watch.wait_back(None, "sleep", slow_ms)

        parameter.register_post_accumulate_grad_hook(hide(after))
    before = attachments(watch.model)
    profiler = submission.LayerProfiler(watch.model, **options)
    uses, unclear = [], []
    for use in data["uses"]:
        watch.forget()
        escaped = run_use(profiler, watch, use, data["x"])
        rows = read(profiler.stats(), submission.LayerStat)
        rows |= {
            "escaped": escaped,
            "left": attachments(watch.model) != before,
            "profiled": is_profiled(),
            "traced": watch.is_traced,
        }
        if not rows["fields"] and len(rows["rows"]) == len(watch.modules):
            rows["table"] = has_names(profiler.table(), list(watch.modules))
            rows["sum"] = [sum(rows["self_us"]), rows["total_us"][0]]
            for field in TIMES:
                took = [watch.most(name, field) for name in watch.modules]
                rows[field] = [list(pair) for pair in zip(rows[field], took, strict=True)]
            unclear.append(is_unclear(watch, rows))
        uses.append(rows)
    return uses, any(unclear)


def run_use(profiler: Any, watch: Watch, use: dict[str, Any], given: torch.Tensor) -> str:
    """Run the steps of one use; return what became of the exception that escapes, if one does."""
    x = given.clone().requires_grad_(use["has_backward"])
    raised: list[BaseException] = []
    entered: Any = None
    try:
        with torch.set_grad_enabled(use["has_grad"]), profiler as entered:
            for number in range(use["steps"]):
                for _ in range(use["rounds"]):
                    try:
                        y = watch.call("", x)
                    except Oops as error:
                        raised.append(error)
                        raise
                    if use["has_backward"]:
                        if use["loss_ms"]:
                            y = watch.node(y, "sleep", 0, use["loss_ms"])
                        for left in reversed(range(use["backwards"])):
                            watch.go_back(y.sum(), again=left > 0)
                if number < use["ended"]:
                    profiler.step()
                    watch.step += 1
    except Oops as error:
        return "" if raised and error is raised[0] else "another"
    if entered is not profiler:
        return "not entered"
    return "swallowed" if raised else ""


def transparent(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run a model with and without a profiler, in a step of warm-up and in one after it."""
    same = tools.torch_equal
    plain = small_model(data)
    alone = [run_small(*plain, data) for _ in range(2)]
    model, seen = small_model(data)
    keys, before = list(model.state_dict()), attachments(model)
    profiler = submission.LayerProfiler(model, warmup=1)
    beside = []
    with profiler:
        for _ in range(2):
            beside.append(run_small(model, seen, data))
            profiler.step()
        inside = list(model.state_dict())
    pairs = list(zip(alone, beside, strict=True))
    return {
        "output": all(same(a["output"], b["output"]) for a, b in pairs),
        "gradients": all(all(map(same, a["gradients"], b["gradients"])) for a, b in pairs),
        "graph": all(a["graph"] == b["graph"] for a, b in pairs),
        "hooks": plain[1] == seen,
        "identity": "another" not in seen,
        "state_dict": inside == keys == list(model.state_dict()),
        "left": attachments(model) != before,
    }


def run_small(model: nn.Module, seen: list[str], data: dict[str, Any]) -> dict[str, Any]:
    """Run a model forward and back; return output, gradients and the nodes between them."""
    x = data["x"].clone().requires_grad_()
    y = model(x)["out"]
    graph = graph_of(y)
    (y * data["cotangent"]).sum().backward()
    gradients = [x.grad, *(each.grad.clone() for each in model.parameters())]
    return {"output": y.detach(), "gradients": gradients, "graph": graph}


def small_model(data: dict[str, Any]) -> tuple[nn.Module, list[str]]:
    """Return a model with an in-place layer, an identity and a hook of its own."""
    seen: list[str] = []
    model = Whole(seen)
    with torch.no_grad():
        for layer, values in ((model.first, data["first"]), (model.last, data["last"])):
            for parameter, value in zip(layer.parameters(), values, strict=True):
                parameter.copy_(value)
    model.last.register_forward_hook(lambda module, args, output: seen.append("hook"))
    return model, seen


class Keep(nn.Module):
    """Take an argument by its name, and note whether an identity still returns its own input."""

    @hide
    def __init__(self, seen: list[str]) -> None:
        super().__init__()
        self.seen, self.inner = seen, nn.Identity()

    @hide
    def forward(self, x: torch.Tensor, *, word: str) -> tuple[torch.Tensor, str]:
        y = self.inner(x)
        self.seen.append(word if y is x else "another")
        return y, word


class Whole(nn.Module):
    """Return a dict, as models do."""

    @hide
    def __init__(self, seen: list[str]) -> None:
        super().__init__()
        self.first, self.act = nn.Linear(4, 4), nn.ReLU(inplace=True)
        self.keep, self.last = Keep(seen), nn.Linear(4, 4)

    @hide
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        y, _ = self.keep(self.act(self.first(x)), word="same")
        return {"out": self.last(y)}


def large(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Profile a few layers and many, and measure what the statistics take."""
    seconds: list[float] = []
    found: dict[str, Any] = {}
    for count in data["counts"]:
        model, x = Chain(count), data["x"].clone().requires_grad_()
        profiler = submission.LayerProfiler(model, warmup=0)
        with profiler:
            for number in range(data["steps"]):
                y = model(x)
                if number + 1 == data["steps"]:
                    y.sum().backward()
                profiler.step()
            begun = cpu_clock()
        rows = profiler.stats()
        seconds.append(cpu_clock() - begun)
        found = read(rows, submission.LayerStat)
    return found | {"seconds": seconds}


def refused(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Construct a profiler with a warm-up that is none."""
    attempted = tools.attempt(
        lambda: submission.LayerProfiler(nn.Linear(1, 1), warmup=data["warmup"])
    )
    return {"raised": attempted["raised"]} if "raised" in attempted else {}


REQUESTS = {"scene": watched, "transparent": transparent, "large": large, "refused": refused}


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer a request of this problem.

    torch.profiler asks torch for its compiler, only to see whether CUDA graphs are on. That imports
    900 modules, which are banned here as well; without the lazy names it does not ask.
    """
    compilers = torch._lazy_modules & {"_dynamo", "_inductor"}
    torch._lazy_modules.difference_update(compilers)
    try:
        return REQUESTS[op](submission, data, tools)
    finally:
        torch._lazy_modules.update(compilers)

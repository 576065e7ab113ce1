"""Scenes of a file: each extractor in a process of its own, beside a run without any."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from torchstone.xray import fidelity, self_test
from torchstone.xray.autograd_graph import GraphWatch
from torchstone.xray.compile_stages import CompileWatch
from torchstone.xray.dispatch_tree import DispatchTrace
from torchstone.xray.lines import LineFinder
from torchstone.xray.memory_timeline import MemoryWatch
from torchstone.xray.modes import mode
from torchstone.xray.passes import Limits, Outcome, run_pass
from torchstone.xray.program import Program, Ran, Runner
from torchstone.xray.static import StaticTrace
from torchstone.xray.storage_views import StorageWatch

SCHEMA = 1
SCENES = ("dispatch", "graph", "storage", "compile", "memory")
Confine = Callable[[bool], None]
"""Gives up privileges before a pass; gets whether the program may start compilers."""


class Extractor(Protocol):
    """What watches a program and says what it saw."""

    def on(self) -> AbstractContextManager[Any]:
        """Return the context in which the program runs."""

    def data(self, ran: Ran | None = None) -> dict[str, Any]:
        """Return the part of the scene that is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked: a program, its scenes, and the modes of the scene ``dispatch``."""

    program: Program
    scenes: Sequence[str] = SCENES[:1]
    under: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)


class Fault(Exception):
    """Raised where there is no scene; ``code`` and ``values`` are those of a sentence."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code, values)
        self.code, self.values = code, values


def examine(order: Order, confine: Confine | None = None) -> Iterator[dict[str, Any]]:
    """Run a program once without an extractor and once for each scene; yield the scenes.

    Raises:
        Fault: The program does what cannot be shown: it loops, starts others, prints too much.
    """
    plain = _run(order, "plain", None, confine)
    for scene in order.scenes:
        traced = _run(order, scene, None, confine)
        found = _scene(order, scene, traced, plain, confine)
        if scene == "dispatch":
            found["modes"] = {
                name: _mode(_run(order, scene, name, confine)) for name in order.under
            }
        yield found


def _mode(outcome: Outcome) -> dict[str, Any]:
    answer = outcome.answer
    data = answer["data"]
    return {"calls": data["calls"], "stops": data["stops"], "raised": answer["raised"]}


def _scene(
    order: Order, scene: str, traced: Outcome, plain: Outcome, confine: Confine | None
) -> dict[str, Any]:
    answer = traced.answer
    same = fidelity.compare(plain.answer["digests"], answer["digests"])
    is_repeatable = True
    if same["equal"] < same["compared"]:
        again = _run(order, "plain", None, confine)
        is_repeatable = again.answer["digests"] == plain.answer["digests"]
    supported = self_test.supported()
    return {
        "schema": SCHEMA,
        "torch": torch.__version__,
        "scene": scene,
        "source": order.program.source,
        "state": supported[scene],
        "why": supported["why"].get(scene),
        "fidelity": same,
        "deterministic": is_repeatable,
        "truncated": answer["truncated"],
        "not_followed": answer["not_followed"],
        "raised": answer["raised"],
        "stdout": {"text": traced.output, "bytes": traced.output_bytes},
        **answer["data"],
    }


def _run(order: Order, scene: str, under: str | None, confine: Confine | None) -> Outcome:
    """Run a pass; a fault of the program ends the examination."""

    def work() -> dict[str, Any]:
        return perform(order.program, scene, under)

    compiles = order.program.compiles
    limits = order.limits.for_compilers() if compiles else order.limits
    outcome = run_pass(work, limits, confine and (lambda: confine(compiles)))
    if outcome.end == "done":
        if (fault := outcome.answer["fault"]) is not None:
            raise Fault(fault.pop("code"), **fault)
        return outcome
    faults: dict[str, tuple[str, dict[str, Any]]] = {
        "time": ("too_slow", {"seconds": limits.seconds}),
        "idle": ("waits", {"seconds": round(limits.idle_seconds)}),
        "output": ("prints", {"megabytes": limits.output_bytes >> 20}),
        # The system has ended it, and does not say at which line.
        "memory": ("memory_somewhere", {}),
        "died": _death(outcome),
    }
    code, values = faults[outcome.end]
    raise Fault(code, scene=scene, **values)


def _death(outcome: Outcome) -> tuple[str, dict[str, Any]]:
    """Return how a process ended that was not ended by a limit."""
    if outcome.status < 0:
        return "killed", {"signal": _signal_name(-outcome.status)}
    lines = outcome.output.strip().splitlines()
    if lines:
        return "died", {"status": outcome.status, "words": lines[-1][:500]}
    return "exited", {"status": outcome.status}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def perform(program: Program, scene: str, under: str | None = None) -> dict[str, Any]:
    """Run a program in this process under one extractor; return what was seen, as data."""
    torch.set_num_threads(1)
    extractor = _extractor(program, scene)
    try:
        runner = Runner(program)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return {"fault": {"code": "syntax", "line": line, "words": str(error)}}
    with mode(under) if under is not None else nullcontext():
        ran = runner.run(nullcontext() if extractor is None else extractor.on())
    answer: dict[str, Any] = {
        "fault": ran.fault,
        "raised": ran.raised,
        "digests": {} if ran.fault else fidelity.digest(ran.space),
        "not_followed": [],
        "truncated": {},
        "data": {},
    }
    if ran.num_threads:
        answer["not_followed"] = [{"what": "threads", "count": ran.num_threads}]
    if extractor is not None and ran.fault is None:
        found = extractor.data(ran)
        answer["not_followed"] += found.pop("not_followed", [])
        answer["truncated"] = found.pop("truncated", {})
        answer["data"] = found
    return answer


def _extractor(program: Program, scene: str) -> Extractor | None:
    if scene == "plain":
        return None
    lines = LineFinder(program.name, program.function)
    return EXTRACTORS[scene](lines)


def _dispatch(lines: LineFinder) -> Extractor:
    is_live = self_test.supported()["dispatch"] == "live"
    return DispatchTrace(lines) if is_live else StaticTrace(lines)


EXTRACTORS: dict[str, Callable[[LineFinder], Extractor]] = {
    "dispatch": _dispatch,
    "graph": GraphWatch,
    "storage": StorageWatch,
    "compile": CompileWatch,
    "memory": MemoryWatch,
}

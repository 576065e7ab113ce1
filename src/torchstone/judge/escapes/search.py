"""Search for escapes from the bans of one problem, and the count of what was found."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torchstone.bank.schema import Deny
from torchstone.judge.child.zygote_messages import Bans
from torchstone.judge.escapes.explained import Explanation, read_table
from torchstone.judge.escapes.sandboxed import searching

# The callables that were tried, of all that are.
OnTried = Callable[[int, int], None]
COUNTS = ("callables", "called", "refused", "equal", "unexplained", "crashes")
# A job that ends by an exception of the search, which it reports; what was called may end it with
# the same status and no report. The clock may interrupt it between two calls.
_FAULT, _OF_THE_CALLED = 70, "TooLong"
# Not signals of a fault: the search itself ends what does not return, the kernel what takes too
# much processor time, and the filter of system calls what makes one that no honest job makes.
_LIMITS = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGSYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One callable that gave a banned result, or ended its process without a report.

    Attributes:
        name: The callable.
        outcome: ``equal`` or ``crash``.
        form: The arguments of the call, in words.
        result: The banned operator whose result it gave, or the name of the signal.
        reason: Why it is no escape; empty if nothing explains it.
    """

    name: str
    outcome: str
    form: str
    result: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Escapes:
    """What a search found for one problem.

    Attributes:
        problem: Its number.
        callables: How many callables a submission reaches.
        called: How many of them were called.
        refused: How many ended the process by a ban, those included that are stubs.
        calls: How many calls were made.
        findings: Each callable that gave a banned result or crashed, once for each result.
        is_whole: Whether the search came to its end; an interruption keeps what was found.
    """

    problem: str
    callables: int = 0
    called: int = 0
    refused: int = 0
    calls: int = 0
    findings: list[Finding] = field(default_factory=list)
    is_whole: bool = True

    @property
    def equal(self) -> int:
        """Count the callables that gave a banned result."""
        return self._count("equal")

    @property
    def crashes(self) -> int:
        """Count the callables that ended the process by a signal."""
        return self._count("crash")

    @property
    def unexplained(self) -> int:
        """Count the findings that nothing explains."""
        return sum(not finding.reason for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts by their names."""
        return {name: getattr(self, name) for name in COUNTS}

    @property
    def entry(self) -> dict[str, Any]:
        """Return all of it for JSON."""
        findings = [asdict(finding) for finding in self.findings]
        return {"problem": self.problem, **self.counts, "findings": findings}

    def _count(self, outcome: str) -> int:
        return len({each.name for each in self.findings if each.outcome == outcome})


def sum_of(found: Iterable[Escapes]) -> dict[str, int]:
    """Return the sums of the counts of several problems."""
    counts = [each.counts for each in found]
    return {name: sum(each[name] for each in counts) for name in COUNTS}


def bans_only(deny: Deny) -> Bans:
    """Return what `child.bans.impose` takes for a submission in Python."""
    return {
        "families": list(deny.families),
        "forward_only": list(deny.forward_only),
        "functions": list(deny.functions),
        "modules": list(deny.modules),
    }


def search(
    problem: str,
    deny: Deny,
    cache: Path,
    *,
    on_tried: OnTried = lambda done, total: None,
    options: Mapping[str, Any] | None = None,
) -> Escapes:
    """Search for escapes from the bans of a problem.

    A KeyboardInterrupt ends it with what was found so far.

    Args:
        problem: Its number.
        deny: What it bans.
        cache: The folder of what was found out about this machine.
        on_tried: Called now and then with the progress.
        options: Further entries of the order, see ``child.search.process``.

    Raises:
        JudgeUnavailable: There is no sandbox, or torch cannot be imported in it.
        NativeBuildError: The bans cannot be compiled.
    """
    order = {"bans": bans_only(deny), **(options or {})}
    try:
        with searching(cache, order) as messages:
            return gather(problem, messages, read_table(), on_tried)
    except KeyboardInterrupt:  # before anything was called
        return Escapes(problem=problem, is_whole=False)


def gather(
    problem: str,
    messages: Iterable[Mapping[str, Any]],
    table: Iterable[Explanation],
    on_tried: OnTried = lambda done, total: None,
) -> Escapes:
    """Count what a search says, and explain what the table explains.

    A KeyboardInterrupt ends it with what was found so far.
    """
    found, counter = Escapes(problem=problem), _Counter(list(table))
    try:
        for message in messages:
            if message["did"] == "progress":
                found.called = max(found.called, message["done"])
                on_tried(message["done"], message["total"])
            else:
                counter.add(found, message)
    except KeyboardInterrupt:
        found.is_whole = False
    return found


@dataclass(slots=True)
class _Counter:
    explanations: list[Explanation]
    seen: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, found: Escapes, message: Mapping[str, Any]) -> None:
        """Count one message."""
        match message["did"]:
            case "counted":
                found.callables += message["callables"]
                found.refused += message["closed"]
            case "refused":
                found.refused += not message["is_closed"]
            case "called":
                found.called, found.calls = message["callables"], message["calls"]
            case "equal":
                self._note(found, "equal", message, message["result"])
            case "ended":
                self._note_end(found, message)

    def _note_end(self, found: Escapes, message: Mapping[str, Any]) -> None:
        status, report = message["status"], message["report"]
        if status == _FAULT and report and not report.startswith(_OF_THE_CALLED):
            raise AssertionError(f"the search itself failed: {message}")
        if status < 0 and status not in _LIMITS:
            self._note(found, "crash", message, signal.Signals(-status).name)

    def _note(self, found: Escapes, outcome: str, message: Mapping[str, Any], result: str) -> None:
        name, form = message["name"], message["form"]
        if (name, outcome, result) in self.seen:
            return
        self.seen.add((name, outcome, result))
        reasons = (
            each.reason for each in self.explanations if each.explains(outcome, name, form, result)
        )
        finding = Finding(
            name=name, outcome=outcome, form=form, result=result, reason=next(reasons, "")
        )
        found.findings.append(finding)

"""Search for escapes from the bans of one problem, with counts of the findings."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torchstone.bank.schema import Deny
from torchstone.judge.child.protocol.zygote_messages import Bans
from torchstone.judge.escapes.explained import Explanation, read_table
from torchstone.judge.escapes.sandboxed import searching

# Receives the number of callables tried, and the number of all.
OnTried = Callable[[int, int], None]
COUNTS = ("callables", "called", "refused", "equal", "unexplained", "crashes")
# Exit status of a job that ends by an exception of the search, which it reports; a called function
# may end it with the same status and no report. The timer may interrupt it between two calls.
_FAULT, _OF_THE_CALLED = 70, "TooLong"
# Signals that are no crashes: the search kills calls that do not return, the kernel kills at the
# CPU limit, and the seccomp filter at a hostile system call.
_LIMITS = {-signal.SIGKILL, -signal.SIGXCPU, -signal.SIGSYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A callable that gave a banned result, or ended its process without a report.

    Attributes:
        name: The callable.
        outcome: ``equal`` or ``crash``.
        form: A description of the call's arguments.
        result: The banned operator whose result it gave, or the name of the signal.
        reason: Why it is no escape; empty if no explanation applies.
    """

    name: str
    outcome: str
    form: str
    result: str
    reason: str


@dataclass(slots=True, kw_only=True)
class Escapes:
    """Findings of a search for one problem.

    Attributes:
        problem: The problem's number.
        callables: Number of callables that a submission can reach.
        called: Number of them that were called.
        refused: Number of them that ended the process by a ban, including stubs.
        calls: Number of calls.
        findings: Each callable that gave a banned result or crashed, once for each result.
        is_whole: Whether the search ran to its end; findings of an interrupted search are kept.
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
        """Return the number of callables that gave a banned result."""
        return self._count("equal")

    @property
    def crashes(self) -> int:
        """Return the number of callables that ended the process by a signal."""
        return self._count("crash")

    @property
    def unexplained(self) -> int:
        """Return the number of findings without an explanation."""
        return sum(not finding.reason for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in COUNTS}

    @property
    def entry(self) -> dict[str, Any]:
        """Return the counts and findings for JSON."""
        findings = [asdict(finding) for finding in self.findings]
        return {"problem": self.problem, **self.counts, "findings": findings}

    def _count(self, outcome: str) -> int:
        return len({each.name for each in self.findings if each.outcome == outcome})


def sum_of(found: Iterable[Escapes]) -> dict[str, int]:
    """Return the sums of the counts of several problems."""
    counts = [each.counts for each in found]
    return {name: sum(each[name] for each in counts) for name in COUNTS}


def bans_only(deny: Deny) -> Bans:
    """Return the argument of `child.bans.bans.impose` for a Python submission."""
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

    A KeyboardInterrupt ends the search; earlier findings are returned.

    Args:
        problem: The problem's number.
        deny: The problem's bans.
        cache: The folder of cached probes of this machine.
        on_tried: Called at intervals with the progress.
        options: Further entries of the order, see ``escapes.calling.process``.

    Raises:
        JudgeUnavailable: There is no sandbox, or torch cannot be imported in it.
        NativeBuildError: The bans cannot be compiled.
    """
    order = {"bans": bans_only(deny), **(options or {})}
    try:
        with searching(cache, order) as messages:
            return gather(problem, messages, read_table(), on_tried)
    except KeyboardInterrupt:  # before any call
        return Escapes(problem=problem, is_whole=False)


def gather(
    problem: str,
    messages: Iterable[Mapping[str, Any]],
    table: Iterable[Explanation],
    on_tried: OnTried = lambda done, total: None,
) -> Escapes:
    """Count the messages of a search, and apply the table's explanations.

    A KeyboardInterrupt ends it; earlier findings are returned.
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

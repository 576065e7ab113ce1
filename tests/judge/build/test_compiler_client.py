"""Variants are built from whole programs, and why one is not built is said in both languages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.shipped import shipped_bank
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build.build_service import BuildService
from torchstone.judge.build.compiler_client import CompilerClient, _outcome
from torchstone.judge.order import Cancelled, Order
from torchstone.judge.process.channel import Ended, How
from torchstone.judge.replies import Refused

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("number", ["41", "42op", "49", "50"])
def test_variants_are_built_from_the_whole_program(number: str, tmp_path: Path) -> None:
    problem = shipped_bank().get(number)
    built: list[str] = []

    def build_variant(source: str, launcher: object) -> dict[str, bytes]:
        built.append(source)
        return {}

    compiler: Any = SimpleNamespace(
        order=SimpleNamespace(assignment=assignment_of(problem)),
        built=dict,
        prepare=dict,
        build_variant=build_variant,
    )
    found = {
        name: source
        for name, source, _ in BuildService(tmp_path / "simulators", pytest.fail).variants(compiler)
    }
    # A package without a group fails before the first case: there is nothing to compare.
    assert found == {wrong.name: wrong.source for wrong in problem.wrong if wrong.group}
    assert problem.spec.operator is not None or built == list(found.values())


def test_variants_that_fail_in_the_group_of_the_answer_come_first(tmp_path: Path) -> None:
    # The time of all variants is limited, so those that are likely the answer's come first.
    problem = shipped_bank().get("50")
    compiler: Any = SimpleNamespace(
        order=SimpleNamespace(assignment=assignment_of(problem)),
        build_variant=lambda source, launcher: {"wheel": b""},
    )
    order = [
        name
        for name, _, _ in BuildService(tmp_path / "simulators", pytest.fail).variants(
            compiler, "layout"
        )
    ]
    groups = [wrong.group for name in order for wrong in problem.wrong if wrong.name == name]
    assert groups[:3] == ["layout"] * 3
    assert "layout" not in groups[3:]
    assert order[3:] == sorted(order[3:])


class Sandbox:
    """Stand for the channel of a compiler: answer with a wheel, unless the job is cancelled."""

    def __init__(self, *, refused: bool = False, cancel: Callable[[], None] = lambda: None) -> None:
        self.cancelled = self.closed = False
        self.written = bytearray()
        self._refused, self._cancel = refused, cancel

    def post(self, buffers: object, on_wait: object) -> None: ...

    def exchange(self, buffers: object, on_wait: Callable[[], float]) -> Any:
        self._cancel()
        on_wait()
        if self.cancelled:
            raise Ended(How.CANCELLED)
        bad = {"refused": "CE", "key": "package_build", "word": "", "line": 0}
        reply: Any = bad if self._refused else {"built": {"wheel": b"PK"}}
        return SimpleNamespace(decode=lambda: reply)

    def finish(self) -> None: ...

    def close(self) -> None:
        self.closed = True


@dataclass(frozen=True)
class Used:
    """Stand for a meter."""

    cpu_s: float
    is_active: bool = True

    def read(self) -> "Used":
        return self


def client(source: str, channel: Sandbox, cpu_s: float) -> CompilerClient:
    """Make a compiler of problem 50 without a process."""
    assignment = assignment_of(shipped_bank().get("50"))
    fields: Any = {
        "order": Order(assignment=assignment, source=source, seed=0),
        "channel": channel,
        "_process": SimpleNamespace(pid=1, wait=lambda timeout=None: 0, poll=lambda: None),
        "_launch": SimpleNamespace(close=lambda: None),
        "_meter": Used(cpu_s),
        "_start": None,
    }
    return CompilerClient(**fields)


@dataclass
class Started:
    """Note each compiler that is started, with the channels that they get."""

    channels: list[Sandbox] = field(default_factory=list)
    compilers: list[CompilerClient] = field(default_factory=list)

    def start(self, order: Order, launch: object) -> CompilerClient:
        self.compilers.append(client(order.source, self.channels[len(self.compilers)], 2.0))
        return self.compilers[-1]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    made = Started()
    monkeypatch.setattr(CompilerClient, "start", made.start)
    monkeypatch.setattr("torchstone.judge.build.compiler_client.refuse_wheel", lambda *_: None)
    monkeypatch.setattr("os.killpg", lambda *_: None)
    return made


def test_a_variant_of_a_package_is_built_apart_from_the_submission(started: Started) -> None:
    # Code of the submission has run where it was built, and may have changed anything there.
    own = client("submission", Sandbox(), 1.0)
    started.channels = [Sandbox(), Sandbox(refused=True)]
    assert own.build_variant("variant", {}) == {"wheel": b"PK"}
    assert own.build_variant("broken", {}) is None
    assert [each.order.source for each in started.compilers] == ["variant", "broken"]
    assert all(each.closed for each in started.channels)
    assert own.spent_cpu_s() == 5.0


def test_a_cancelled_job_ends_the_build_of_a_variant(started: Started) -> None:
    own = client("submission", Sandbox(), 1.0)
    started.channels = [Sandbox(cancel=lambda: setattr(own.channel, "cancelled", True))]
    with pytest.raises(Cancelled):
        own.build_variant("variant", {})
    assert started.channels[0].closed


def detail(word: str) -> Mapping[str, str]:
    return _outcome(Refused(refused=Verdict.CE, key="compiler", word=word, line=3)).detail


def test_a_refusal_of_the_simulator_is_said_in_both_languages() -> None:
    assert detail("a shuffle moves values of at most eight bytes") == {
        "en": "Line 3: a shuffle moves values of at most eight bytes",
        "zh": "第 3 行：洗牌的值不能超过 8 字节",
    }


def test_a_compiler_s_own_message_stays_as_it_is() -> None:
    said = "'y' was not declared in this scope"
    assert detail(said) == {"en": f"Line 3: {said}", "zh": f"第 3 行：{said}"}


def test_what_controls_a_terminal_is_gone_in_every_language() -> None:
    said = detail("\x1b[2Ja shuffle moves values of at most eight bytes")
    assert all("\x1b" not in each for each in said.values())

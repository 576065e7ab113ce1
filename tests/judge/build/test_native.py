"""Native submissions from end to end: built in one sandbox, run in another, told in their lines."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Kind
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build import compiler_process
from torchstone.judge.build.compiler_client import CompilerClient
from torchstone.judge.messages import Report
from torchstone.judge.order import JudgeFault, Native, Order
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.process.usage import descendants
from torchstone.judge.receipt import write_receipt
from torchstone.judge.sandbox.levels import achieved, probe_machine

pytestmark = pytest.mark.sandbox

PROBLEM = shipped_bank().get("42")
ASSIGNMENT = assignment_of(PROBLEM)
SOLUTION = PROBLEM.solution.source
LINES = SOLUTION.splitlines()


BEST = achieved(probe_machine())
LEVELS = [level for level in Isolation if level is not Isolation.NONE and BEST.is_at_least(level)]


@pytest.fixture(scope="module", params=LEVELS, ids=str)
def worker_pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), at_most=request.param)
    with made.running():
        assert made.isolation is request.param
        yield made


def judge(worker_pool: WorkerPool, source: str, *groups: str) -> Report:
    order = Order(assignment=ASSIGNMENT, source=source, seed=11, groups=groups or None)
    return worker_pool.judge(order, lambda event: None)


def replaced(old: str, new: str) -> str:
    assert SOLUTION.count(old) >= 1, f"{old} is not in the solution"
    return SOLUTION.replace(old, new, 1)


def test_the_solution_is_accepted_with_its_counters_beside_its_lines(
    worker_pool: WorkerPool,
) -> None:
    report = judge(worker_pool, SOLUTION)
    assert (report.verdict, report.isolation) == ("AC", worker_pool.isolation)
    native = report.native
    assert {star.name for star in native.stars} == {"sectors", "atomics"}
    assert {each.kernel for each in native.counters} == {"add_forward", "add_backward"}
    for kernel in native.counters:
        assert kernel.lines
        assert all(each.text == LINES[each.line - 1].strip() for each in kernel.lines)
    assert native.drawn is None


def test_a_race_is_told_with_both_parties_in_both_languages(worker_pool: WorkerPool) -> None:
    atomic = next(line for line in LINES if "atomicAdd(" in line)
    inside = atomic.strip().removeprefix("atomicAdd(&").removesuffix(");")
    place, _, term = inside.partition(", ")
    number = LINES.index(atomic) + 1
    report = judge(worker_pool, SOLUTION.replace(atomic, f"{place} += {term};"), "broadcast")
    assert (report.verdict, report.group) == ("RACE", "broadcast")
    found = report.native.found[0]
    assert found.en["kind"] in ("RAW", "WAR", "WAW")
    assert {found.en[side]["line"] for side in ("at", "other")} == {number}
    assert found.zh["message"] != found.en["message"]
    assert f"kernel.cu:{number}" in report.native.drawn.zh


@pytest.fixture
def spent_cpu_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list that gets the CPU time of each compiler process and of its compilers."""
    found: list[float] = []
    end = CompilerClient.end

    def note(compiler: CompilerClient) -> None:
        found.append(compiler.spent_cpu_s())
        end(compiler)

    monkeypatch.setattr(CompilerClient, "end", note)
    return found


def test_the_compiler_is_quoted_in_the_learners_own_lines(
    worker_pool: WorkerPool, spent_cpu_s: list[float]
) -> None:
    report = judge(worker_pool, f"{SOLUTION}\nint broken = undeclared;\n")
    line = len(LINES) + 2
    assert (report.verdict, report.error.line) == ("CE", line)
    assert "undeclared" in report.detail.en
    assert 0 < max(spent_cpu_s) < compiler_process.CPU_SECONDS


def test_what_a_kernel_writes_before_its_buffer_is_noticed_at_full_speed(
    worker_pool: WorkerPool,
) -> None:
    out = next(line for line in LINES if "out[" in line and "=" in line)
    report = judge(worker_pool, SOLUTION.replace(out, f"out[-1] = 0.0f;\n{out}"), "large")
    assert report.verdict == "OOB"


def test_receipts_say_that_the_code_was_native(worker_pool: WorkerPool) -> None:
    order = Order(assignment=ASSIGNMENT, source=SOLUTION, seed=5, groups=("sample",))
    receipt = write_receipt(order, worker_pool.judge(order, lambda event: None))
    assert receipt.native is True
    assert receipt.simulator_hash
    assert "findings" in receipt.observed_inside


def compiler_of(worker_pool: WorkerPool, launcher: str) -> CompilerClient:
    native = Native(contract="", launcher=launcher, calls=())
    order = Order(assignment=replace(ASSIGNMENT, recipe=native), source="", seed=1)
    worker_pool._build_service.runtimes()
    return CompilerClient.start(order, partial(worker_pool._compiler_launch, Kind.CUDA))


@pytest.mark.parametrize("path", ["/etc/passwd", str(PROBLEM.solution.path), str(Path.home())])
def test_the_compiler_sees_nothing_but_tools_and_headers(
    worker_pool: WorkerPool, path: str
) -> None:
    assert Path(path).exists()
    told = f'#if __has_include("{path}")\n#error it is seen\n#endif\nint x;\n'
    compiler = compiler_of(worker_pool, told)
    try:
        assert set(compiler.prepare()) == {"fast", "check"}
    except JudgeFault as fault:
        # Where there is no file tree of its own, the name may be known, but not read.
        if worker_pool.isolation is not Isolation.CONFINED or "Permission denied" not in str(fault):
            raise
    finally:
        compiler.end()


def test_templates_without_end_are_refused_at_their_depth(
    worker_pool: WorkerPool, spent_cpu_s: list[float]
) -> None:
    source = (
        "template <int N> struct T { typename T<N + 1>::type a; typename T<N + 2>::type b; };\n"
        "T<0> bomb;\n" + SOLUTION
    )
    report = judge(worker_pool, source)
    assert report.verdict == "CE"
    # GCC and Clang say it in other words.
    assert re.search("template instantiation .*depth", report.detail.en)
    assert 0 < max(spent_cpu_s) < compiler_process.CPU_SECONDS


def test_every_process_of_a_compiler_has_a_limit_of_cpu_time(worker_pool: WorkerPool) -> None:
    compiler = compiler_of(worker_pool, "int x;\n")
    try:
        compiler.prepare()
        # The others are those of the sandbox, which only wait.
        (pid,) = [pid for pid in descendants(compiler._process.pid) if is_leaf(pid)]
        limits = Path(f"/proc/{pid}/limits").read_text()
        seconds = compiler_process.CPU_SECONDS
        assert re.search(rf"^Max cpu time +{seconds} +{seconds} ", limits, re.MULTILINE)
    finally:
        compiler.end()


def is_leaf(pid: int) -> bool:
    return list(descendants(pid)) == [pid]


def test_a_compiler_leaves_no_process_and_no_folder(worker_pool: WorkerPool) -> None:
    compiler = compiler_of(worker_pool, "int x;\n")
    process = compiler._process
    compiler.end()
    assert process.poll() is not None
    folder = Path(worker_pool._runtime.name)
    assert not list(folder.glob("worker-*"))


def test_a_compiler_that_dies_is_a_fault_of_the_judge_with_its_output(
    worker_pool: WorkerPool,
) -> None:
    compiler = compiler_of(worker_pool, "this is no C++\n")
    try:
        with pytest.raises(JudgeFault, match="expected unqualified-id"):
            compiler.prepare()
    finally:
        compiler.end()

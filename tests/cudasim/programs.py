"""Build a CUDA program of the tests, run it, and read what it says of itself and what was found."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.cudasim.findings import Finding, read_findings
from torchstone.cudasim.program import build_program, order_file
from torchstone.cudasim.toolchain import Build, find_toolchain

HERE = Path(__file__).parent
WATCHDOG_MS = 3000
RUN_SECONDS = 60.0
ASCENDING, DESCENDING, RANDOM = range(3)
RACES = frozenset({"RAW", "WAR", "WAW"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Hold what the comments of a program say.

    Attributes:
        words: Key of a leading comment (``// expect: RAW``) -> what follows it.
        marks: Line -> the kinds that may be reported there.
    """

    words: dict[str, str]
    marks: dict[int, frozenset[str]] = field(default_factory=dict)

    def kinds(self, key: str) -> frozenset[str]:
        """Return the kinds of findings that a comment names."""
        return _spread(self.words.get(key, "").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Hold how a program ended and what was found in it."""

    exit_code: int
    output: str
    findings: tuple[Finding, ...]


def read_header(path: Path) -> Header:
    """Read the leading comments and the marks of a program."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"// (\w+): (.*)", line)
        if match is None:
            break
        words[match[1]] = match[2]
    marked = ((number, re.search(r"// <- (.+)$", line)) for number, line in enumerate(lines, 1))
    marks = {number: _spread(match[1].split()) for number, match in marked if match}
    return Header(words=words, marks=marks)


def _spread(kinds: list[str]) -> frozenset[str]:
    return frozenset(each for kind in kinds for each in (RACES if kind == "race" else {kind}))


def run_program(
    path: Path,
    build: Build,
    *,
    order: int,
    under: tuple[str, ...] = (),
    watchdog_ms: int = WATCHDOG_MS,
) -> Run:
    """Build a program, run it once with its threads in an order, and read the findings.

    Args:
        path: The program.
        build: How it is built.
        order: Of its threads.
        under: A command that runs it, such as an emulator.
        watchdog_ms: After how long a launch is ended; 0 for never.

    Raises:
        CompileError: The program does not compile.
    """
    product = build_program(find_toolchain(), order_file(path, build=build, executable=True))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        settings = {"REPORT": report, "ORDER": order, "WATCHDOG_MS": watchdog_ms}
        done = subprocess.run(
            [*under, product.path],
            env=os.environ | {f"CUSIM_{name}": str(value) for name, value in settings.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=RUN_SECONDS,
            text=True,
            check=False,
        )
        assert report.exists(), f"{path.name} left no report: {done.returncode} {done.stdout}"
        found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return Run(
        exit_code=done.returncode,
        output=done.stdout,
        findings=read_findings(json.dumps(found)),
    )


def wanted_runs(path: Path) -> list[tuple[Build, int]]:
    """List in which builds and orders a program of the corpus or of the features is run."""
    if path.parent.parent.name == "corpus":
        return [(Build.CHECK, ASCENDING), (Build.CHECK, RANDOM)]
    if not path.name.endswith(".bad.cu"):
        fast = [(Build.FAST, order) for order in (ASCENDING, DESCENDING, RANDOM)]
        return [*fast, (Build.CHECK, ASCENDING), (Build.CHECK, RANDOM)]
    if read_header(path).words["expect"].split()[0] in ("compile", "error"):
        return [(Build.FAST, ASCENDING)]
    return [(Build.CHECK, ASCENDING), (Build.CHECK, RANDOM)]


class Runner:
    """Run programs ahead of the tests that want them, two at a time: compilers take most of it."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(2)
        self._runs: dict[tuple[Path, Build, int], Future[Run]] = {}

    def expect(self, path: Path, wanted: Iterable[tuple[Build, int]]) -> None:
        """Begin with a program in builds and orders."""
        for build, order in wanted:
            key = path, build, order
            if key not in self._runs:
                self._runs[key] = self._pool.submit(run_program, path, build, order=order)

    def run(self, path: Path, build: Build, *, order: int) -> Run:
        """Return how it went, as ``run_program`` does."""
        self.expect(path, [(build, order)])
        return self._runs[path, build, order].result()

    def finish(self) -> None:
        """Wait for all: other tests look at what is built, and measure."""
        wait(self._runs.values())


def lines_of(finding: Finding) -> list[int]:
    """List the lines that a finding names."""
    parties = (finding.at, finding.other)
    return [party.place.line for party in parties if party and party.place]


def misplaced(header: Header, findings: Iterable[Finding]) -> list[Finding]:
    """List the findings of a kind, or at a line, that the marks of a program do not allow."""
    allowed = header.kinds("may")
    return [
        each
        for each in findings
        if not any(
            each.kind in header.marks[line] | allowed
            for line in lines_of(each)
            if line in header.marks
        )
    ]

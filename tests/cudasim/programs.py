"""Build a CUDA program of the tests, run it, and read what it says of itself and what was found."""

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.cudasim.findings import Finding, read_findings
from torchstone.cudasim.program import build_program, order_file
from torchstone.cudasim.toolchain import Build, find_toolchain

HERE = Path(__file__).parent
WATCHDOG_MS = 3000
RUN_SECONDS = 60.0
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
        """Give the kinds of findings that a comment names."""
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


def run_program(path: Path, build: Build, *, order: int) -> Run:
    """Build a program, run it once with its threads in an order, and read the findings.

    Raises:
        CompileError: The program does not compile.
    """
    product = build_program(find_toolchain(), order_file(path, build=build, executable=True))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        settings = {"REPORT": report, "ORDER": order, "WATCHDOG_MS": WATCHDOG_MS}
        done = subprocess.run(
            [product.path],
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


def lines_of(finding: Finding) -> list[int]:
    """List the lines that a finding names."""
    parties = (finding.at, finding.other)
    return [party.place.line for party in parties if party and party.place]

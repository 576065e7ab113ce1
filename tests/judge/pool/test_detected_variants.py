"""Each program of the bank that the detectors refuse is named, or the report says why not.

Its figure has the thread and the line; that of a race has both. Each program costs ten seconds:
with CI=true a third of one for each problem and stated verdict is judged, else all that changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.core.patch import read_program
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import Report
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.cudasim,
    pytest.mark.full,
]

DETECTED = {"RACE", "OOB", "UNINIT"}
FIGURES = {"RACE": {"race", "barrier"}, "OOB": {"bounds"}, "UNINIT": {"unwritten"}}
VERDICT = re.compile(r"^// verdict: (.*)$", re.MULTILINE)


def detected() -> Iterator[Path]:
    """Yield the wrong programs whose header allows a verdict of the detectors."""
    for path in sorted((CONTENT / "problems").glob("4*_*/wrong/*")):
        stated = VERDICT.search(path.read_text(encoding="utf-8"))
        if stated is not None and DETECTED & set(re.split(r"[ |]+", stated[1])):
            yield path


def first_of_each(variants: Iterable[Path]) -> list[Path]:
    """Return one program for each problem and stated verdict."""
    chosen: dict[tuple[Path, str], Path] = {}
    for path in variants:
        (stated,) = VERDICT.findall(path.read_text(encoding="utf-8"))
        chosen.setdefault((path.parent, stated), path)
    return list(chosen.values())


ALL = list(detected())
VARIANTS = first_of_each(ALL) if os.environ.get("CI") == "true" else ALL


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    workers = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir())
    with workers.running():
        yield workers


def test_the_bank_has_programs_for_each_verdict_of_the_detectors() -> None:
    assert len(ALL) >= 49
    texts = " ".join(path.read_text(encoding="utf-8") for path in VARIANTS)
    assert {code for code in DETECTED if code in texts} == DETECTED


@pytest.mark.parametrize(
    "path", VARIANTS, ids=[f"{path.parts[-3].partition('_')[0]}-{path.stem}" for path in VARIANTS]
)
def test_it_is_named_and_its_figure_has_the_lines(pool: WorkerPool, path: Path) -> None:
    folder = path.parents[1]
    source = read_program(folder, f"wrong/{path.name}")
    order = Order(assignment=assignment_of(load_problem(folder)), source=source, seed=8)
    report = pool.judge(order, lambda event: None)
    found = report.misconception
    named = () if found is None else (found.name, *found.alternatives)
    assert path.stem.partition(".")[0] in named, (report.verdict, named, report.detail)
    if report.verdict in DETECTED:
        assert_figure(report, source)


def assert_figure(report: Report, source: str) -> None:
    assert report.native is not None
    assert report.native.drawn is not None
    if all(each.en["kind"] == "deadlock" for each in report.native.found):
        return  # threads that wait for ever have no access, and a text in place of a figure
    assert report.native.hazards
    allowed = FIGURES[report.verdict]
    hazard = next((each for each in report.native.hazards if each.figure in allowed), None)
    assert hazard is not None, [each.figure for each in report.native.hazards]
    sides = {"at": hazard.at, "other": hazard.other}
    parties = {side: party for side, party in sides.items() if party is not None}
    if hazard.figure == "race":
        assert len(parties) == 2
    lines, finding = source.split("\n"), report.native.found[hazard.finding].en
    for side, party in parties.items():
        # The problem's launcher is not shown, so its lines are not named.
        assert (party.line is not None) == (finding[side]["file"] == "kernel.cu"), finding
        if party.line is not None:
            assert lines[party.line - 1].strip().startswith(party.text[:40])
    assert any(party.line is not None for party in parties.values()), finding
    assert hazard.hint.en
    assert hazard.hint.zh

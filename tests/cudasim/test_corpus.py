from pathlib import Path

import pytest

from tests.cudasim.programs import (
    ASCENDING,
    HERE,
    Runner,
    lines_of,
    misplaced,
    read_header,
    wanted_runs,
)
from tests.kept_results import CUDASIM
from torchstone.cudasim.toolchain import Build

pytestmark = [pytest.mark.cudasim, pytest.mark.slow, pytest.mark.kept(*CUDASIM)]

CORPUS = HERE / "corpus"
PROGRAMS = sorted(CORPUS.glob("*/*.cu"))
CORRECT = [path for path in PROGRAMS if read_header(path).words["expect"] == "nothing"]
PLANTED = [path for path in PROGRAMS if path not in CORRECT]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_the_corpus_has_both_kinds_of_programs_in_both_halves() -> None:
    for half in ("tuned", "held"):
        for kind in (CORRECT, PLANTED):
            assert sum(path.parent.name == half for path in kind) >= 40


@pytest.mark.parametrize("path", CORRECT, ids=name_of)
def test_nothing_is_found_in_a_correct_program(path: Path, programs: Runner) -> None:
    for build, order in wanted_runs(path):
        run = programs.run(path, build, order=order)
        assert [(each.kind, lines_of(each), each.detail) for each in run.findings] == []
        assert run.exit_code == 0, run.output


def test_packs_are_aligned_beside_wider_vectors(programs: Runner) -> None:
    """Run fast what a compiler made an array of, with vectors twice as wide, and misaligned it."""
    run = programs.run(CORPUS / "tuned" / "packs_in_a_leaf.cu", Build.FAST, order=ASCENDING)
    assert (run.exit_code, run.output, run.findings) == (0, "", ())


@pytest.mark.parametrize("path", PLANTED, ids=name_of)
def test_a_planted_bug_is_found_at_its_line_and_nothing_else(path: Path, programs: Runner) -> None:
    header = read_header(path)
    expected = header.kinds("expect")
    assert header.marks
    seen = set()
    for build, order in wanted_runs(path):
        findings = programs.run(path, build, order=order).findings
        for each in misplaced(header, findings):
            pytest.fail(f"{each.kind} at {lines_of(each)}: {each.detail}")
        seen |= {each.kind for each in findings}
    assert seen & expected, f"{sorted(expected)} is not found at {sorted(header.marks)}"

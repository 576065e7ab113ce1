import re
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.cudasim.programs import ASCENDING, HERE, Runner, read_header, wanted_runs
from torchstone.cudasim.toolchain import Build, CompileError

pytestmark = pytest.mark.cudasim

FEATURES = HERE / "features"
GOOD = sorted(path for path in FEATURES.glob("*.cu") if not path.name.endswith(".bad.cu"))
BAD = sorted(FEATURES.glob("*.bad.cu"))
# The features of the gate; the rest is left to `full`.
GATE = frozenset(
    """atomics_float half_arithmetic groups_tile_shuffle language_printf language_templates
    memory_managed runtime_streams vector_load_wide warp_reduce wmma_half""".split()
)


def feature_of(path: Path) -> str:
    return path.name.removesuffix(".cu").removesuffix(".bad")


def programs_of(paths: list[Path]) -> list[ParameterSet]:
    return [
        pytest.param(
            path, marks=() if feature_of(path) in GATE else pytest.mark.full, id=feature_of(path)
        )
        for path in paths
    ]


def test_every_feature_has_a_program_that_uses_it_and_one_that_misuses_it() -> None:
    assert [path.stem for path in GOOD] == [path.name.removesuffix(".bad.cu") for path in BAD]
    assert len(GOOD) >= 60
    assert {feature_of(path) for path in GOOD} >= GATE
    for path in GOOD:
        assert read_header(path).words.keys() >= {"feature", "area"}, path.name


@pytest.mark.parametrize("path", programs_of(GOOD))
def test_a_feature_works_in_both_builds_and_every_order(path: Path, programs: Runner) -> None:
    for build, order in wanted_runs(path):
        run = programs.run(path, build, order=order)
        assert run.exit_code == 0, f"{build} order {order}: {run.output}"
        expected = read_header(path).kinds("finds")
        assert {each.kind for each in run.findings} <= expected, run.findings


@pytest.mark.parametrize("path", programs_of(BAD))
def test_misuse_of_a_feature_is_told(path: Path, programs: Runner) -> None:
    what, _, rest = read_header(path).words["expect"].partition(" ")
    if what == "compile":
        with pytest.raises(CompileError, match=re.escape(rest)):
            programs.run(path, Build.FAST, order=ASCENDING)
    elif what == "error":
        run = programs.run(path, Build.FAST, order=ASCENDING)
        assert run.exit_code == 0, f"{rest} did not come: {run.output}"
    else:
        found = {
            each.kind
            for build, order in wanted_runs(path)
            for each in programs.run(path, build, order=order).findings
        }
        assert found & read_header(path).kinds("expect"), found

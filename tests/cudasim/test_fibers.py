import pytest

from tests.cudasim.programs import ASCENDING, HERE, RANDOM, run_program
from torchstone.cudasim.toolchain import Build, find_toolchain

pytestmark = pytest.mark.cudasim

# Barriers, operations of a warp, a grid that waits for itself, a fiber that is given up.
PROGRAMS = ("language_shared_static", "warp_shuffle_forms", "groups_grid", "runtime_errors")


@pytest.mark.full
def test_fibers_are_switched_without_assembler_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSIM_PORTABLE", "1")
    assert b"swapcontext" in find_toolchain().runtime(Build.FAST).read_bytes()
    for name in PROGRAMS:
        for order in (ASCENDING, RANDOM):
            run = run_program(HERE / "features" / f"{name}.cu", Build.FAST, order=order)
            assert run.exit_code == 0, run.output

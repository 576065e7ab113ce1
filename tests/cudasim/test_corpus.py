from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.cudasim.programs import (
    ASCENDING,
    HERE,
    Runner,
    lines_of,
    misplaced,
    read_header,
    wanted_runs,
)
from torchstone.cudasim.toolchain import Build

pytestmark = pytest.mark.cudasim

CORPUS = HERE / "corpus"
PROGRAMS = sorted(CORPUS.glob("*/*.cu"))
CORRECT = [path for path in PROGRAMS if read_header(path).words["expect"] == "nothing"]
PLANTED = [path for path in PROGRAMS if path not in CORRECT]
# The programs of the gate; the rest is left to `full`.
GATE = frozenset(
    """held/argmax_packed held/attention_unfused held/bfs_frontier_queue
    held/cuda_barrier_double_buffer held/gemm_double_buffer held/grid_sync_reduction
    held/layernorm_cg_forward
    tuned/cp_async_gemm_stages tuned/packs_in_a_leaf tuned/reduce_last_block
    tuned/softmax_online_warp tuned/topk_per_row
    held/barrier_in_both_branches held/block_scope_atomic_over_blocks held/copy_of_a_pointers_size
    held/dot_double_free held/filter_read_behind_its_end held/gemm_without_barrier_after_load
    held/hist_global_plain_increment held/neighbour_lane_without_syncwarp
    tuned/barrier_in_grid_stride_loop tuned/cp_async_not_waited_for tuned/fence_after_flag
    tuned/kernel_after_free tuned/reduce_unfilled_tail""".split()
)


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def programs_of(paths: list[Path]) -> list[ParameterSet]:
    return [
        pytest.param(
            path, marks=() if name_of(path) in GATE else pytest.mark.full, id=name_of(path)
        )
        for path in paths
    ]


def test_the_corpus_has_both_kinds_of_programs_in_both_halves() -> None:
    assert {name_of(path) for path in PROGRAMS} >= GATE
    for half in ("tuned", "held"):
        for kind in (CORRECT, PLANTED):
            assert sum(path.parent.name == half for path in kind) >= 40


@pytest.mark.parametrize("path", programs_of(CORRECT))
def test_nothing_is_found_in_a_correct_program(path: Path, programs: Runner) -> None:
    for build, order in wanted_runs(path):
        run = programs.run(path, build, order=order)
        assert [(each.kind, lines_of(each), each.detail) for each in run.findings] == []
        assert run.exit_code == 0, run.output


def test_packs_are_aligned_beside_wider_vectors(programs: Runner) -> None:
    """Run fast what a compiler made an array of, with vectors twice as wide, and misaligned it."""
    run = programs.run(CORPUS / "tuned" / "packs_in_a_leaf.cu", Build.FAST, order=ASCENDING)
    assert (run.exit_code, run.output, run.findings) == (0, "", ())


@pytest.mark.parametrize("path", programs_of(PLANTED))
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

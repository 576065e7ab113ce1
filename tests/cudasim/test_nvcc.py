"""What nvcc says is read; where there is none, there is no answer and no error."""

import sys
from pathlib import Path

import pytest

from torchstone.cudasim.nvcc import (
    MULTIPROCESSORS,
    Resources,
    ask_nvcc,
    compute_occupancy,
    find_nvcc,
    read_resources,
)

pytestmark = pytest.mark.pure

SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5scaleIfEvPT_S0_' for 'sm_80'
ptxas info    : Function properties for _Z5scaleIfEvPT_S0_
    400 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 400 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Function properties for _Z6helperf
    8 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
ptxas info    : Compiling entry function 'plain' for 'sm_80'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]
"""
PLAIN = Resources(
    kernel="plain", registers=8, spill_store_bytes=0, spill_load_bytes=0, stack_bytes=0,
    shared_bytes=0,
)  # fmt: skip
PROGRAM = 'extern "C" __global__ void plain(float* x) { x[threadIdx.x] = 1; }\n'


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "-program.cu"
    path.write_text(PROGRAM)
    return path


def write_nvcc(folder: Path, *, says: str, code: int = 0) -> Path:
    """Write an nvcc that leaves its arguments beside it, and says what it is told."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "said").write_text(says)
    script = folder / "nvcc"
    script.write_text(
        f"#!{sys.executable}\nimport sys, pathlib\n"
        f"here = pathlib.Path({str(folder)!r})\n"
        "(here / 'arguments').write_text('\\n'.join(sys.argv[1:]))\n"
        "sys.stderr.write((here / 'said').read_text())\n"
        f"sys.exit({code})\n"
    )
    script.chmod(0o755)
    return script


def without_nvcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.setattr("sys.path", [str(empty)])
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)


def test_registers_spills_stack_and_shared_bytes_are_read() -> None:
    scale, plain = read_resources(SAID.splitlines())
    assert (scale.registers, scale.spill_store_bytes, scale.spill_load_bytes) == (40, 12, 16)
    assert (scale.stack_bytes, scale.shared_bytes) == (400, 2048)
    assert plain == PLAIN


def test_names_are_those_that_the_simulator_uses() -> None:
    scale, _ = read_resources(SAID.splitlines())
    assert scale.kernel == "scale<float>"


def test_names_stay_as_they_are_without_a_tool_that_reads_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without_nvcc(monkeypatch, tmp_path)
    assert read_resources(SAID.splitlines())[0].kernel == "_Z5scaleIfEvPT_S0_"


def test_nvcc_is_asked_for_the_kernels_of_a_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: Path
) -> None:
    script = write_nvcc(tmp_path / "bin", says=SAID)
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    answer = ask_nvcc(program, arch="sm_90")
    assert answer is not None
    assert (answer.arch, answer.error) == ("sm_90", "")
    assert [each.kernel for each in answer.kernels] == ["scale<float>", "plain"]
    arguments = (script.parent / "arguments").read_text().split("\n")
    assert {"-std=c++17", "-arch=sm_90", "-cubin", "-Xptxas", "-v"} <= set(arguments)
    assert arguments[-1] == str(program)


def test_what_nvcc_refuses_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: Path
) -> None:
    script = write_nvcc(tmp_path / "bin", says="program.cu(3): error: no such thing\n", code=2)
    monkeypatch.setenv("PATH", str(script.parent))
    answer = ask_nvcc(program)
    assert answer is not None
    assert answer.error == "program.cu(3): error: no such thing"
    assert answer.kernels == ()
    (script.parent / "said").write_text("")
    silent = ask_nvcc(program)
    assert silent is not None
    assert silent.error == "nvcc ended with 2"


def test_without_nvcc_there_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: Path
) -> None:
    without_nvcc(monkeypatch, tmp_path)
    assert find_nvcc() is None
    assert ask_nvcc(program) is None


def test_an_nvcc_that_cannot_be_started_gives_no_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: Path
) -> None:
    script = write_nvcc(tmp_path / "bin", says="")
    script.write_text("#!/no/such/interpreter\n")
    monkeypatch.setenv("PATH", str(script.parent))
    assert ask_nvcc(program) is None


@pytest.mark.parametrize("folder", ["cu13", "cuda_nvcc"])
def test_nvcc_is_found_in_the_wheels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    without_nvcc(monkeypatch, tmp_path)
    script = write_nvcc(tmp_path / "site" / "nvidia" / folder / "bin", says="")
    monkeypatch.setattr("sys.path", [str(tmp_path / "site")])
    assert find_nvcc() == script
    script.chmod(0o644)
    assert find_nvcc() is None


@pytest.mark.parametrize(
    ("arch", "taken", "threads", "dynamic", "blocks", "fraction", "limits"),
    [
        ("sm_80", {"registers": 32}, 256, 0, 8, 1.0, ("threads", "registers")),
        ("sm_80", {"registers": 33}, 256, 0, 6, 0.75, ("registers",)),
        ("sm_80", {"registers": 255}, 256, 0, 1, 0.125, ("registers",)),
        ("sm_80", {"registers": 255}, 512, 0, 0, 0.0, ("registers",)),
        ("sm_80", {}, 32, 0, 32, 0.5, ("blocks",)),
        ("sm_80", {}, 1, 0, 32, 0.5, ("blocks",)),
        ("sm_80", {"shared_bytes": 16384}, 128, 0, 9, 0.5625, ("shared memory",)),
        ("sm_80", {"shared_bytes": 8192}, 128, 8192, 9, 0.5625, ("shared memory",)),
        ("sm_80", {}, 128, 164 << 10, 0, 0.0, ("shared memory",)),
        ("sm_90", {"shared_bytes": 16384}, 128, 0, 13, 0.8125, ("shared memory",)),
        ("sm_86", {"registers": 32}, 1024, 0, 1, 2 / 3, ("threads",)),
        ("sm_89", {}, 32, 0, 24, 0.5, ("blocks",)),
    ],
)
def test_occupancy_is_what_the_scarcest_of_all_allows(
    arch: str, taken: dict[str, int], threads: int, dynamic: int, blocks: int, fraction: float,
    limits: tuple[str, ...],
) -> None:  # fmt: skip
    names = ("registers", "spill_store_bytes", "spill_load_bytes", "stack_bytes", "shared_bytes")
    resources = Resources(kernel="k", **(dict.fromkeys(names, 0) | taken))
    found = compute_occupancy(resources, num_threads=threads, dynamic_bytes=dynamic, arch=arch)
    assert (found.blocks, found.limits) == (blocks, limits)
    assert found.fraction == pytest.approx(fraction)


def test_every_card_has_room_for_a_block_of_1024_threads() -> None:
    for arch in MULTIPROCESSORS:
        assert compute_occupancy(PLAIN, num_threads=1024, arch=arch).blocks >= 1


def test_the_real_nvcc_is_understood_where_there_is_one(tmp_path: Path, program: Path) -> None:
    """Without one, what it once said stands for it."""
    answer = ask_nvcc(program)
    kernels = answer.kernels if answer else read_resources(SAID.splitlines()[-4:])
    (plain,) = kernels
    assert (plain.kernel, plain.spill_store_bytes, plain.shared_bytes) == ("plain", 0, 0)
    assert 1 <= plain.registers <= 32

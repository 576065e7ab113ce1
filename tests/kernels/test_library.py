"""The kernels are built when they are wanted, kept, and done without where they cannot be built."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.kernels import build
from torchstone.kernels.background import obtain

pytestmark = pytest.mark.torch

PROGRAM = """
import warnings
import torch
from torchstone import kernels
from torchstone.kernels.library import instruction_set

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x = torch.randn(4, 6)
    for _ in range(2):
        out = kernels.layer_norm(x, 6)
assert torch.allclose(out, torch.nn.functional.layer_norm(x, (6,)), atol=1e-5)
print(len(caught), instruction_set())
for each in caught:
    print(each.category.__name__, each.message)
"""


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ("fpu sse2", ["plain"]),
        ("fma f16c avx2", ["plain", "avx2"]),
        ("fma avx2 f16c avx512f avx512bw avx512dq avx512vl", ["plain", "avx2", "avx512"]),
        (
            "fma avx2 f16c avx512f avx512bw avx512dq avx512vl avx512_bf16",
            ["plain", "avx2", "avx512", "avx512_bf16"],
        ),
        # Where the kernel does not say.
        (None, ["plain", "avx2", "avx512", "avx512_bf16"]),
    ],
)
def test_what_the_processor_lacks_is_not_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: str | None, names: list[str]
) -> None:
    monkeypatch.setattr(build.platform, "machine", lambda: "x86_64")
    cpuinfo = tmp_path / "cpuinfo"
    if flags is not None:
        cpuinfo.write_text(f"processor\t: 0\nflags\t\t: {flags}\n\n")
    assert list(build.runnable_sets(cpuinfo)) == names
    monkeypatch.delenv("TORCHSTONE_KERNEL_SETS", raising=False)
    assert list(build.compiled_sets(cpuinfo)) == (names if flags is None else names[-1:])
    monkeypatch.setenv("TORCHSTONE_KERNEL_SETS", "all")
    assert list(build.compiled_sets(cpuinfo)) == names


def run(**environment: str) -> str:
    """Run the program with other variables; give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_compiler_the_reference_serves_and_says_so_once(tmp_path: Path) -> None:
    said = run(PATH=str(tmp_path), CXX="", TORCHSTONE_CACHE=str(tmp_path / "cache"))
    first, warning = said.splitlines()
    assert first == "1 reference"
    assert warning.startswith("RuntimeWarning torchstone.kernels computes with plain torch")
    assert "there is no C++ compiler: install g++" in warning


@pytest.mark.full
def test_a_compiler_that_fails_is_told_with_its_words(tmp_path: Path) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text("#!/bin/sh\necho no such dialect >&2\nexit 1\n")
    compiler.chmod(0o755)
    said = run(CXX=str(compiler), TORCHSTONE_CACHE=str(tmp_path / "cache"))
    assert said.startswith("1 reference\n")
    assert "does not compile the kernels:\nno such dialect" in said
    assert not list((tmp_path / "cache" / "kernels").glob("kernels-*.part"))


@pytest.mark.full
def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("")
    said = run(TORCHSTONE_CACHE=str(place))
    assert said.startswith("1 reference\n")
    assert str(place) in said


@pytest.mark.full
def test_what_is_built_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not optimised, which takes most of the time; what every other test calls is.
    compiler, log = tmp_path / "c++", tmp_path / "calls"
    real = shlex.join(build.find_compiler())
    compiler.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec {real} "$@" -O0\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path))
    library = obtain(build.recipe())
    assert library is not None
    before, compiled = library.stat().st_mtime_ns, calls(log)
    assert compiled > 1
    assert obtain(build.recipe()) == library
    assert library.stat().st_mtime_ns == before
    assert [path.name for path in library.parent.iterdir()] == [build.NAME]
    assert "reference" not in run()
    assert calls(log) == compiled


def calls(log: Path) -> int:
    """Count what was compiled and linked; to be asked for its version is no work."""
    return sum(line != "--version" for line in log.read_text().splitlines())

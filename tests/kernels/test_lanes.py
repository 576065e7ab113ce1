"""Every number of 16 bits is read exactly, every float32 rounded right, on each instruction set."""

import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from torchstone.kernels import build

pytestmark = pytest.mark.torch

# Reads float32 from its input; writes all halves and all bfloat16 as float32, then its input
# rounded to both.
PROGRAM = r"""
#include <cstdio>
#include <vector>
#include "lanes.h"
using namespace torchstone::KERNELS_ISA;

template <typename T>
void widen_all() {
    constexpr int N = num_lanes<T>;
    for (int first = 0; first < 65536; first += N) {
        T numbers[N];
        for (int i = 0; i < N; i++) numbers[i].bits = first + i;
        const Vec<float> lanes = load(numbers);
        std::fwrite(&lanes, sizeof(float), N, stdout);
    }
}

template <typename T>
void narrow_all(const std::vector<float>& numbers) {
    constexpr int N = num_lanes<T>;
    for (size_t first = 0; first < numbers.size(); first += N) {
        T rounded[N];
        store(rounded, load(numbers.data() + first));
        std::fwrite(rounded, sizeof(T), N, stdout);
    }
}

int main() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!(RUNS)) return 77;
#endif
    std::vector<float> numbers(1 << 16);
    const size_t count = std::fread(numbers.data(), sizeof(float), numbers.size(), stdin);
    if (count != numbers.size()) return 1;
    widen_all<Half>();
    widen_all<BFloat16>();
    narrow_all<Half>(numbers);
    narrow_all<BFloat16>(numbers);
}
"""
RUNS = {
    "plain": "1",
    "avx2": '__builtin_cpu_supports("avx2")',
    "avx512": '__builtin_cpu_supports("avx512bw")',
    "avx512_bf16": '__builtin_cpu_supports("avx512bf16")',
}


def _numbers() -> np.ndarray:
    """Return float32 of all exponents, with those halfway between two halves, and odd ones."""
    draw = np.random.default_rng(0)
    bits = draw.integers(0, 1 << 32, 1 << 15, dtype=np.uint32)
    near = draw.uniform(-1, 1, 1 << 14).astype(np.float32) * np.float32(2) ** draw.integers(
        -26, 17, 1 << 14
    )
    halves = np.arange(0, 1 << 16, 8, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = (halves.view(np.uint32) + np.uint32(0x1000)).view(np.float32)
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.9, 65520, 3.4e38], np.float32)
    numbers = np.concatenate([bits.view(np.float32), near.astype(np.float32), halves, ties, odd])
    result: np.ndarray = numbers[: 1 << 16] if len(numbers) > 1 << 16 else numbers
    return np.resize(np.concatenate([odd, result]), 1 << 16).astype(np.float32)


@pytest.mark.gate("avx2", "plain")
@pytest.mark.parametrize("name", RUNS)
def test_conversions(name: str, tmp_path: Path) -> None:
    if platform.machine() != "x86_64" and name != "plain":
        return  # these sets are other machines'
    (tmp_path / "lanes.cpp").write_text(PROGRAM)
    flags = build._SETS[platform.machine()][name]
    subprocess.run(
        [
            *build.find_compiler(), *build.FLAGS, *flags, f"-I{build.SOURCES}",
            f"-DKERNELS_ISA={name}", f"-DRUNS={RUNS[name]}", "lanes.cpp", "-o", "lanes",
        ],
        cwd=tmp_path,
        check=True,
    )  # fmt: skip
    numbers = _numbers()
    done = subprocess.run(
        [str(tmp_path / "lanes")], input=numbers.tobytes(), capture_output=True, check=False
    )
    if done.returncode == 77:
        return  # this processor does not have the set
    assert done.returncode == 0
    wide = np.frombuffer(done.stdout[: 2 * 4 << 16], np.float32).reshape(2, -1)
    narrow = np.frombuffer(done.stdout[2 * 4 << 16 :], np.uint16).reshape(2, -1)
    every = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16)
    given = torch.from_numpy(numbers)
    for place, dtype in enumerate((torch.float16, torch.bfloat16)):
        _assert_same(torch.from_numpy(wide[place].copy()), every.view(dtype).float())
        got = torch.from_numpy(narrow[place].view(np.int16).copy()).view(dtype)
        want = given.to(dtype)
        if name == "avx512_bf16":
            # The processor's own instruction takes what is below the normal numbers for zero.
            small = given.abs() < torch.finfo(torch.float32).tiny
            got, want = got[~small], want[~small]
        _assert_same(got, want)


def _assert_same(got: torch.Tensor, want: torch.Tensor) -> None:
    assert torch.equal(got.isnan(), want.isnan())
    known = ~want.isnan()
    assert torch.equal(got[known], want[known])
    assert torch.equal(got[known].signbit(), want[known].signbit())

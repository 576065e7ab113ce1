"""The launcher of native modules: how long a launch may take, and what is counted."""

import json
import resource
import time
from pathlib import Path

import pytest
import torch

from tests.shipped import shipped_bank
from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build.compiler_process import CompilerProcess
from torchstone.judge.child.loaders import native
from torchstone.judge.child.protocol.records import LaunchData
from torchstone.judge.kit import load_code

pytestmark = pytest.mark.cudasim


class Library:
    """Record what the simulator is told."""

    def __init__(self) -> None:
        self.calls: dict[str, tuple[object, ...]] = {}

    def __getattr__(self, name: str) -> object:
        return lambda *given: self.calls.update({name: given})


def hard_limit(seconds: int) -> tuple[int, int]:
    return (seconds + native.SECONDS_FOR_HOST,) * 2


def begin(
    monkeypatch: pytest.MonkeyPatch, *, counts: bool = False, mib: int = 64
) -> dict[str, tuple[object, ...]]:
    runtime = native.Runtime(str(find_toolchain().runtime(Build.FAST)))
    library = Library()
    monkeypatch.setattr(runtime, "_library", library)
    runtime.begin("random", 7, counts=counts, num_bytes=mib << 20)
    return library.calls


@pytest.mark.parametrize(("limit", "used", "left_ms"), [(20, 0.0, 19_000), (20, 12.5, 6_500)])
def test_a_launch_takes_no_more_than_the_cpu_time_that_is_left_to_the_job(
    monkeypatch: pytest.MonkeyPatch, limit: int, used: float, left_ms: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: hard_limit(limit))
    monkeypatch.setattr(time, "process_time", lambda: used)
    assert begin(monkeypatch)["cusim_configure"] == (2, 7, 1, left_ms)


@pytest.mark.parametrize(("mib", "limit_ms"), [(0, 3_000), (1, 4_000), (8, 11_000)])
def test_the_limit_of_a_launch_follows_the_size_of_its_tensors(
    monkeypatch: pytest.MonkeyPatch, mib: int, limit_ms: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: hard_limit(20))
    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    assert begin(monkeypatch, mib=mib)["cusim_configure"] == (2, 7, 1, limit_ms)


def test_a_launch_has_a_limit_when_no_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: hard_limit(20))
    monkeypatch.setattr(time, "process_time", lambda: 21.0)
    assert begin(monkeypatch)["cusim_configure"][-1] == 100


def test_a_launch_has_a_limit_where_the_process_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    assert begin(monkeypatch)["cusim_configure"][-1] == 20_000


@pytest.mark.parametrize(("counts", "blocks"), [(True, 1), (False, 2)])
def test_all_blocks_are_counted_or_none(
    monkeypatch: pytest.MonkeyPatch, counts: bool, blocks: int
) -> None:
    assert begin(monkeypatch, counts=counts)["cusim_count_blocks"] == (blocks,)


ENDLESS = """
#include <cuda_runtime.h>

__global__ void stay() {
    volatile int i = 0;
    while (i == 0) {
        __syncthreads();
    }
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    stay<<<1, 32, 0, stream>>>();
    return cudaGetLastError();
}
"""


def build(source: str, folder: Path) -> native.Module:
    """Build a submission of problem 44 with its launcher, at full speed."""
    problem, toolchain = shipped_bank().get("44"), find_toolchain()
    recipe = assignment_of(problem).native
    assert recipe is not None
    compiler = CompilerProcess(toolchain, folder)
    launcher = compiler.prepare({"contract": recipe.contract, "launcher": recipe.launcher})
    built = compiler.build(
        {
            "source": source,
            "contract": recipe.contract,
            "launcher": launcher,
            "calls": list(recipe.calls),
            "entries": list(problem.spec.entry.names),
            "ask_nvcc": False,
        }
    )
    runtime = native.Runtime(str(toolchain.runtime(Build.FAST)))
    return native.Module(built["built"]["fast"], str(folder), runtime)


def test_an_endless_loop_ends_long_before_the_time_of_the_job(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(native, "LAUNCH_SECONDS", 0.3)
    module = build(ENDLESS, tmp_path)
    code = load_code(shipped_bank().get("44").path)
    (fast, *_) = code.build(code.plan(1)[0]).steps
    begun = time.process_time()
    answer = module.answer(fast.data)
    (order,) = {key.partition(":")[0] for key in answer}
    assert order == "ascending", "the other orders are not tried"
    assert [each["kind"] for each in json.loads(answer["ascending:findings"])] == ["timeout"]
    second = module.answer(fast.data)
    assert second.keys() == {"ascending:findings", "ascending:error"}, "there is no second launch"
    assert second["ascending:findings"] == answer["ascending:findings"]
    # Of processor time; without the limit of its own it takes all that is left.
    assert time.process_time() - begun < native.UNLIMITED_SECONDS / 2


# The first element tells whether the pointers and the stream are those of the launch before, the
# second is the first input; the others are left.
REMEMBERING = """
#include <cuda_runtime.h>

__global__ void tell(const float* A, float* C, int is_known) {
    C[0] = is_known;
    C[1] = A[0];
}

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    static const void* known[4];
    const void* const given[4] = {A, B, C, stream};
    int is_known = 1;
    for (int i = 0; i < 4; i++) {
        is_known = is_known && known[i] == given[i];
        known[i] = given[i];
    }
    tell<<<1, 1, 0, stream>>>(A, C, is_known);
    return cudaGetLastError();
}
"""


def launch_data(*orders: str) -> LaunchData:
    return {
        "operation": "matmul",
        "values": {"M": 1, "N": 3, "K": 1, "lda": 1, "ldb": 3, "ldc": 3,
                   "A": torch.tensor([7.0]), "B": torch.ones(3)},
        "outputs": {"C": (torch.float32, [3])},
        "offsets": {"A": 4, "C": 8},
        "results": ["status", "strays"],
        "seed": 1,
        "orders": list(orders),
        "counts": False,
    }  # fmt: skip


@pytest.mark.full
def test_a_launch_with_other_values_has_the_addresses_of_the_one_before(tmp_path: Path) -> None:
    module = build(REMEMBERING, tmp_path)
    data = launch_data("ascending", "random")
    data["again"] = {"A": torch.tensor([9.0]), "B": torch.zeros(3)}
    answer = module.answer(data)
    outputs = {key: item for key, item in answer.items() if key.endswith("C")}
    assert list(outputs) == ["ascending:C", "random:C", "again:ascending:C"]
    assert [item[:2].tolist() for item in outputs.values()] == [[0, 7], [0, 7], [1, 9]]
    # What the launch before has written is gone.
    assert all(item[2].isnan() for item in outputs.values())
    assert answer["again:ascending:status"] == 0
    assert "again:ascending:broken" not in answer
    # Without other values each launch has memory of its own, also after one that had not.
    for _ in range(2):
        alone = module.answer(launch_data("ascending"))
        assert alone.keys() == {"ascending:C", "ascending:status", "ascending:strays"}
        assert alone["ascending:C"][0] == 0


FAILING = """
#include <cuda_runtime.h>

__global__ void fail() { __trap(); }

extern "C" cudaError_t matmul(const float* A, int lda, const float* B, int ldb, float* C, int ldc,
                              int M, int N, int K, cudaStream_t stream) {
    fail<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
"""


@pytest.mark.full
def test_after_a_launch_that_failed_there_is_none_with_other_values(tmp_path: Path) -> None:
    module = build(FAILING, tmp_path)
    data = launch_data("ascending")
    data["again"] = {"A": torch.tensor([9.0]), "B": torch.zeros(3)}
    for _ in range(2):
        answer = module.answer(data)
        assert "ascending:error" in answer
        assert not [key for key in answer if key.startswith("again:")]

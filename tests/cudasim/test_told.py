"""What a check tells of races, silent ends, missing lanes and kernels that it does not know."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cudasim.test_main import GOOD, call

pytestmark = pytest.mark.cudasim


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(text: str, name: str = "program.cu") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return write


READERS = """#include <cstdio>
#include <cstdlib>
__global__ void count(int* word, int* out) {
    if (threadIdx.x == WRITER) atomicAdd(word, 1);
    else if (IS_READER) out[threadIdx.x] = *word;
}
int main() {
    int *word, *out;
    cudaMalloc(&word, 4); cudaMalloc(&out, 256); cudaMemset(word, 0, 4);
    count<<<1, 64>>>(word, out);
    cudaDeviceSynchronize();
    END
    cudaFree(word); cudaFree(out);
}
"""


def _readers(writer: int, is_reader: str, end: str = "") -> str:
    text = READERS.replace("WRITER", str(writer)).replace("IS_READER", is_reader)
    return text.replace("END", end)


@pytest.mark.full
@pytest.mark.parametrize(
    ("writer", "is_reader", "readers"),
    [
        (0, "true", range(1, 64)),
        (63, "threadIdx.x == 37 || threadIdx.x == 38", (37, 38)),
        (63, "threadIdx.x == 5 || threadIdx.x == 38", (5, 38)),
        (40, "threadIdx.x / 32 == 1", [*range(32, 40), *range(41, 64)]),
    ],
)
def test_a_race_names_threads_that_took_part(
    write: Any, writer: int, is_reader: str, readers: Any
) -> None:
    told = json.loads(call("check", write(_readers(writer, is_reader)), "--json").stdout)
    assert told["findings"]
    for finding in told["findings"]:
        for party in (finding["at"], finding["other"]):
            thread = party["thread"][0]
            assert thread == writer if party["write"] else thread in readers


@pytest.mark.parametrize("end", ["_Exit(0);", "*(volatile int*)nullptr = 1;", "raise(SIGKILL);"])
def test_a_program_that_ends_without_a_word_has_told_what_it_did(write: Any, end: str) -> None:
    text = "#include <csignal>\n" + _readers(0, "true", end)
    checked = call("check", write(text))
    assert checked.returncode == 1
    assert "race in global memory" in checked.stdout
    assert "nothing found" not in checked.stdout


SHUFFLE = """#include <cstdio>
__global__ void fold(float* out) {
    float v = 1;
    for (int d = 16; d; d /= 2) {
        float other = __shfl_down_sync(MASK, v, d);
        v = FOLD;
    }
    out[threadIdx.x] = v;
}
int main() {
    float *out, h[32];
    cudaMalloc(&out, sizeof h); cudaMemset(out, 0, sizeof h);
    fold<<<1, 20>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\\n", h[0]);
    cudaFree(out);
}
"""


@pytest.mark.parametrize("fold", ["v + other", "fmaxf(v, other)", "fminf(v, other)"])
def test_a_value_of_a_lane_that_is_not_there_shows(write: Any, fold: str) -> None:
    text = SHUFFLE.replace("MASK", "0xfffffu").replace("FOLD", fold)
    value = float(call("run", write(text)).stdout)
    assert not abs(value) < 1e30


def test_after_an_invalid_mask_the_result_is_there(write: Any) -> None:
    text = SHUFFLE.replace("MASK", "0xffff").replace(
        "FOLD", "v + (threadIdx.x + d < 16 ? other : 0)"
    )
    checked = call("check", write(text))
    assert checked.stdout.startswith("16\n")
    assert "invalid-mask" in checked.stdout
    assert "deadlock" not in checked.stdout


def test_a_kernel_in_angle_brackets_is_refused(write: Any, tmp_path: Path) -> None:
    header = write("__global__ void hello(int* out) { out[threadIdx.x] = threadIdx.x; }\n",
                   "elsewhere/hello.cuh")  # fmt: skip
    kernel = next(line for line in GOOD.splitlines() if "__global__" in line)
    path = write("#include <hello.cuh>\n" + GOOD.replace(kernel, ""))
    done = call("run", path, CPATH=str(header.parent))
    assert done.returncode != 0
    assert "program.cu:1:11: error: <hello.cuh> declares kernels" in done.stderr
    assert done.stdout == ""

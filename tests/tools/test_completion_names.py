"""The names that the editor completes are those of the installed torch and of cudasim."""

import gzip
import re
import subprocess
import sys

import pytest

from tools import completion_names
from tools.completion_names import FILES, FOLDER, MAX_GZIP_BYTES

pytestmark = [pytest.mark.torch, pytest.mark.slow]


def test_the_committed_names_are_the_generated_ones() -> None:
    # In a process of its own: modules that others have imported are names of torch, too.
    command = [sys.executable, completion_names.__file__, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lists_keep_to_their_size() -> None:
    sizes = [len(gzip.compress((FOLDER / name).read_bytes())) for name in FILES]
    assert sum(sizes) <= MAX_GZIP_BYTES == 40_000


@pytest.mark.parametrize(
    ("file", "section", "line"),
    [
        ("torch.ts", "torch", "softmax(input, dim, *, dtype=None) -> Tensor"),
        ("torch.ts", "torch", "float32: dtype"),
        ("torch.ts", "torch", "nn: module"),
        (
            "torch.ts",
            "torch.nn",
            "Linear(in_features, out_features, bias=True, device=None, dtype=None)",
        ),
        ("torch.ts", "torch.nn.functional", "softmax(input, dim=None, dtype=None)"),
        ("torch.ts", "torch.nn.functional", "linear(input, weight, bias=None) -> Tensor"),
        ("torch.ts", "torch.Tensor", "view(*shape) -> Tensor"),
        ("torch.ts", "torch.Tensor", "masked_fill_(mask, value)"),
        ("torch.ts", "torch.Tensor", "grad: attribute"),
        ("torch.ts", "torch.nn.Module", "register_buffer(name, tensor, persistent=True)"),
        ("torch.ts", "torch.autograd.Function", "save_for_backward(*tensors)"),
        ("cuda.ts", "", "__syncthreads() -> void"),
        ("cuda.ts", "", "threadIdx: uint3"),
        ("cuda.ts", "", "cudaSuccess: constant"),
        ("cuda.ts", "", "make_float4(float x, float y, float z, float w) -> float4"),
        (
            "cuda.ts",
            "",
            "__shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) -> T",
        ),
        ("cuda.ts", "cooperative_groups", "this_thread_block() -> thread_block"),
    ],
)
def test_a_name_has_its_signature(file: str, section: str, line: str) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    lines = re.split(rf"^(?:export default `)?@{re.escape(section)}$", text, flags=re.M)[1]
    assert line in lines.split("\n@")[0].split("\n")


def test_no_name_of_another_library_is_listed() -> None:
    text = (FOLDER / "torch.ts").read_text(encoding="utf-8")
    for name in ("Any(", "TypeVar(", "annotations", "wraps(", "namedtuple("):
        assert f"\n{name}" not in text
    assert "cusim" not in (FOLDER / "cuda.ts").read_text(encoding="utf-8").lower()


def test_a_stale_list_is_reported(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = completion_names.ROOT / "frontend/src/lib/editor"
    monkeypatch.setattr(completion_names, "FOLDER", folder)
    monkeypatch.setattr(completion_names, "FILES", {"cuda.ts": completion_names.cuda_names})
    monkeypatch.setattr("sys.argv", ["completion_names.py", "--check"])
    assert completion_names.main() == 1
    assert "out of date" in capsys.readouterr().err

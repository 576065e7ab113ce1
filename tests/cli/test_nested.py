"""The commands of nested tensors: results and refusals in both languages, and as JSON."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.app.programs import nested

pytestmark = pytest.mark.torch

TABLE = nested.Operators(
    ok=True,
    counts={"kept": 1, "fused": 0, "dequantized": 1},
    operators=[
        nested.Operator(name="aten.slice.Tensor", way="kept", when="not along the last dimension"),
        nested.Operator(name="aten.bmm.default", way="dequantized", when=""),
    ],
)


def test_the_table_of_operators_is_that_of_the_library(run: Run) -> None:
    done = run("nested", "ops", "--json")
    assert (done.code, done.err) == (0, "")
    require_listed("nested ops", done.json)
    assert all(done.json["counts"].values())
    require_listed("nested ops: operator", done.json["operators"][0])


def test_the_table_is_printed_by_way(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "operators", lambda _: TABLE)
    out = run("nested", "ops").out
    assert out.index("kept") < out.index("aten.slice.Tensor") < out.index("aten.bmm.default")
    assert "not along the last dimension" in out
    assert "反量化" in run("nested", "ops", "--lang", "zh").out


DESCRIBED = nested.Described(
    ok=True,
    path="a.safetensors",
    format="int4",
    block=32,
    dtype="bfloat16",
    num_sequences=2,
    lengths=[3, 1],
    fill=4 / 6,
    num_values=1024,
    nbytes=600,
    bits_per_value=4.6875,
)


def test_a_file_is_described(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "describe", lambda *_: DESCRIBED)
    out = run("nested", "info", "a.safetensors").out
    for words in ("int4, block 32, bfloat16", "1 … 3", "0.667", "1,024", "4.688"):
        assert words in out
    require_listed("nested info", run("nested", "info", "a", "--json").json)


def test_a_file_that_is_missing_is_refused(run: Run) -> None:
    done = run("nested", "info", "none", "--json")
    assert (done.code, done.json["code"]) == (2, "nested.refusal.file_missing")
    told = run("nested", "info", "--lang", "zh", "--", "-none")
    assert told.code == 2
    assert "没有文件 -none" in told.err


def test_the_command_starts_without_torch() -> None:
    program = (
        "import sys\n"
        "from torchstone.cli.main import main\n"
        "assert main(['nested', 'ops', '--help']) == 0\n"
        "heavy = {'numpy', 'torch', 'torchstone.nested'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

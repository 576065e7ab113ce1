"""The commands of distributed training: results and refusals in both languages, and as JSON."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.app.programs import distributed

pytestmark = pytest.mark.torch

SHOWN = distributed.Shown(
    ok=True,
    step=4,
    world=3,
    complete=False,
    single=False,
    tensors=8,
    bytes=1_500_000,
    damaged=["x has changed"],
)


def test_a_simulation_is_followed_and_compared(run: Run) -> None:
    words = ("distributed", "simulate", "--world", 2, "--parallel", "zero3", "--steps", 2)
    done = run(*words, "--link", "1gbit")
    assert (done.code, done.err) == (0, "")
    assert "2 ranks, zero3, 2 steps." in done.out
    assert re.findall(r"^ +(\d)/2 +loss \d\.\d+ +\d+\.\d ms$", done.out, re.MULTILINE) == ["1", "2"]
    assert "equal to one process" in done.out
    assert re.search(r"held +parameters 1\.18 MB, gradients 1\.18 MB, optimizer", done.out)
    answer = run(*words, "--json").json
    require_listed("distributed simulate", answer)
    assert (answer["ok"], answer["equal"], answer["world"]) == (True, True, 2)


def test_what_differs_from_one_process_ends_with_1(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = distributed.Simulated(
        ok=False,
        world=2,
        parallel="ddp",
        equal=False,
        bytes={"all_reduce": 48},
        bytes_ratio=None,
        memory={"buffers": 0},
        step_ms=1.5,
        bubble=0.375,
        timeline="a/b.svg",
    )
    monkeypatch.setattr(distributed, "simulate", lambda _: (each for each in (told,)))
    done = run("distributed", "simulate", "--lang", "zh")
    assert done.code == 1
    for part in ("同单进程不同", "all_reduce 48 B", "37.5%", "a/b.svg"):
        assert part in done.out


def test_a_checkpoint_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(distributed, "checkpoint", lambda *given: asked.append(given) or SHOWN)
    out = run("distributed", "checkpoint", "show", "a").out
    for part in ("Step 4 is the newest that is whole", "3 ranks", "1.50 MB", "x has changed"):
        assert part in out
    done = run("distributed", "checkpoint", "reshard", "a", "--world", 2, "--out", "b", "--json")
    require_listed("distributed checkpoint reshard", done.json)
    assert asked == [
        ("show", "a", {"lang": "en"}),
        ("reshard", "a", {"world": 2, "out": "b", "lang": "en"}),
    ]
    none = distributed.Shown(
        ok=False,
        step=None,
        world=0,
        complete=False,
        single=False,
        tensors=0,
        bytes=0,
        damaged=["y"],
    )
    one = msgspec.structs.replace(SHOWN, complete=True, single=True, damaged=[])
    monkeypatch.setattr(distributed, "checkpoint", lambda *_: one)
    assert "is one checkpoint, of step 4" in run("distributed", "checkpoint", "show", "a").out
    monkeypatch.setattr(distributed, "checkpoint", lambda *_: none)
    done = run("distributed", "checkpoint", "show", "a", "--lang", "zh")
    assert (done.code, "没有一个检查点是完整的" in done.out) == (1, True)


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "code", "english", "chinese"),
    [
        ("simulate --world 10000", "world_limit", "takes 64 at most", "最多支持 64 个"),
        ("simulate --parallel zero4", "choice", "one of ddp, zero1", "可选的有 ddp、zero1"),
        ("simulate --link fast", "rate", "'fast'", "不是速率"),
        ("checkpoint show -- --none", "checkpoint_missing", "--none", "--none"),
    ],
)  # fmt: skip
def test_misuse_ends_with_2_and_says_so_in_both_languages(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    code: str,
    english: str,
    chinese: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("--json", "distributed", *words.split())
    assert (done.code, done.json["code"]) == (2, f"distributed.refusal.{code}")
    assert english in f"{done.json['message']} {done.json['hint']}"
    told = run("--lang", "zh", "distributed", *words.split())
    assert (told.code, told.out) == (2, "")
    assert chinese in told.err
    assert "Traceback" not in told.err + done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["checkpoint", "reshard", "a", "--world", "2"], "cli.argument_missing"),
    ],
)
def test_a_wrong_command_line_is_refused_before_a_program_starts(
    run: Run, words: list[str], code: str
) -> None:
    done = run("distributed", *words, "--json")
    assert (done.code, done.json["code"]) == (2, code)


def test_the_command_itself_imports_no_torch() -> None:
    program = (
        "import sys\n"
        "from torchstone.cli.main import main\n"
        "assert main(['distributed', 'simulate', '--world', '0']) == 2\n"
        "heavy = {'numpy', 'torch', 'torchstone.distributed', 'sqlalchemy'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"

"""A rehearsal gives the verdict that the judge would give, without any walls."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.judge.reference.problem_folder import PATCH, SOLUTION, WRONG, write_problem
from torchstone.judge.kit import load_code
from torchstone.judge.proof.rehearsal import main, rehearse, summarise

pytestmark = [pytest.mark.full, pytest.mark.torch]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (SOLUTION, ("AC", "-")),
        (WRONG, ("WA value", "sample")),
        ("def double(x):\n    return (x + x).detach()\n", ("WA grad", "sample")),
        ("def double(x):\n    return x.mul_(2)\n", ("RTE", "sample")),
        ("def double(x)\n", ("CE", "load")),
        ("def other(x): pass\n", ("CE", "load")),
        ("1 / 0\n", ("RTE", "load")),
    ],
)
def test_a_source_gets_its_verdict_and_its_first_group(
    tmp_path: Path, source: str, wanted: tuple[str, str]
) -> None:
    assert summarise(load_code(write_problem(tmp_path)), source, ["double"], 1) == wanted


def test_every_case_of_the_plan_is_rehearsed(tmp_path: Path) -> None:
    code = load_code(write_problem(tmp_path))
    done = list(rehearse(code, SOLUTION, ["double"], 1))
    assert [each.planned for each in done] == code.plan(1)
    assert all(each.grade.ratio == 0 and each.ms > 0 for each in done)


def test_the_inputs_of_a_case_survive_the_submission(tmp_path: Path) -> None:
    spoil = "def double(x):\n    y = x + x\n    x.data.zero_()\n    return y\n"
    code = load_code(write_problem(tmp_path))
    for each in rehearse(code, spoil, ["double"], 1):
        assert each.grade.worst is not None
        assert each.grade.worst.code == "INPUT_MUTATED"
        assert each.case.secret["x"].any()


def test_the_variants_of_a_problem_are_held_to_their_headers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_problem(tmp_path)
    assert main([str(folder), "--names", "double", "--seed", "1"]) == 0
    assert "<<<" not in capsys.readouterr().out
    (folder / "wrong/triple.py").write_text(WRONG.replace("x * 3", "x + x"))
    main([str(folder), "--names", "double", "--seed", "1"])
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.endswith("<<<")]
    assert line.split()[:3] == ["triple.py", "got", "AC"]


def test_a_patch_is_rehearsed_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_problem(tmp_path)
    (folder / "wrong/triple.py").write_text(PATCH)
    main([str(folder), "--names", "double", "--seed", "1"])
    assert "<<<" not in capsys.readouterr().out
    main([str(folder), str(folder / "wrong/triple.py"), "--names", "double", "--seed", "1"])
    assert capsys.readouterr().out.count("WA value out") == 4


def test_one_file_is_shown_case_by_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_problem(tmp_path)
    main([str(folder), str(folder / "wrong/triple.py"), "--names", "double", "--seed", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "seed 1"
    assert sum("WA value out" in line for line in lines) == 4


def test_a_rehearsal_in_one_process_needs_nothing_of_linux() -> None:
    code = (
        "import sys, torchstone.judge.proof.rehearsal\n"
        "linux = ('confine', 'libc', 'loopback', 'leader')\n"
        "print([name for name in sys.modules if name.rpartition('.')[2] in linux"
        " and name.startswith('torchstone')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""What only a judge can answer, asked of a judge: every command answers the listed keys."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.bank.loader import CONTENT
from torchstone.core.verdict import ExitCode

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("judge_host")]

SOFTMAX = CONTENT / "problems/01_softmax"
RAISING = "def softmax(x, dim=-1, dtype=None):\n    raise ValueError('no')\n"


def test_the_keys_of_a_verdict_are_the_listed_ones(run: Run, tmp_path: Path) -> None:
    raising = tmp_path / "raising.py"
    raising.write_text(RAISING, encoding="utf-8")
    for file, verdict in (
        (SOFTMAX / "solution.py", "AC"),
        (SOFTMAX / "wrong/no_shift.py", "WA"),
        (raising, "RTE"),
    ):
        for command in ("run", "submit"):
            answer = run(command, "01", "--file", file, "--json").json
            require_listed(f"{command} --file", answer)
        assert answer["verdict"] == verdict, answer["detail"]


@pytest.mark.full
def test_the_keys_of_native_code_are_the_listed_ones(run: Run) -> None:
    folder = next(CONTENT.glob("problems/42_*"))
    answer = run("submit", "42", "--file", folder / "solution.cu", "--json").json
    require_listed("submit --file", answer)
    assert {"stars", "counters", "nvcc"} <= answer["native"].keys()


def test_the_keys_of_a_recorded_verdict_are_the_listed_ones(run: Run, tmp_path: Path) -> None:
    path = Path(run("start", "02", "--again", "--json").json["path"])
    folder = next(CONTENT.glob("problems/02_*"))
    path.write_text((folder / "solution.py").read_text("utf-8"), encoding="utf-8")
    sampled = run("run", "02", "--json").json
    require_listed("run", sampled)
    submitted = run("submit", "02", "--json").json
    require_listed("submit", submitted)
    shown = run("history", "02", submitted["submission"], "--json").json
    require_listed("history ID", shown)
    assert shown == {name: submitted[name] for name in shown}
    file = tmp_path / "receipt.json"
    for name, arguments in (
        ("receipt show", [submitted["receipt"]]),
        ("receipt save", [submitted["receipt"], file]),
        ("run --input", None),
    ):
        words = name.split() + [str(each) for each in arguments or ()]
        answer = run(*(words if arguments else ("run", "02", "--input", "1 + 1")), "--json").json
        require_listed(name, answer)
    verified = run("receipt", "verify", file, "--json")
    expected = "error" if verified.code is ExitCode.OUR_FAULT else "receipt verify"
    require_listed(expected, verified.json)

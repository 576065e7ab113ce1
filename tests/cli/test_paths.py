from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.pure


def test_paths_are_listed_shown_followed_and_left(run: Run, alone: Path) -> None:
    listed = run("paths").out
    assert "first-week" in listed
    assert "0 of 17 proven" in listed
    shown = run("--lang", "zh", "paths", "cuda").out
    assert "共享内存与屏障" in shown
    assert shown.index("42op") < shown.index("45 ") < shown.index("44 ")
    assert "followed" in run("paths", "cuda", "--follow").out
    assert "followed" in run("status").out
    assert "Step 1 of 17 of the path CUDA." in " ".join(run("status").out.split())
    answer = run("paths", "--leave", "--json").json
    assert [path["is_chosen"] for path in answer["paths"]] == [False] * 6
    assert "of the path" not in run("status").out


def test_a_path_orders_the_list(run: Run) -> None:
    problems = run("list", "--path", "first-week", "--json").json["problems"]
    assert [row["id"] for row in problems] == ["01", "05", "08", "03", "07", "06", "02"]
    assert run("list", "--path", "rust").code == 2
    assert run("paths", "rust").code == 2
    assert run("paths", "--follow").code == 2

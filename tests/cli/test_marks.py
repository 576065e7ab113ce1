import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.pure


def test_a_problem_is_marked_listed_and_unmarked(run: Run) -> None:
    assert "No problem is marked" in run("list", "--marked").err
    assert run("mark", "layer_norm", "--json").json == {"ok": True, "problem": "07", "marked": True}
    listed = run("list", "--marked")
    assert "07" in listed.out
    assert "marked" in listed.out
    assert len(listed.out.splitlines()) == 1
    assert [row["is_marked"] for row in run("list", "--json").json["problems"]].count(True) == 1
    assert "去掉 07 的标记" in run("--lang", "zh", "mark", "07").out
    assert run("list", "--marked", "--json").json["problems"] == []
    assert run("mark", "99").code == 2

"""The commands of authors, as an author runs them."""

import shutil
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Run
from tests.cli.test_interface import LISTED
from torchstone.bank.least import LEAST
from torchstone.bank.loader import CONTENT
from torchstone.bank.proof_record import is_recorded
from torchstone.cli.proof import draw_proof
from torchstone.cli.screen import Screen
from torchstone.judge.escapes.search import Escapes, Finding
from torchstone.judge.proof.entry import ProofEntry


@pytest.fixture
def relu(alone: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bank with one problem, a copy."""
    bank = alone.parent / "bank"
    monkeypatch.setenv("TORCHSTONE_BANK", str(bank))
    name = "problems/05_relu_function"
    return Path(shutil.copytree(CONTENT / name, bank / name))


@pytest.mark.full
@pytest.mark.sandbox
def test_what_a_planted_fault_breaks_is_told_with_its_numbers(run: Run, relu: Path) -> None:
    solution = (relu / "solution.py").read_text(encoding="utf-8")
    # A right answer that loses a hundredth of the gradient, and a wrong one that is right.
    broken = solution.replace("0, grad_output)", "0, grad_output * 0.99)")
    assert broken != solution
    (relu / "good/nested_function.py").write_text(broken, encoding="utf-8")
    wrong = relu / "wrong/one_at_zero.py"
    header = [line for line in wrong.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    wrong.write_text("\n".join([*header, solution]), encoding="utf-8")
    done = run("bank", "check", "05", "--fast", "--json")
    assert done.code == 1
    (problem,) = done.json["problems"]
    found = {(each["kind"], each["name"]): each for each in problem["objections"]}
    refused = found["good_refused", "nested_function"]["evidence"]
    assert refused["output"].startswith("grad.")
    # ReLU rounds nothing, so its gradient must be exact.
    assert refused["came"] == pytest.approx(0.99 * refused["expected"])
    assert refused["error"] == pytest.approx(0.01 * abs(refused["expected"]), rel=1e-3)
    assert refused["allowed"] == 0
    accepted = found["wrong_accepted", "one_at_zero"]["evidence"]
    assert accepted["group"] == "sample"
    assert 0 <= accepted["ratio"] <= 1
    keys = LISTED["json"]["bank check: objection"]
    assert all(sorted(each) == keys for each in problem["objections"])
    assert sorted(refused) == sorted(accepted) == LISTED["json"]["bank check: evidence"]
    assert sorted(problem) == LISTED["json"]["bank check: problem"]
    screen, entry = Screen(lang="en"), msgspec.convert(problem, ProofEntry)
    text = " ".join(" ".join(line.plain.split()) for line in draw_proof(screen, entry))
    assert "A right answer is refused: nested_function" in text
    assert f"the error is {refused['error']:.6g}, the limit is 0" in text
    assert f"Case {accepted['case']} of group {accepted['group']} is the closest" in text


@pytest.mark.sandbox
def test_a_problem_without_wrong_answers_is_not_proven(run: Run, relu: Path) -> None:
    for shelf in ("wrong", "cheats"):
        shutil.rmtree(relu / shelf)
        (relu / shelf).mkdir()
    done = run("bank", "check", "05", "--fast", "--json")
    assert done.code == 1
    assert done.json["holds"] is False
    (problem,) = done.json["problems"]
    assert problem["kills"] == {}
    said = {each["name"]: each["detail"] for each in problem["objections"]}
    for kind in ("wrong", "cheats"):
        expected = f"a problem needs {LEAST[kind]} or more of {kind}/*; this one has 0"
        assert said[kind]["en"] == expected
        assert said[kind]["zh"] == f"{kind}/* 至少要有 {LEAST[kind]} 个，这里有 0 个"


def test_a_search_prints_its_counts_and_what_nothing_explains(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Escapes(problem="01", callables=9, called=5, refused=4)
    found.findings.append(
        Finding(name="torch.f", outcome="equal", form="(…)", result="softmax", reason="")
    )
    monkeypatch.setattr("torchstone.app.problems.escapes.search", lambda *_, **__: found)
    done = run("bank", "escapes", "01", "--json")
    answer = done.json
    assert done.code == 1
    assert sorted(answer) == LISTED["json"]["bank escapes"]
    assert sorted(answer["problems"][0]) == LISTED["json"]["bank escapes: problem"]
    assert sorted(answer["problems"][0]["findings"][0]) == LISTED["json"]["bank escapes: finding"]
    assert (answer["callables"], answer["unexplained"]) == (9, 1)
    assert "torch.f (…)" in run("bank", "escapes", "01").out
    assert "未解释 1" in run("bank", "escapes", "01", "--lang", "zh").out
    found.findings.clear()
    assert run("bank", "escapes", "01").code == 0
    found.is_whole = False
    done = run("bank", "escapes", "01", "--json")
    assert (done.code, done.json["ok"], done.json["callables"]) == (130, False, 9)
    assert "not complete" in done.err
    assert "没有完成" in run("bank", "escapes", "01", "--lang", "zh").err


def test_a_problem_that_bans_no_operator_is_not_searched(run: Run, alone: Path) -> None:
    for name in ("06", "44"):
        done = run("bank", "escapes", name)
        assert done.code == 2
        assert "bans no operator" in done.err


@pytest.mark.full
@pytest.mark.sandbox
def test_a_proof_is_recorded_and_only_what_has_changed_is_proven_again(
    run: Run, relu: Path
) -> None:
    assert run("bank", "check", "05", "--fast", "--record", "--json").code == 0
    assert is_recorded(relu)
    assert run("bank", "check", "--changed", "--fast", "--json").json["problems"] == []
    # A right answer is refused now, and what does not hold is not recorded.
    wrong = "\n".join(["def relu_function(x):", "    return x", ""])
    (relu / "good/wrong.py").write_text(wrong, encoding="utf-8")
    done = run("bank", "check", "--changed", "--fast", "--record", "--json")
    assert done.code == 1
    assert [each["id"] for each in done.json["problems"]] == ["05"]
    assert not is_recorded(relu)

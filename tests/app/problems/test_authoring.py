import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec
import pytest

from torchstone.app.home import Home, find_home
from torchstone.app.problems import authoring
from torchstone.app.problems.authoring import (
    BankProof,
    begin_problem,
    check,
    expand_file,
    export,
    thoroughness,
)
from torchstone.bank import CONTENT, Problem
from torchstone.core.errors import BadInput, NotFound
from torchstone.judge.messages import Words
from torchstone.judge.proof.cache import ProofCache
from torchstone.judge.proof.entry import Proof
from torchstone.judge.proof.prover import FAST


@pytest.fixture
def own_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    (tmp_path / "problems/01_softmax").mkdir(parents=True)
    monkeypatch.setenv("TORCHSTONE_BANK", str(tmp_path))
    return find_home()


@pytest.mark.pure
def test_what_is_only_begun_or_broken_is_refused_without_judging(own_bank: Home) -> None:
    folder = begin_problem(own_bank, "51", "gelu", title_en="", title_zh="")
    proofs: list[str] = []
    found = check(
        find_home(),
        (),
        FAST,
        on_progress=lambda problem, done, total: pytest.fail("nothing is to be judged"),
        on_proof=lambda entry: proofs.append(entry.id),
    )
    assert not found.holds
    assert proofs == ["51"]
    assert len(found.broken) == 1
    assert "01_softmax" in found.broken[0]["en"]["message"]
    (entry,) = found.problems
    objections = entry.objections
    assert {each.name for each in objections if each.kind == "unwritten"} == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }
    assert [each.name for each in objections if each.kind == "too_few"] == ["wrong", "cheats"]


@pytest.mark.pure
def test_a_name_that_is_no_problem_is_not_found(own_bank: Home) -> None:
    with pytest.raises(NotFound):
        check(own_bank, ["99"], FAST, on_progress=print, on_proof=print)


@pytest.mark.pure
def test_what_is_named_outranks_fast() -> None:
    assert thoroughness(fast=True, seeds=None, mutants=None) == FAST
    chosen = thoroughness(fast=True, seeds=3, mutants=7)
    assert (chosen.good_seeds, chosen.other_seeds, chosen.mutants) == (3, 3, 7)
    more = thoroughness(fast=True, seeds=3, mutants=7, good_seeds=50)
    assert (more.good_seeds, more.other_seeds, more.mutants) == (50, 3, 7)


Prove = Callable[..., tuple[BankProof, list[str]]]


class Accepting:
    """Stand for worker_pool and prover; proofs hold, but for the problems that are named."""

    failing: ClassVar[set[str]] = set()
    proven: ClassVar[list[str]] = []

    def __init__(self, *_: Any, **__: Any) -> None: ...

    @contextmanager
    def running(self) -> Iterator[Self]:
        yield self

    def prove(self, problem: Problem) -> Proof:
        self.proven.append(problem.id)
        proof = Proof(problem=problem.id, good_ratio=0.5)
        if problem.id in self.failing:
            proof.object("good_refused", "solution", Words(en="", zh=""))
        return proof


@pytest.fixture
def prover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Prove]:
    """Prove two problems of a bank without a judge; return what was found and what was proven."""
    for name in ("01_softmax", "05_relu_function"):
        shutil.copytree(CONTENT / "problems" / name, tmp_path / "bank/problems" / name)
    monkeypatch.setenv("TORCHSTONE_BANK", str(tmp_path / "bank"))
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CI", "")
    monkeypatch.setattr(authoring, "WorkerPool", Accepting)
    monkeypatch.setattr(authoring, "Prover", Accepting)
    # The machine's share of a key is tested where keys are made.
    monkeypatch.setattr(ProofCache, "_facts_of_judge", lambda self, is_built: iter(()))

    def prove(**options: Any) -> tuple[BankProof, list[str]]:
        Accepting.proven.clear()
        drawn: list[str] = []
        found = check(
            find_home(),
            (),
            FAST,
            on_progress=print,
            on_proof=lambda entry: drawn.append(entry.id),
            **options,
        )
        assert sorted(drawn) == ["01", "05"]
        assert [entry.id for entry in found.problems] == ["01", "05"]
        return found, list(Accepting.proven)

    yield prove
    Accepting.failing.clear()
    Accepting.proven.clear()


@pytest.mark.pure
def test_only_what_changed_is_proven_again(prover: Prove, tmp_path: Path) -> None:
    first, proven = prover()
    assert (first.num_cached, proven) == (0, ["01", "05"])
    second, proven = prover()
    assert (second.num_cached, proven) == (2, [])
    assert second.holds
    assert second.sum == first.sum
    for earlier, later in zip(first.problems, second.problems, strict=True):
        assert later == msgspec.structs.replace(earlier, cached=True)
    cases = tmp_path / "bank/problems/05_relu_function/cases.py"
    cases.write_text(f"{cases.read_text(encoding='utf-8')}\n", encoding="utf-8")
    third, proven = prover()
    assert (third.num_cached, proven) == (1, ["05"])


@pytest.mark.pure
def test_what_does_not_hold_is_proven_every_time(prover: Prove) -> None:
    Accepting.failing.add("05")
    for num_cached, expected in ((0, ["01", "05"]), (1, ["05"])):
        found, proven = prover()
        assert (found.num_cached, proven, found.holds) == (num_cached, expected, False)


@pytest.mark.pure
def test_nothing_is_taken_from_the_cache_in_ci_or_on_request(
    prover: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    prover()
    found, proven = prover(use_cache=False)
    assert (found.num_cached, proven) == (0, ["01", "05"])
    monkeypatch.setenv("CI", "true")
    found, proven = prover()
    assert (found.num_cached, proven) == (0, ["01", "05"])


@pytest.mark.pure
def test_a_problem_that_changes_while_it_is_proven_is_not_kept(
    prover: Prove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prove = Accepting.prove

    def save_meanwhile(self: Accepting, problem: Problem) -> Proof:
        (tmp_path / f"bank/problems/{problem.path.name}/wrong/new.py").touch()
        return prove(self, problem)

    with monkeypatch.context() as patch:
        patch.setattr(Accepting, "prove", save_meanwhile)
        prover()
    for path in (tmp_path / "bank").rglob("wrong/new.py"):
        path.unlink()
    found, proven = prover()
    assert (found.num_cached, proven) == (0, ["01", "05"])


@pytest.mark.pure
@pytest.mark.parametrize("number", ["42op", "49", "50", "01"])
def test_a_program_is_expanded_to_what_is_judged(home: Home, number: str) -> None:
    for variant in home.problem(number).variants:
        assert expand_file(variant.path) == variant.source


@pytest.mark.pure
def test_a_patch_that_does_not_fit_is_named(tmp_path: Path) -> None:
    (tmp_path / "wrong").mkdir()
    (tmp_path / "solution.cu").write_text("int x;\n")
    patch = tmp_path / "wrong/a.cu"
    patch.write_text("// over: solution.cu\n@@\n-int y;\n")
    with pytest.raises(BadInput, match="no line 'int y;'"):
        expand_file(patch)
    patch.write_text("// over: good/b.cu\n@@\n-int y;\n")
    with pytest.raises(NotFound, match=r"good/b\.cu"):
        expand_file(patch)


@pytest.mark.pure
def test_the_bank_is_exported_through_the_same_door(home: Home, tmp_path: Path) -> None:
    written = export(home, tmp_path / "out")
    assert written.num_problems == len(home.bank)


@pytest.mark.sandbox
@pytest.mark.torch
@pytest.mark.full
def test_a_problem_of_the_bank_is_proven(home: Home) -> None:
    trials: list[tuple[int, int]] = []
    found = check(
        home,
        ["05"],
        FAST,
        on_progress=lambda problem, done, total: trials.append((done, total)),
        on_proof=lambda entry: None,
        use_cache=False,
    )
    # The time a verdict takes says nothing on a busy machine.
    objections = found.problems[0].objections
    assert [each for each in objections if each.kind != "budget"] == []
    assert found.holds == (objections == ())
    assert trials[-1][0] == trials[-1][1]

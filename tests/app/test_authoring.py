from pathlib import Path

import pytest

from torchstone.app.authoring import begin_problem, check, expand_file, export, thoroughness
from torchstone.app.home import Home, find_home
from torchstone.core.errors import BadInput, NotFound
from torchstone.judge.proof import FAST


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
        on_proof=lambda entry: proofs.append(entry["id"]),
    )
    assert not found.holds
    assert proofs == ["51"]
    assert len(found.broken) == 1
    assert "01_softmax" in found.broken[0]["en"]["message"]
    (entry,) = found.problems
    objections = entry["objections"]
    assert {each["name"] for each in objections if each["kind"] == "unwritten"} == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }
    assert [each["name"] for each in objections if each["kind"] == "too_few"] == ["wrong", "cheats"]


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
@pytest.mark.slow
def test_a_problem_of_the_bank_is_proven(home: Home) -> None:
    trials: list[tuple[int, int]] = []
    found = check(
        home,
        ["05"],
        FAST,
        on_progress=lambda problem, done, total: trials.append((done, total)),
        on_proof=lambda entry: None,
    )
    # The time a verdict takes says nothing on a busy machine.
    objections = found.problems[0]["objections"]
    assert [each for each in objections if each["kind"] != "budget"] == []
    assert found.holds == (objections == [])
    assert trials[-1][0] == trials[-1][1]

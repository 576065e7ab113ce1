import shutil
from pathlib import Path

import msgspec
import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.proof_record import (
    RECORD,
    ProofRecord,
    hash_folder,
    is_recorded,
    read_record,
    write_record,
)

pytestmark = pytest.mark.pure


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    folder = tmp_path / "05_relu_function"
    shutil.copytree(CONTENT / "problems" / folder.name, folder)
    (folder / RECORD).unlink(missing_ok=True)
    return folder


def record_of(folder: Path) -> ProofRecord:
    return ProofRecord(
        folder=hash_folder(folder),
        date="2026-11-28",
        judge="0" * 64,
        torch="2.13.0",
        good_seeds=5,
        other_seeds=5,
        right=6,
        wrong=14,
        cheats=8,
        mutants=101,
        mutants_killed=96,
        good_ratio=0.125,
        lowprec_ratio=float("inf"),
        kills={"wrong/one_at_zero": "WA grad in sample", "cheats/relu": "FORBIDDEN_OP"},
    )


def test_what_is_written_is_read(problem: Path) -> None:
    record = record_of(problem)
    write_record(problem, record)
    assert read_record(problem) == record
    assert is_recorded(problem)
    # It is no part of the problem.
    assert load_problem(problem).id == "05"
    assert [path.name for path in problem.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    "change", ["cases.py", "statement.zh.md", "wrong/one_at_zero.py", "new", "_part.py"]
)
def test_a_record_does_not_fit_a_folder_that_has_changed(problem: Path, change: str) -> None:
    write_record(problem, record_of(problem))
    with (problem / change).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert not is_recorded(problem)


def test_a_file_that_is_gone_or_has_another_name_is_a_change(problem: Path) -> None:
    write_record(problem, record_of(problem))
    path = problem / "wrong/one_at_zero.py"
    path.rename(path.with_name("other.py"))
    assert not is_recorded(problem)


@pytest.mark.parametrize("text", ["", "folder = 1", "[[[", "\x00", "folder = 'x'\nmore = 1"])
def test_a_damaged_record_is_none(problem: Path, text: str) -> None:
    (problem / RECORD).write_text(text, encoding="utf-8")
    assert read_record(problem) is None
    assert not is_recorded(problem)


def test_what_python_leaves_is_no_change(problem: Path) -> None:
    digest = hash_folder(problem)
    (problem / "__pycache__").mkdir(exist_ok=True)
    (problem / "__pycache__/cases.pyc").write_bytes(b"x")
    assert hash_folder(problem) == digest


def test_a_record_names_no_field_that_it_does_not_have() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"folder": "x", "odd": 1}, ProofRecord)

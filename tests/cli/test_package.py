"""A package is edited as a folder in the terminal."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_package_is_unpacked_and_packed(run: Run, alone: Path, lang: str) -> None:
    run("start", "50")
    file = alone / "50_pip_package.bundle"
    unpacked = run("package", "unpack", "50", "--lang", lang)
    assert (unpacked.code, unpacked.out) == (0, f"{file.with_suffix('')}\n")
    assert "torchstone package pack 50" in unpacked.err
    same = run("package", "pack", "50", "--lang", lang)
    assert (same.code, same.out) == (0, f"{file}\n")
    assert {"en": "nothing changed", "zh": "没有变化"}[lang] in same.err
    (file.with_suffix("") / "setup.py").write_text("x\n")
    packed = run("package", "pack", "50", "--lang", lang)
    assert "torchstone submit 50" in packed.err
    assert "50_pip_package.2" in packed.err


def test_the_answers_are_listed(run: Run, alone: Path, tmp_path: Path) -> None:
    run("start", "50")
    unpacked = run("package", "unpack", "50", tmp_path / "here", "--json").json
    assert unpacked["folder"] == str(tmp_path / "here")
    assert unpacked["files"][0] == "pyproject.toml"
    packed = run("package", "pack", "50", tmp_path / "here", "--json").json
    assert (packed["is_changed"], packed["put_aside"]) == (False, None)


def test_another_problem_is_refused(run: Run, alone: Path) -> None:
    refused = run("package", "unpack", "01")
    assert refused.code == 2
    assert "torchstone start 01" in refused.err

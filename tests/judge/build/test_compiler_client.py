"""Variants are built from whole programs, and why one is not built is said in both languages."""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from torchstone.bank.loader import load_bank
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build.compiler_client import BuildService, _outcome
from torchstone.judge.pool.replies import Refused

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("number", ["41", "42op", "49"])
def test_variants_are_built_from_the_whole_program(number: str, tmp_path: Path) -> None:
    problem = load_bank().get(number)
    built: list[str] = []

    def build_variant(source: str, launcher: object) -> dict[str, bytes]:
        built.append(source)
        return {}

    compiler: Any = SimpleNamespace(
        order=SimpleNamespace(assignment=assignment_of(problem)),
        built=dict,
        prepare=dict,
        build_variant=build_variant,
    )
    found = {
        name: source for name, source, _ in BuildService(tmp_path, pytest.fail).variants(compiler)
    }
    assert found == {wrong.name: wrong.source for wrong in problem.wrong}
    assert problem.spec.operator is not None or built == list(found.values())


def detail(word: str) -> Mapping[str, str]:
    return _outcome(Refused(refused=Verdict.CE, key="compiler", word=word, line=3)).detail


def test_a_refusal_of_the_simulator_is_said_in_both_languages() -> None:
    assert detail("a shuffle moves values of at most eight bytes") == {
        "en": "Line 3: a shuffle moves values of at most eight bytes",
        "zh": "第 3 行：洗牌的值不能超过 8 字节",
    }


def test_a_compiler_s_own_message_stays_as_it_is() -> None:
    said = "'y' was not declared in this scope"
    assert detail(said) == {"en": f"Line 3: {said}", "zh": f"第 3 行：{said}"}


def test_what_controls_a_terminal_is_gone_in_every_language() -> None:
    said = detail("\x1b[2Ja shuffle moves values of at most eight bytes")
    assert all("\x1b" not in each for each in said.values())

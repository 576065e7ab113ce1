"""What a submission's answers are compared with: the wrong variants of its problem, expanded."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from torchstone.bank.loader import load_bank
from torchstone.judge.assignment import assignment_of
from torchstone.judge.smith import Smithy

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("number", ["41", "42op", "49"])
def test_variants_are_built_from_the_whole_program(number: str, tmp_path: Path) -> None:
    problem = load_bank().get(number)
    built: list[str] = []

    def build_variant(source: str, launcher: object) -> dict[str, bytes]:
        built.append(source)
        return {}

    smith: Any = SimpleNamespace(
        order=SimpleNamespace(assignment=assignment_of(problem)),
        built=dict,
        prepare=dict,
        build_variant=build_variant,
    )
    found = {name: source for name, source, _ in Smithy(tmp_path, pytest.fail).variants(smith)}
    assert found == {wrong.name: wrong.source for wrong in problem.wrong}
    assert problem.spec.operator is not None or built == list(found.values())

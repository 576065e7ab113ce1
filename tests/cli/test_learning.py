from pathlib import Path

import pytest
import typer

from tests.cli.conftest import Run
from torchstone.cli.screen import Screen

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("answer", [False, True])
def test_a_hint_that_costs_much_is_asked_for_again(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked: list[str] = []

    def confirm(question: str) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(Screen, "is_interactive", True)
    monkeypatch.setattr(typer, "confirm", confirm)
    codes = [run("hint", "01").code for _ in range(4)]
    if answer:
        # The fourth costs nothing beyond the third.
        assert codes == [0, 0, 0, 0]
        assert len(asked) == 1
    else:
        assert codes == [0, 0, 1, 1]
        assert len(asked) == 2
    assert asked[0].startswith("Hint 3 shows the shape of the solution")
    assert asked[0].endswith("Open it?")


def test_nobody_is_asked_for_json(run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Screen, "is_interactive", True)
    monkeypatch.setattr(typer, "confirm", lambda question: pytest.fail(question))
    numbers = [run("hint", "01", "--json").json["number"] for _ in range(4)]
    assert numbers == [1, 2, 3, 4]

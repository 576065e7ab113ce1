"""Words behind a program are its own; ours come before it, or last."""

from __future__ import annotations

import pytest
from typer.main import get_command

from torchstone.cli.main import build_app
from torchstone.cli.own_words import FLAGS, VALUED, set_apart

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("doctor run t.py", "doctor run -- t.py"),
        ("doctor run t.py --lr 1 -x", "doctor run -- t.py --lr 1 -x"),
        ("doctor run t.py --json", "doctor run --json -- t.py"),
        ("doctor run t.py a --steps 3 --json", "doctor run --steps 3 --json -- t.py a"),
        ("doctor run --steps 3 t.py --json", "doctor run --steps 3 --json -- t.py"),
        ("doctor run --limit 9 t.py --steps 4", "doctor run --limit 9 -- t.py --steps 4"),
        ("doctor run --steps=3 t.py --steps 4", "doctor run --steps=3 -- t.py --steps 4"),
        ("doctor run t.py --json x", "doctor run -- t.py --json x"),
        ("doctor run t.py -- --json", "doctor run -- t.py --json"),
        ("doctor run -- t.py --json", "doctor run -- t.py --json"),
        ("doctor run -m pkg --json", "doctor run -m --json -- pkg"),
        ("--lang zh doctor run t.py --json", "--lang zh doctor run --json -- t.py"),
        ("doctor run --unknown t.py", "doctor run --unknown t.py"),
        ("doctor run", "doctor run"),
        ("doctor run --help", "doctor run --help"),
        ("doctor diagnose t.json --json", "doctor diagnose t.json --json"),
        ("", ""),
    ],
)
def test_words_are_set_apart(given: str, expected: str) -> None:
    assert set_apart(given.split()) == expected.split()


def test_its_options_are_those_of_the_command() -> None:
    group = get_command(build_app()).commands["doctor"]  # type: ignore[attr-defined]
    options = [each for each in group.commands["run"].params if each.param_type_name == "option"]
    flags = {name for each in options if each.is_flag for name in each.opts}
    valued = {name for each in options if not each.is_flag for name in each.opts}
    assert (flags | {"--help"}, valued) == (set(FLAGS), set(VALUED))

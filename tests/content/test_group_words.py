"""Each group of cases has a name that a reader of a verdict understands, in both languages."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.shipped import shipped_bank
from torchstone.judge.kit import load_code

pytestmark = pytest.mark.plain

ROOT = Path(__file__).parents[2]


def groups_of_bank() -> set[str]:
    return {group for problem in shipped_bank().judged for group in load_code(problem.path).groups}


def names_in_page(lang: str) -> set[str]:
    source = (ROOT / f"frontend/src/messages/{lang}/verdict.ts").read_text(encoding="utf-8")
    table = re.search(r"^  group: \{(.*?)^  \}", source, flags=re.DOTALL | re.MULTILINE)
    assert table is not None, "the table of groups has another name"
    return {name.strip('"') for name in re.findall(r'("?[\w-]+"?): "', table[1])}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_group_is_named_in_page_and_terminal(lang: str) -> None:
    messages = ROOT / f"src/torchstone/cli/messages/{lang}.toml"
    in_terminal = set(tomllib.loads(messages.read_text(encoding="utf-8"))["group"])
    assert groups_of_bank() - in_terminal == set()
    assert groups_of_bank() - names_in_page(lang) == set()

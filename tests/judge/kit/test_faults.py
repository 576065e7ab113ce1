"""Each fault of the driver or a probe has a verdict, and a sentence in both languages."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.core.i18n import LANGS, catalogue
from torchstone.judge import child
from torchstone.judge.kit.faults import FAULTS, names_of, say_fault

pytestmark = pytest.mark.torch

SOURCES = sorted([*Path(child.__path__[0]).rglob("*.py"), *CONTENT.glob("problems/*/probe.py")])
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def calls_of_fault() -> Iterator[tuple[str, ast.Call]]:
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
                if name == "Fault" or (isinstance(name, ast.Name) and name.id == "Fault"):
                    yield f"{path.parent.name}/{path.name}:{node.lineno}", node


def keys_of(call: ast.Call) -> list[str]:
    """Return the keys that are written in a call; a key may be chosen by a condition."""
    (first,) = call.args
    options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
    return [str(each.value) for each in options if isinstance(each, ast.Constant)]


def strings() -> set[str]:
    nodes = (node for tree in TREES.values() for node in ast.walk(tree))
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("lang", LANGS)
def test_each_fault_has_a_sentence_and_no_sentence_is_left_over(lang: str) -> None:
    prefix = "judge.fault."
    sentences = {key for key in catalogue("judge", lang) if key.startswith(prefix)}  # type: ignore[arg-type]
    assert {key.removeprefix(prefix) for key in sentences} == set(FAULTS)


def test_each_call_names_a_fault_with_exactly_its_values() -> None:
    found = list(calls_of_fault())
    assert len(found) > 20
    for place, call in found:
        given = {keyword.arg for keyword in call.keywords}
        for key in keys_of(call):
            assert key in FAULTS, place
            # Values behind ``**`` depend on the key; the tests of the driver meet them.
            is_whole = None not in given
            assert given == names_of(key) if is_whole else given - {None} <= names_of(key), place


def test_each_fault_is_raised_somewhere() -> None:
    assert set(FAULTS) - strings() == set()


def test_a_key_that_is_chosen_elsewhere_is_known_too() -> None:
    flags = {each for each in strings() if each.startswith("state.") and each != "state."}
    during = {each for each in strings() if each.endswith("_mutated")}
    assert flags | during <= set(FAULTS)
    assert (len(flags), len(during)) == (9, 3)


def test_a_value_is_shown_as_it_came() -> None:
    said = say_fault({"key": "value_type", "values": {"type": "{0.__class__}"}})
    assert said["en"] == "the value is {0.__class__}; expected a plain torch.Tensor"
    assert "{0.__class__}" in said["zh"]

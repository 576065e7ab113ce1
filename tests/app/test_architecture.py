"""The map of PyTorch: its evidence runs, and fails where it is inverted."""

from __future__ import annotations

import ast
import json
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from torchstone.app import architecture
from torchstone.bank.architecture import KINDS, load_architecture
from torchstone.core.errors import BadInput
from torchstone.xray.render.architecture import play

FOUND = load_architecture()
CLAIMS = {f"{e.source} {e.kind} {e.target}": e.claim for e in FOUND.edge if e.claim is not None}


@pytest.mark.pure
def test_the_map_is_large_and_mostly_proven() -> None:
    assert len(FOUND.component) >= 45
    assert len(FOUND.edge) >= 70
    assert {edge.kind for edge in FOUND.edge} == set(KINDS)
    assert len(CLAIMS) / len(FOUND.edge) >= 0.7
    ties = {(edge.source, edge.target) for edge in FOUND.edge}
    assert len(ties) == len(FOUND.edge)
    assert {component.id for component in FOUND.component} == {end for tie in ties for end in tie}


@pytest.mark.torch
def test_files_that_the_wheel_has_are_where_the_map_says() -> None:
    named = {each.home for each in FOUND.component} | {e.cited for e in FOUND.edge if e.cited}
    # A wheel has no .cpp: these are only on the list of the pinned release.
    looked_up = {name for name in named if not name.endswith(".cpp")}
    assert len(looked_up) > len(named) / 2
    assert [name for name in sorted(looked_up) if not _is_in_the_wheel(name)] == []


def _is_in_the_wheel(name: str) -> bool:
    origin = find_spec("torch").origin  # type: ignore[union-attr]
    site = Path(str(origin)).parents[1]
    inner = name.removeprefix("aten/src/").removeprefix("tools/")
    places = (name, f"torch/include/{name}", f"torch/include/{inner}", f"torchgen/packaged/{inner}")
    return any((site / place).is_file() for place in places)


@pytest.mark.pure
def test_one_layer_is_shown_with_what_it_is_tied_to() -> None:
    whole, part = architecture.show_map(), architecture.show_map("dispatcher")
    assert len(part["components"]) < len(whole["components"])
    inside = {each["id"] for each in part["components"]}
    assert all({edge["from"], edge["to"]} <= inside for edge in part["edges"])
    with pytest.raises(BadInput, match="no layer attic"):
        architecture.show_map("attic")


CALL: dict[str, Any] = {
    "key": "AutogradCPU",
    "kernel": "Autograd",
    "children": [{"key": "CPU", "kernel": "CPU", "children": []}],
}


@pytest.mark.pure
def test_a_recorded_call_is_played_over_the_map(tmp_path: Path) -> None:
    assert play([CALL]) == [
        "functions", "dispatcher", "variable_type", "dispatcher", "cpu_kernel",
    ]  # fmt: skip
    (tmp_path / "scene.json").write_text(json.dumps({"calls": [CALL]}))
    found = architecture.show_map(scene=str(tmp_path / "scene.json"))
    architecture.write_map(found, tmp_path / "map.svg", "zh")
    drawn = ElementTree.parse(tmp_path / "map.svg").getroot()
    named = {each.get("id") for each in drawn.iter() if each.get("id")}
    assert {component.id for component in FOUND.component} <= named
    assert sum("step" in (each.get("class") or "") for each in drawn.iter()) == 4


@pytest.fixture(scope="module")
def prelude() -> dict[str, Any]:
    space: dict[str, Any] = {}
    exec(compile(FOUND.prelude, "prelude", "exec"), space)
    return space


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_every_claim_runs_and_fails_when_it_is_inverted(prelude: dict[str, Any]) -> None:
    failed = []
    for name, claim in CLAIMS.items():
        if not _holds(claim, prelude, inverted=False):
            failed.append(name)
        if _holds(claim, prelude, inverted=True):
            failed.append(f"{name} (inverted)")
    assert failed == []


def _holds(claim: str, space: dict[str, Any], *, inverted: bool) -> bool:
    tree = ast.parse(claim)
    last = tree.body[-1]
    assert isinstance(last, ast.Assert), f"a claim ends with an assert: {claim}"
    if inverted:
        last.test = ast.UnaryOp(op=ast.Not(), operand=last.test)
    try:
        exec(compile(ast.fix_missing_locations(tree), "claim", "exec"), dict(space))
    except AssertionError:
        return False
    return True

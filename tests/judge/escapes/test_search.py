"""The search finds the ways that earlier lists left open, and none by today's."""

import json
from pathlib import Path

import pytest

from torchstone.bank.schema import Deny
from torchstone.core import paths
from torchstone.judge.escapes.search import Escapes, search

pytestmark = [pytest.mark.sandbox, pytest.mark.attack]

OLD_LISTS = json.loads(Path(__file__).with_name("old_lists.json").read_text(encoding="utf-8"))
SOFTMAX = Deny(families=("softmax", "attention"), modules=("numpy",))
EXPAND = Deny(families=("expand", "every-operator"), forward_only=("expand",), modules=("numpy",))
LOSS = "torch.distributed.tensor.parallel.loss"
TYPES = "torch.fx.experimental.graph_gradual_typechecker"


def tried(deny: Deny, *, old: bool, only: list[str], modules: list[str]) -> Escapes:
    options = {"only": only, "modules": modules, "closed": 10}
    lists = {"lists": OLD_LISTS} if old else {}
    return search("01", deny, paths.cache_dir(), options=options | lists)


def names(found: Escapes, outcome: str) -> set[str]:
    return {each.name for each in found.findings if each.outcome == outcome}


def test_memory_by_number_is_found_where_the_old_lists_leave_it_open() -> None:
    found = tried(SOFTMAX, old=True, only=["torch._C._te."], modules=[])
    assert "torch._C._te.CodeGen.call_raw" in names(found, "crash")
    assert found.unexplained > 0


def test_memory_by_number_is_refused_by_todays() -> None:
    found = tried(SOFTMAX, old=False, only=["torch._C._te.", "torch._C._aoti."], modules=[])
    assert found.findings == []
    # The rest are abstract classes, which nobody can make an instance of.
    assert found.refused >= 0.95 * found.callables > 250
    assert found.called >= 10


@pytest.mark.parametrize(
    ("deny", "module", "function"),
    [(SOFTMAX, LOSS, "_log_softmax"), (EXPAND, TYPES, "broadcast_types")],
)
def test_a_twin_beside_the_known_folders_is_found(deny: Deny, module: str, function: str) -> None:
    only = [f"{module}."]
    found = tried(deny, old=True, only=only, modules=[module])
    assert f"{module}.{function}" in names(found, "equal")
    found = tried(deny, old=False, only=only, modules=[module])
    assert found.findings == []
    assert found.refused > 0

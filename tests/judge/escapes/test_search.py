"""The search finds the ways that earlier lists left open, and none by today's."""

import json
import zlib
from pathlib import Path

import pytest

import torchstone
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.schema import Deny
from torchstone.core import paths
from torchstone.judge.escapes.search import Escapes, search

pytestmark = [pytest.mark.sandbox, pytest.mark.attack, pytest.mark.full]

OLD_LISTS = json.loads(Path(__file__).with_name("old_lists.json").read_text(encoding="utf-8"))
SOFTMAX = Deny(families=("softmax", "attention"), modules=("numpy",))
EXPAND = Deny(families=("expand", "every-operator"), forward_only=("expand",), modules=("numpy",))
NUM_SHARES = 20
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
def test_a_python_implementation_beside_the_known_folders_is_found(
    deny: Deny, module: str, function: str
) -> None:
    only = [f"{module}."]
    found = tried(deny, old=True, only=only, modules=[module])
    assert f"{module}.{function}" in names(found, "equal")
    found = tried(deny, old=False, only=only, modules=[module])
    assert found.findings == []
    assert found.refused > 0


@pytest.mark.full
def test_no_callable_of_one_share_escapes_from_problem_01() -> None:
    """Search one twentieth of what `torchstone bank escapes 01` searches, in every arrangement.

    A share is one twentieth of the callables and of the modules, by a hash of their names; the
    version chooses which. The other nineteen, and other problems, are searched by command only.
    """
    share = (zlib.crc32(torchstone.__version__.encode()) % NUM_SHARES, NUM_SHARES)
    deny = load_problem(CONTENT / "problems/01_softmax").spec.deny
    options = {"share": share, "closed": 10}
    found = search("01", deny, paths.cache_dir(), options=options)
    assert [each for each in found.findings if not each.reason] == []
    assert found.is_whole
    # The whole search has 112,590 callables and calls 74,442 of them.
    assert found.callables > 110_000 / NUM_SHARES * 0.8
    assert found.called > 70_000 / NUM_SHARES * 0.5
    assert found.refused > 30_000 / NUM_SHARES * 0.8


def test_ctrl_c_ends_it_with_what_was_found() -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    options = {"only": ["torch._C._te."], "modules": []}
    found = search("01", SOFTMAX, paths.cache_dir(), on_tried=interrupt, options=options)
    assert not found.is_whole
    assert found.refused > 200

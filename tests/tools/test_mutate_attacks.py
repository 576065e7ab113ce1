"""The second search makes programs that parse, keeps what reaches new things, and finds a way."""

import ast
import json
from pathlib import Path

import pytest

from tools.mutate_attacks import Mutation, Mutator, _count, mutate
from torchstone.bank.schema import Deny
from torchstone.core import paths

JUDGE = Path(__file__).parents[1] / "judge"
ATTACKS = JUDGE / "attacks/submissions/bans"
OLD_LISTS = json.loads((JUDGE / "escapes/old_lists.json").read_text(encoding="utf-8"))
SEEDS = [
    (ATTACKS / f"{name}.py").read_text(encoding="utf-8")
    for name in ("functional", "module", "softmin", "exp_of_log")
]
NAMES = [
    "torch.softmax",
    "torch.distributions.SoftmaxTransform",
    "numpy.exp",
    "torch.a<b>",
    "torch.Node.is",
]


@pytest.mark.pure
def test_every_mutant_parses_and_one_seed_makes_one_sequence() -> None:
    one, same, other = (Mutator(NAMES, seed) for seed in (3, 3, 4))
    programs = [one.mutate(SEEDS[i % 4], SEEDS[(i + 1) % 4], "softmax") for i in range(200)]
    again = [same.mutate(SEEDS[i % 4], SEEDS[(i + 1) % 4], "softmax") for i in range(200)]
    others = [other.mutate(SEEDS[i % 4], SEEDS[(i + 1) % 4], "softmax") for i in range(200)]
    assert programs == again != others
    assert any("SoftmaxTransform()" in program for program in programs)
    assert any("with torch" in program for program in programs)
    for program in programs:
        assert "def softmax(" in program
        ast.parse(program)


@pytest.mark.pure
def test_a_program_is_kept_as_long_as_it_reaches_something_new() -> None:
    found = Mutation()
    ran = {"did": "ran", "status": 0, "report": ""}
    first = ran | {"said": [{"program": "", "raised": "TypeError", "reached": ["f"]}]}
    assert _count(found, "one", first)
    assert not _count(found, "two", first)
    # The same callable with another outcome is new, and so is another report.
    assert _count(found, "three", first | {"said": [first["said"][0] | {"raised": ""}]})
    assert _count(found, "four", ran | {"status": 86, "report": "{}\n", "said": []})
    assert _count(found, "five", ran | {"status": -11, "said": []})
    escape = [{"program": "softmax", "raised": "", "reached": ["f"]}]
    _count(found, "six", ran | {"said": escape})
    assert (found.programs, found.refused, found.crashes) == (6, 1, 1)
    assert found.escapes == ["six"]


@pytest.mark.full
@pytest.mark.sandbox
@pytest.mark.attack
@pytest.mark.parametrize("old", [True, False])
def test_a_way_that_the_old_lists_left_open_is_found_again(old: bool) -> None:
    only = ["torch.distributions.", "torch.special.", "torch.nn.modules.activation."]
    options = {"only": only} | ({"lists": OLD_LISTS} if old else {})
    deny = Deny(families=("softmax", "attention"), modules=("numpy",))
    found = mutate(
        SEEDS,
        "softmax",
        deny,
        paths.cache_dir(),
        seconds=400,
        most=120,
        seed=1,
        options=options,
    )
    assert found.programs == 120
    assert found.refused > 0
    assert any("SoftmaxTransform" in program for program in found.escapes) == old
    assert bool(found.escapes) == old

"""The core stays what can be read in an afternoon."""

from pathlib import Path

import pytest

import torchstone.microtorch

pytestmark = pytest.mark.pure
PACKAGE = Path(torchstone.microtorch.__file__).parent
CORE = (
    "tensor.py",
    "autograd/node.py",
    "autograd/engine.py",
    "autograd/function.py",
    "nn/modules/module.py",
    "optim/sgd.py",
)
MAX_LINES = 1500


def test_the_core_has_at_most_fifteen_hundred_lines() -> None:
    lines = {name: len((PACKAGE / name).read_text().splitlines()) for name in CORE}
    assert sum(lines.values()) <= MAX_LINES, lines


def test_the_tour_goes_through_all_of_it() -> None:
    tour = (PACKAGE / "README.md").read_text(encoding="utf-8")
    places = [tour.index(f"]({name})") for name in CORE]
    assert places == sorted(places)

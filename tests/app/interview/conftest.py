"""The shipped items, read once, and a learner of one's own for each test."""

from pathlib import Path

import pytest

from torchstone.app.home import Home, find_home
from torchstone.app.interview.material import Material, read_material


@pytest.fixture(scope="session")
def material() -> Material:
    return read_material(find_home())


@pytest.fixture
def home(material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A learner with an empty database; the bank was read before."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path / "data"))
    return material.home

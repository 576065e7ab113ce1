"""The shipped items, read once."""

import pytest

from torchstone.app.home import find_home
from torchstone.app.interview.material import Material, read_material


@pytest.fixture(scope="session")
def material() -> Material:
    return read_material(find_home())

"""The C++ of cudasim keeps to the sizes that the rest of the house keeps to."""

from pathlib import Path

import pytest

from torchstone.cudasim.toolchain import INCLUDE, RUNTIME

pytestmark = pytest.mark.pure

FILES = sorted(
    path for folder in (INCLUDE, RUNTIME) for path in folder.rglob("*") if path.is_file()
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_can_be_read_at_a_sitting(path: Path) -> None:
    lines = path.read_text("ascii").split("\n")
    assert len(lines) <= 401
    assert [number for number, line in enumerate(lines, 1) if len(line) > 100] == []
    assert not any(line.endswith((" ", "\t")) for line in lines)

from pathlib import Path

import msgspec
import pytest

from torchstone.bank.table import read_table
from torchstone.core.errors import TorchstoneError

pytestmark = pytest.mark.pure


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    number: int


def test_a_file_is_read_into_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("number = 7\n", encoding="utf-8")
    assert read_table(path, Shape) == Shape(number=7)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"number = 'seven'", "Expected `int`, got `str`"),
        (b"number = 7\ncolour = 1", "unknown field `colour`"),
        (b"", "missing required field"),
        (b"number = ", "Invalid value"),
        (b"\xff", "utf-8"),
        (b"number = " + b"[" * 100_000, "recursion"),
        (None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name_and_reason(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "table.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TorchstoneError) as caught:
        read_table(path, Shape)
    assert caught.value.code == "bank.content_broken"
    assert "table.toml" in caught.value.message("zh")
    assert reason in caught.value.message("en")

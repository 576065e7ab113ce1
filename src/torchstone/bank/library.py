"""Lines of the library that a problem is joined to: what does its work in Torchstone itself."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.library import CodeName, LibraryLines, find_lines
from torchstone.bank.schema import ProblemId
from torchstone.bank.table import read_table

FILE_NAME = "library.toml"


class _LibraryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``library.toml``."""

    problems: dict[ProblemId, tuple[CodeName, ...]]


@cache
def load_library(root: Path = CONTENT) -> Mapping[str, tuple[str, ...]]:
    """Load the names of each problem of a bank, once; a bank without the file has none.

    Raises:
        TorchstoneError: The file violates its schema.
    """
    file = root / FILE_NAME
    return read_table(file, _LibraryFile).problems if file.is_file() else {}


def lines_of(problem_id: str, root: Path = CONTENT) -> tuple[LibraryLines, ...]:
    """Find the lines of a problem as they are now; a name that the library has not is left out."""
    return tuple(filter(None, map(find_lines, load_library(root).get(problem_id, ()))))

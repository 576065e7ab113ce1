"""TOML reader with validation, for content files outside problems."""

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from torchstone.core.errors import TorchstoneError

T = TypeVar("T")


def read_table(path: Path, shape: type[T]) -> T:
    """Read a TOML file into its shape.

    Raises:
        TorchstoneError: The file is missing, cannot be read or breaks its schema; the error names
            the file, what came and what was wanted.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), shape)
    except OSError as error:
        raise _broken(path, str(error.strerror)) from error
    # ValueError: no UTF-8, no TOML, or not the shape. RecursionError: brackets without end.
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error


def _broken(path: Path, reason: str) -> TorchstoneError:
    return TorchstoneError("bank.content_broken", file=path.name, reason=reason)

"""TOML reader with validation, for content files outside problems."""

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from torchstone.core.errors import TorchstoneError

T = TypeVar("T")


def read_table(path: Path, shape: type[T]) -> T:
    """Read a TOML file and convert it to a type.

    Raises:
        TorchstoneError: The file is missing, cannot be read or violates its schema; the error names
            the file, the received value and the expected one.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), shape)
    except OSError as error:
        raise _broken(path, str(error.strerror)) from error
    # ValueError: not UTF-8, not TOML or not the type. RecursionError: too deeply nested brackets.
    except (ValueError, RecursionError) as error:
        raise _broken(path, str(error)) from error


def _broken(path: Path, reason: str) -> TorchstoneError:
    return TorchstoneError("bank.content_broken", file=path.name, reason=reason)

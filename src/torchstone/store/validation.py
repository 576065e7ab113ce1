"""Validation of stored values: plain JSON, Unicode text and aware datetimes."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from torchstone.store.schema import NAME_LENGTH

# A moment before it comes from a wrong clock.
EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)


def encode_json(value: Mapping[str, object], *, what: str) -> str:
    """Encode a JSON object in its canonical form.

    Raises:
        ValueError: The value is not plain JSON, or contains NaN or an infinity.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{what}: expected a JSON object; got {type(value).__name__}.")
    try:
        encoded = json.dumps(
            value, allow_nan=False, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: not a JSON object: {error}; give plain finite JSON.") from error
    return storable_text(encoded, what=what)


def storable_text(value: str, *, what: str) -> str:
    """Check that a text can be stored in any database.

    Raises:
        ValueError: The text has a lone surrogate, which has no UTF-8 form.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what}: not Unicode text: {error}; decode the file as UTF-8.") from error
    return value


def storable_name(value: str, *, what: str, max_length: int = NAME_LENGTH) -> str:
    """Check that a name fits its column; SQLite would accept a longer one, PostgreSQL would not.

    Raises:
        ValueError: The name is empty or too long.
    """
    if not 1 <= len(value) <= max_length:
        raise ValueError(f"{what}: expected 1 to {max_length} characters; got {len(value)}.")
    return storable_text(value, what=what)


def aware(value: datetime, *, what: str) -> datetime:
    """Check that a moment has a time zone.

    Raises:
        ValueError: The moment has no time zone.
    """
    if value.tzinfo is None:
        raise ValueError(f"{what}: {value} has no time zone; give a moment in UTC.")
    return value

"""Find object boundaries in the text of a list of JSON objects, in linear time.

A parser only reports that a text is invalid, and testing each possible end of an event takes
quadratic time on adversarial input. Here only strings and brackets are tracked, which suffices to
split a damaged text between two events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torchstone.doctor.events import Bools, Ints

_QUOTE, _BACKSLASH, _OPEN, _CLOSE = b'"'[0], b"\\"[0], b"{"[0], b"}"[0]
_STEP = np.zeros(256, dtype=np.int8)
_STEP[[_OPEN, b"["[0]]] = 1
_STEP[[_CLOSE, b"]"[0]]] = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Objects:
    """Positions of the objects of a list.

    Attributes:
        begins: First byte of each complete object.
        ends: Byte after its end.
        closed_at: Byte after the bracket that closes the list; 0 if there is none.
    """

    begins: Ints
    ends: Ints
    closed_at: int


def find_objects(text: bytes) -> Objects:
    """Return the complete objects of a list whose opening bracket precedes the text.

    >>> find_objects(b'{"a": "}{"}, {"b": [{}]}] }').ends.tolist()
    [11, 24]
    """
    found = np.frombuffer(text, dtype=np.uint8)
    brackets = np.flatnonzero(_STEP[found])
    quotes = np.flatnonzero(found == _QUOTE)
    quotes = quotes[~_is_escaped(found, quotes)]
    # A bracket after an odd number of quotes is inside a string.
    brackets = brackets[np.searchsorted(quotes, brackets) % 2 == 0]
    depth = np.cumsum(_STEP[found[brackets]], dtype=np.int64)
    closing = np.flatnonzero(depth < 0)
    closed_at = 0
    if len(closing):
        brackets, depth = brackets[: closing[0] + 1], depth[: closing[0] + 1]
        closed_at = int(brackets[-1]) + 1
    kind = found[brackets]
    is_end = (depth == 0) & (kind == _CLOSE)
    is_begin = (depth == 1) & (_STEP[kind] > 0)
    begins, ends = brackets[is_begin], brackets[is_end] + 1
    # An object starts at the last start before its end; a list in place of an object is skipped.
    at = np.searchsorted(begins, ends) - 1
    is_whole = at >= 0
    begins, ends = begins[at[is_whole]], ends[is_whole]
    is_object = found[begins] == _OPEN
    return Objects(begins=begins[is_object], ends=ends[is_object], closed_at=closed_at)


def _is_escaped(text: npt.NDArray[np.uint8], quotes: Ints) -> Bools:
    """Return whether an odd number of backslashes precedes each quote."""
    slashes = np.flatnonzero(text == _BACKSLASH)
    if not len(slashes):
        return np.zeros(len(quotes), dtype=bool)
    is_first = np.append(True, np.diff(slashes) > 1)
    first = slashes[is_first][np.cumsum(is_first) - 1]
    at = np.searchsorted(slashes, quotes) - 1
    is_behind = (at >= 0) & (slashes[at] == quotes - 1)
    is_odd: Bools = is_behind & ((quotes - first[at]) % 2 == 1)
    return is_odd

"""The static table of an operator: what each dispatch key leads to, and where it was registered."""

from __future__ import annotations

import difflib
import functools
import re
from typing import Any

from torchstone.xray import private

SCHEMA = 1
# KEY: [fallthrough] registered at PATH:LINE [kind]
_ROW = re.compile(r"^(\w+): (fallthrough )?registered at (.+?)(?: \[([^\]]*)\])?$")
# The folders of the machine that built torch say nothing.
_BUILT = re.compile(r"^.*/(?=(?:build/)?(?:aten|torch|c10|caffe2)/)")
_MOST_NEAR = 3


class UnknownOperator(ValueError):
    """Raised for a name that no operator has; ``near`` are names that look like it."""

    def __init__(self, name: str, near: list[str]) -> None:
        self.name, self.near = name, near
        super().__init__(
            f"xray table: no operator is called {name!r}; "
            f"near are {', '.join(near) or 'none'}. Write it as aten::add.Tensor."
        )


@functools.lru_cache(maxsize=4096)
def rows_of(operator: str) -> dict[str, dict[str, Any]]:
    """Return the rows of an operator by key, the key that is asked first comes last."""
    rows = {}
    for line in private.dump_table(operator).splitlines():
        found = _ROW.match(line.strip())
        if found is not None:
            rows[found[1]] = {
                "key": found[1],
                "fallthrough": found[2] is not None,
                # The place of the block of registrations, not of the kernel.
                "registered": _BUILT.sub("", found[3]),
                "kind": found[4] or "",
            }
    return rows


def registered_at(operator: str, key: str) -> str | None:
    """Return where the block that registers a key of an operator stands, as file:line."""
    row = rows_of(operator).get(key)
    return None if row is None else str(row["registered"])


def skipped(operator: str, asked: str, keys: tuple[str, ...], above: str | None) -> list[str]:
    """Compute which keys the dispatcher has passed over before it asked for one.

    Args:
        operator: The operator.
        asked: The key that it has asked for.
        keys: All keys of the call.
        above: The key whose kernel has called on; None at the first stop of an operator.
    """
    rows = rows_of(operator)
    order = {key: place for place, key in enumerate(rows)}
    begin, end = order.get(asked, 0), order.get(above or "", len(order))
    passed = [
        key for key in keys if key in rows and rows[key]["fallthrough"] and begin < order[key] < end
    ]
    return sorted(set(passed), key=lambda key: -order[key])


def table(name: str) -> dict[str, Any]:
    """Return the table of an operator; ``relu`` and ``aten.relu`` mean ``aten::relu``.

    Raises:
        UnknownOperator: No operator has this name.
    """
    operator = find_operator(name)
    return {
        "schema": SCHEMA,
        "op": operator,
        "signature": _signature(operator),
        "overloads": [
            each
            for each in private.operator_names()
            if each.split(".")[0] == operator.split(".")[0]
        ],
        "rows": [row for row in reversed(rows_of(operator).values())],
    }


def find_operator(name: str) -> str:
    """Return the full name of an operator.

    Raises:
        UnknownOperator: No operator has this name.
    """
    known = private.operator_names()
    wanted = name.strip().removeprefix("torch.ops.")
    if "::" not in wanted:
        space, _, rest = wanted.partition(".")
        wanted = (
            f"{space}::{rest}"
            if any(each.startswith(f"{space}::") for each in known)
            else (f"aten::{wanted}")
        )
    for candidate in (wanted, f"{wanted}.Tensor", f"{wanted}.default"):
        if candidate.removesuffix(".default") in known:
            return candidate.removesuffix(".default")
    overloads = [each for each in known if each.startswith(f"{wanted}.")]
    if overloads:
        return overloads[0]
    raise UnknownOperator(name, difflib.get_close_matches(wanted, known, _MOST_NEAR))


def _signature(operator: str) -> str:
    found = re.search(r"^schema: (.*)$", private.dump(operator), flags=re.MULTILINE)
    return found[1] if found else ""

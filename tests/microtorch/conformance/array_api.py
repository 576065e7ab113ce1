"""How much of the array API standard, 2024.12, MicroTorch keeps, test by test of a public run.

    python -m tests.microtorch.conformance.array_api [-v] [--examples N] [--write] [name ...]

This is not ``array-api-tests``, the suite of the standard's authors, which is on no package index:
it is written anew from the standard, with a check for each test that the suite would run - the
names, the signatures, each function's values, types and shapes, each operator alone, in place and
with a Python number, each special case. What fails is kept in ``array_api.tsv``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.microtorch.conformance import (
    array_dtypes,
    array_elementwise,
    array_names,
    array_objects,
    array_products,
    array_searching,
    array_shapes,
    array_special,
)
from tests.microtorch.conformance.array_checks import Check

FAILURES = Path(__file__).with_name("array_api.tsv")
PARTS = (
    array_names, array_objects, array_dtypes, array_elementwise, array_special, array_shapes,
    array_searching, array_products,
)  # fmt: skip


def checks() -> list[Check]:
    """Return all checks: the denominator."""
    return [check for part in PARTS for check in part.checks()]


def measure(examples: int = 100, names: list[str] | None = None) -> dict[str, str | None]:
    """Run all checks, or those whose names begin so: what is wrong with each."""
    return {
        check.id: check.failure(examples)
        for check in checks()
        if not names or check.id.startswith(tuple(names))
    }


def read_failures() -> dict[str, str]:
    """Read what is known to fail, and why."""
    lines = FAILURES.read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


def reason_of(name: str) -> str:
    """Hold the behaviour of PyTorch that makes a check fail."""
    if "__array_namespace__" in name or "to_device" in name:
        return "a tensor has no such method"
    if name.startswith("array_object::getitem_masking"):
        return "a mask must have the sizes of what it masks"
    if name.startswith("array_object"):
        return "a slice has no negative step"
    if name.startswith("set_functions"):
        return "unique is not for complex numbers"
    if "floor" in name and "special" in name:
        return "floor division is Python's"
    if "__(x1, x2)" in name:
        return "operators let arrays with dimensions decide the type"
    return "unknown"


def main() -> None:
    """Print the pass rate, in all and by file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", action="store_true", help="say what is wrong with each")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write the table of what fails")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    found = measure(options.examples, options.names)
    failed = {name: each for name, each in found.items() if each is not None}
    for name, each in failed.items():
        sys.stdout.write((f"{name}: {each}" if options.v else name) + "\n")
    if options.write:
        lines = [f"{name}\t{reason_of(name)}" for name in sorted(failed)]
        FAILURES.write_text("\n".join(["check\treason", *lines]) + "\n", encoding="utf-8")
    totals = Counter(name.partition("::")[0] for name in found)
    lost = Counter(name.partition("::")[0] for name in failed)
    for file, total in totals.items():
        sys.stdout.write(f"{file:36} {total - lost[file]:4} of {total:4}\n")
    kept = len(found) - len(failed)
    rate = f"{kept / len(found):.1%}"
    sys.stdout.write(f"{kept} of {len(found)} checks of the standard pass: {rate}\n")


if __name__ == "__main__":
    main()

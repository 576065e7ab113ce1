"""Judge MicroTorch by PyTorch's own samples: operations, modules, optimisers.

``python benchmarks/microtorch_conformance.py --json`` prints one object; ``--write`` also writes
the table that is committed (``tests/microtorch/conformance/table.tsv``). An entry counts when it
passes all of its samples, and refuses all of its bad inputs with the right class of error. The
denominators are those of the PyTorch that is locked.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.microtorch.conformance import module_db, op_db, optim_db
from tests.microtorch.conformance.table import FULL, NONE, PART, Row, write_table

SUITES: dict[str, Any] = {"op_db": op_db, "module_db": module_db, "optim_db": optim_db}

# Entries of each suite that --quick judges.
QUICK = 3


def judge(suite: str, most: int | None = None) -> Iterator[Row]:
    """Drive every entry of a suite, or the first ones."""
    driver = SUITES[suite]
    infos = list(driver.entries())[:most]
    for number, info in enumerate(infos, 1):
        entry = driver.drive(info)
        sys.stderr.write(f"\r{suite} {number}/{len(infos)} {entry.name:50.50}")
        yield Row(
            suite=suite,
            name=entry.name,
            state=(FULL if entry.is_full else PART) if entry.is_there else NONE,
            passed=entry.passed,
            samples=entry.samples,
        )
    sys.stderr.write("\r\x1b[K")


def main() -> int:
    """Judge and print."""
    parser = argparse.ArgumentParser(description="Judge MicroTorch by PyTorch's own samples.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", action="store_true", help="write the committed table")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    given = parser.parse_args()
    if given.quick and given.write:
        parser.error("--quick judges a part: it cannot write the table")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rows = [row for suite in SUITES for row in judge(suite, QUICK if given.quick else None)]
    if given.write:
        write_table(rows)

    def full(suite: str) -> int:
        return sum(row.suite == suite and row.state == FULL for row in rows)

    figures = {
        "op_db_entries_full": full("op_db"),
        "op_db_samples": sum(row.passed for row in rows if row.suite == "op_db"),
        "module_db_full": full("module_db"),
        "optim_db_full": full("optim_db"),
    }
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    totals = {suite: sum(row.suite == suite for row in rows) for suite in SUITES}
    for suite, total in totals.items():
        there = sum(row.suite == suite and row.state != NONE for row in rows)
        sys.stdout.write(f"{suite:10} {full(suite):4} full of {total}, {there} there\n")
    sys.stdout.write(f"{figures['op_db_samples']} samples of operations agree\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

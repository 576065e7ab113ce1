"""Measure which wrong answers are told a misconception or a symptom, and whether it is true.

The battery (``tests/judge/explanations/battery.toml``) holds right answers of the bank with one
mistake each, in another style than the bank's own wrong answers. Three rates are printed: how many
wrong values are told a misconception or a symptom, how many of the bank's own misconceptions are
named, and how many names are of another mistake.

Usage: ``python benchmarks/explanations.py [--problems 01 02] [--seed N] [--quick] [--json]``
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import Report
from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

BATTERY = Path(__file__).resolve().parents[1] / "tests/judge/explanations/battery.toml"
QUICK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A wrong answer, and the bank's name of its mistake, if the bank has it."""

    number: int
    problem: str
    misconception: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the judge said about one wrong answer."""

    number: int
    problem: str
    misconception: str
    verdict: str
    named: tuple[str, ...]
    symptoms: tuple[str, ...]


def read_battery(path: Path = BATTERY) -> Iterator[Program]:
    """Yield the programs of the battery."""
    for number, row in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["program"]):
        folder = next(CONTENT.glob(f"problems/{row['problem']}_*"))
        source = (folder / "good" / row["base"]).read_text(encoding="utf-8")
        for old, new in zip(row["old"], row["new"], strict=True):
            if old not in source:
                raise ValueError(f"{row['problem']} {row['base']} does not contain {old!r}.")
            source = source.replace(old, new, 1)
        yield Program(
            number=number,
            problem=row["problem"],
            misconception=row["misconception"],
            source=source,
        )


def tell(report: Report, program: Program) -> Told:
    """Return what a report says about a program."""
    found = report.misconception
    names = () if found is None else (found.name, *getattr(found, "alternatives", ()))
    symptoms = tuple(each.words.en for each in getattr(report, "symptoms", ()))
    return Told(
        number=program.number,
        problem=program.problem,
        misconception=program.misconception,
        verdict=report.verdict,
        named=names,
        symptoms=symptoms,
    )


def rates(told: list[Told]) -> dict[str, object]:
    """Return the three rates, each as a share and as counts."""
    wrong = [each for each in told if each.verdict == "WA"]
    known = [each for each in wrong if each.misconception]
    explained = [each for each in wrong if each.named or each.symptoms]
    right = [each for each in known if each.misconception in each.named]
    named = [each for each in wrong if each.named]
    untrue = [each for each in named if each.misconception not in each.named]
    return {
        "programs": len(told),
        "wrong": len(wrong),
        "explained": len(explained),
        "known": len(known),
        "named": len(right),
        "named_other": len(untrue),
    }


def main(argv: list[str] | None = None) -> int:
    """Judge the battery and print the rates."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--problems", nargs="*", default=None)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--quick", action="store_true", help="the first two programs only")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(argv)
    programs = [
        each
        for each in read_battery()
        if options.problems is None or each.problem in options.problems
    ]
    told = []
    with WorkerPool(bank_root=CONTENT, cache=paths.cache_dir()).running() as pool:
        for program in programs[: QUICK if options.quick else None]:
            problem = load_problem(next(CONTENT.glob(f"problems/{program.problem}_*")))
            order = Order(
                assignment=assignment_of(problem), source=program.source, seed=options.seed
            )
            told.append(tell(pool.judge(order, lambda event: None), program))
            if options.verbose:
                _show(told[-1])
    found = rates(told)
    if options.json:
        json.dump(found | {"told": [asdict(each) for each in told]}, sys.stdout)
        sys.stdout.write("\n")
        return 0
    sys.stdout.write(
        f"{found['programs']} programs, {found['wrong']} with wrong values\n"
        f"told a misconception or a symptom: {found['explained']} of {found['wrong']}\n"
        f"misconceptions of the bank named: {found['named']} of {found['known']}\n"
        f"named as another mistake: {found['named_other']}\n"
    )
    return 0


def _show(told: Told) -> None:
    names = ", ".join(told.named) or "-"
    sys.stdout.write(
        f"{told.number:3} {told.problem} {told.misconception or '-':26} {told.verdict:4} {names}\n"
    )
    for words in told.symptoms:
        sys.stdout.write(f"        {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())

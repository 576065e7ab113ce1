"""The ladders of the editorials tell what the simulator counts: each row is counted again.

A problem's `ladder.cu` holds all its versions, or a main that is put behind each of them. Of
versions that stand in files of their own a few are drawn for each run.
"""

import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.content import scenes
from torchstone.bank.loader import CONTENT
from torchstone.core.i18n import Lang
from torchstone.core.patch import read_program

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

PROBLEMS = CONTENT / "problems"
HEADINGS: Mapping[Lang, str] = {"en": "## The ladder", "zh": "## 阶梯"}
DRAWN = 2


@dataclass(frozen=True)
class Counts:
    """What a run of the simulator counted, of some kernels."""

    kernels: list[dict[str, Any]]
    nvcc: dict[str, Any] | None

    def of(self, *names: str) -> "Counts":
        """Those of some kernels alone."""
        kernels = [kernel for kernel in self.kernels if kernel["kernel"] in names]
        assert len(kernels) == len(names)
        return Counts(kernels, self.nvcc)

    def sum(self, operation: str, field: str) -> int:
        """Add up a field of an operation, or of all whose first word it is."""
        return sum(
            numbers[field]
            for kernel in self.kernels
            for name, numbers in kernel["operations"].items()
            if name == operation or name.startswith(operation + " ")
        )

    def shared(self, field: str) -> int:
        """Add up a field of loads from shared memory and of stores to it."""
        return self.sum("shared load", field) + self.sum("shared store", field)

    @property
    def num_threads(self) -> int:
        return sum(math.prod(kernel["grid"] + kernel["block"]) for kernel in self.kernels)

    @property
    def num_blocks(self) -> int:
        return sum(math.prod(kernel["grid"]) for kernel in self.kernels)

    @property
    def num_barriers(self) -> int:
        return sum(kernel["barriers"] for kernel in self.kernels)


def count(source: str, folder: Path, *words: str) -> Counts:
    """Run a program under the detectors, which find nothing, and give what was counted."""
    path = folder / "version.cu"
    path.write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "torchstone", "cuda", "check", str(path), "--json"]
    run = subprocess.run([*command, "--", *words], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout)
    assert told["findings"] == []
    return Counts(told["counters"], told["nvcc"])


def folder_of(number: str) -> Path:
    (folder,) = PROBLEMS.glob(f"{number}_*")
    return folder


def program_of(number: str, version: str, main: str | None = None) -> str:
    """Put a main, by default the ladder's, behind a version that stands in a file of its own."""
    folder = folder_of(number)
    contract = (folder / "contract.h").read_text(encoding="utf-8")
    text = f"{contract}\n{read_program(folder, f'{version}.cu')}"
    main = main or (folder / "ladder.cu").read_text(encoding="utf-8")
    return text.replace("#pragma once", "") + main


def tables_of(number: str) -> dict[Lang, list[dict[str, list[str]]]]:
    """Read the tables of a ladder, in each language: cells by the number of the version."""
    tables: dict[Lang, list[dict[str, list[str]]]] = {}
    for lang, heading in HEADINGS.items():
        text = (folder_of(number) / f"editorial.{lang}.md").read_text(encoding="utf-8")
        ladder = text.split(heading + "\n")[1].split("\n## ")[0]
        tables[lang] = []
        for line in ladder.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| # |"):
                tables[lang].append({})
            elif re.match(r"\| \d", line):
                tables[lang][-1][cells[0]] = cells[2:]
    return tables


def assert_row(number: str, table: int, row: str, counted: Iterable[object]) -> None:
    """Compare a row in both languages; None is a cell that the simulator does not count."""
    for lang, tables in tables_of(number).items():
        cells = tables[table][row]
        for cell, value in zip(cells, counted, strict=True):
            values = value if isinstance(value, tuple) else (value,)
            told = [_number(text) for text in re.findall(r"\d[\d ]*(?:[./]\d+)?", cell)]
            same = [
                each is None or _rounded(each, decimals) == number
                for (number, decimals), each in zip(told, values, strict=True)
            ]
            assert all(same), f"{lang}, version {row}: {cell} is told, {value} counted; {cells}"


def _number(text: str) -> tuple[Fraction, int]:
    digits = text.replace(" ", "")
    decimals = len(digits.partition(".")[2]) if "/" not in digits else 6
    return _rounded(Fraction(digits), decimals), decimals


def _rounded(value: Any, decimals: int) -> Fraction:
    return Fraction(Decimal(str(round(float(value), decimals))))


# ---- Programs that hold all versions


def _row_44(counts: Counts) -> list[object]:
    num_steps = 256**3
    return [
        Fraction(counts.sum("global load", "num_bytes"), 4 * num_steps),
        counts.sum("global load", "requests"),
        counts.sum("global load", "sectors"),
        Fraction(counts.sum("shared load", "lanes"), num_steps),
        counts.shared("requests"),
        counts.shared("wavefronts"),
        Fraction(counts.num_barriers, counts.num_blocks),
        None,
    ]


def _row_45(counts: Counts) -> list[object]:
    (summed,) = (kernel for kernel in counts.kernels if kernel["kernel"] != "add_partials")
    first = counts.of(summed["kernel"])
    return [
        Fraction(first.num_barriers, first.num_blocks),
        *(
            Fraction(first.shared(field), first.num_blocks)
            for field in ("requests", "wavefronts", "lanes")
        ),
        Fraction(first.sum("shuffle", "requests"), first.num_blocks),
        counts.sum("global atomic", "lanes"),
        counts.sum("global load", "requests"),
    ]


def _row_46(counts: Counts) -> list[object]:
    (kernel,) = counts.kernels
    return [
        counts.sum("global load", "requests"),
        Fraction(counts.sum("global load", "requests"), 24_576),
        counts.sum("shared load", "requests"),
        kernel["arithmetic_intensity"],
        *_nvcc_46(kernel["kernel"].replace("K", "4"), counts.nvcc),
    ]


def _nvcc_46(name: str, nvcc: dict[str, Any] | None) -> list[int | None]:
    for kernel in nvcc["kernels"] if nvcc else ():
        if kernel["kernel"] == name:
            return [kernel["registers"], kernel["stack_bytes"]]
    return [None, None]  # there is no nvcc on this machine


WHOLE: dict[str, tuple[Callable[[Counts], list[object]], dict[str, tuple[str, ...]]]] = {
    "44": (
        _row_44,
        {
            "1": ("naive",),
            "2": ("tile",),
            "2t": ("transposed<0>",),
            "3": ("transposed<1>",),
            "4": ("registers",),
            "5": ("vectorised",),
            "6": ("double_buffer",),
        },
    ),
    "45": (
        _row_45,
        {
            "1": ("atomics",),
            "2": ("modulo_tree",),
            "3": ("gathered_tree",),
            "4": ("halving_tree",),
            "5": ("last_warp_shuffles",),
            "6": ("shuffles_first",),
            "7": ("eight_each",),
            "8": ("float4_each",),
            "9": ("without_atomics", "add_partials"),
        },
    ),
    "46": (
        _row_46,
        {
            "1": ("list_in_output",),
            "2": ("local_list",),
            "3": ("register_list<K>",),
            "4": ("tile<K>",),
            "5": ("tile_of_four<K>",),
            "6": ("two_queries<K>",),
        },
    ),
}


@pytest.mark.parametrize("number", WHOLE)
def test_a_program_of_all_versions_counts_what_its_table_tells(number: str, tmp_path: Path) -> None:
    row_of, kernels = WHOLE[number]
    counts = count((folder_of(number) / "ladder.cu").read_text(encoding="utf-8"), tmp_path)
    for tables in tables_of(number).values():
        assert [list(table) for table in tables] == [list(kernels)]
    for row, names in kernels.items():
        assert_row(number, 0, row, row_of(counts.of(*names)))


# ---- Versions in files of their own


def _forward_47(version: str, folder: Path) -> list[object]:
    counts = count(program_of("47", version), folder, "forward")
    return [
        counts.num_threads,
        counts.sum("global load", "requests"),
        counts.sum("global load", "lanes"),
        counts.sum("global load", "sectors"),
        counts.sum("global store", "sectors"),
    ]


def _backward_47(version: str, folder: Path) -> list[object]:
    counts = count(program_of("47", version), folder, "backward")
    spot = count(program_of("47", version), folder, "spot")
    in_global = counts.sum("global atomic", "lanes")
    in_shared = counts.sum("shared atomic", "lanes")
    return [
        counts.num_threads,
        (in_global, in_shared) if in_shared else in_global,
        *(
            each.sum("global atomic", "contention") + each.sum("shared atomic", "contention")
            for each in (counts, spot)
        ),
        counts.sum("shuffle", "requests"),
        counts.sum("global load", "sectors"),
    ]


def _row_48(version: str, folder: Path) -> list[object]:
    counts = count(program_of("48", version), folder).of("backward_kernel")
    requests = counts.sum("global atomic", "requests")
    return [
        None,
        counts.sum("global load", "requests"),
        counts.sum("global load", "sectors"),
        requests,
        counts.sum("global atomic", "sectors"),
        Fraction(counts.sum("global atomic", "contention"), requests),
    ]


def _forward_49(version: str, folder: Path) -> list[object]:
    tiles = scenes.scene_of(folder_of("49"), "perf", 0)
    sort = scenes.scene_of(folder_of("49"), "perf", 1)
    image = count(program_of("49", version, scenes.forward_of(tiles)), folder)
    order = count(program_of("49", version, scenes.forward_of(sort)), folder)
    return [
        image.sum("global load", "requests"),
        Fraction(image.sum("shared load", "lanes"), tiles["W"] * tiles["H"]),
        (order.sum("global load", "num_bytes") + order.sum("shared load", "num_bytes")) // 4,
    ]


def _backward_49(version: str, folder: Path) -> list[object]:
    scene = scenes.scene_of(folder_of("49"), "grad_perf", 0)
    counts = count(program_of("49", version, scenes.backward_of(scene)), folder)
    return [
        counts.sum("global atomic", "lanes"),
        counts.sum("global atomic", "requests"),
        counts.sum("shuffle", "requests"),
    ]


APART: dict[tuple[str, int], tuple[Callable[[str, Path], list[object]], dict[str, str]]] = {
    ("47", 0): (
        _forward_47,
        {"1": "good/channel_threads", "2": "good/warp_per_sample", "3": "solution"},
    ),
    ("47", 1): (
        _backward_47,
        {
            "1": "good/channel_threads",
            "2": "good/warp_per_sample",
            "3": "solution",
            "4": "good/warp_aggregated",
            "5": "good/shared_plane",
            "6": "good/plane_owner",
        },
    ),
    ("48", 0): (
        _row_48,
        {
            "1": "good/ray_per_thread",
            "2": "good/ray_per_thread_float4",
            "3": "good/cell_in_registers",
            "4": "good/warp_per_ray",
            "5": "solution",
        },
    ),
    ("49", 0): (
        _forward_49,
        {
            "1": "wrong/pixel_alone",
            "2": "good/counting_rank",
            "3": "good/tile_lists_in_scratch",
            "4": "solution",
        },
    ),
    ("49", 1): (
        _backward_49,
        {"5": "good/counting_rank", "6": "good/bitonic_keys", "7": "solution"},
    ),
}


@pytest.mark.parametrize(("number", "table"), APART)
def test_a_version_counts_what_its_row_tells(number: str, table: int, tmp_path: Path) -> None:
    row_of, versions = APART[number, table]
    for tables in tables_of(number).values():
        assert list(tables[table]) == list(versions)
    for row in random.SystemRandom().sample(sorted(versions), min(DRAWN, len(versions))):
        assert_row(number, table, row, row_of(versions[row], tmp_path))


def test_a_row_that_tells_something_else_is_found() -> None:
    assert_row("48", 0, "5", [None, 3008, 10_528, 1016, 6160, 1])
    with pytest.raises(AssertionError, match="version 5: 6160 is told, 6161 counted"):
        assert_row("48", 0, "5", [None, 3008, 10_528, 1016, 6161, 1])

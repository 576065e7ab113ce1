"""Nested tensors in a child process, which may import torch: the table of operators, and files."""

from typing import Any

import msgspec

from torchstone.app.programs.child_program import follow
from torchstone.core.i18n import Lang

PROGRAM = "torchstone.nested"
ERRORS, REFUSALS = "app.nested", "nested.refusal"


class End(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """The result of the program."""

    ok: bool


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table of operators.

    Attributes:
        name: The operator, as torch writes it.
        way: ``kept``, ``fused`` or ``dequantized``.
        when: The condition, beyond which it dequantizes; empty if there is none.
    """

    name: str
    way: str
    when: str


class Operators(End, frozen=True, kw_only=True, tag="end"):
    """The table of operators, and how many of them go each way."""

    counts: dict[str, int]
    operators: list[Operator]


class Described(End, frozen=True, kw_only=True, tag="end"):
    """What a file of a quantized tensor holds.

    Attributes:
        path: The file.
        format: How codes are stored.
        block: How many values share a scale.
        dtype: The dtype of the values.
        num_sequences: The sequences of a jagged tensor; None for a dense one, as the next two.
        lengths: Their lengths.
        fill: The share of a padded tensor that is no padding.
        num_values: The values of all sequences.
        nbytes: The bytes of codes, scales and offsets.
        bits_per_value: These, over the values.
    """

    path: str
    format: str
    block: int
    dtype: str
    num_sequences: int | None
    lengths: list[int] | None
    fill: float | None
    num_values: int
    nbytes: int
    bits_per_value: float


def operators(lang: Lang) -> Operators:
    """Return what happens to each operator that meets a quantized tensor.

    Raises:
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    found: Operators = _run(["ops", f"--lang={lang}"], Operators)
    return found


def describe(file: str, lang: Lang) -> Described:
    """Return what a file of a quantized tensor holds.

    Raises:
        BadInput: There is no such file, or it is damaged, foreign or of a newer version.
        TorchstoneError: As for ``operators``.
    """
    found: Described = _run(["info", f"--lang={lang}", "--", file], Described)
    return found


def _run(words: list[str], kind: type[End]) -> Any:
    (result,) = follow(PROGRAM, words, kinds=kind, last=kind, errors=ERRORS, refusals=REFUSALS)
    return result

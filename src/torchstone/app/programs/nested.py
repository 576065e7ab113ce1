"""Nested tensors in a child process that may import torch: operator table, and files."""

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
    """Row of the operator table.

    Attributes:
        name: Name of the operator in torch.
        way: ``kept``, ``fused`` or ``dequantized``.
        when: Condition without which it dequantizes; empty if there is none.
    """

    name: str
    way: str
    when: str


class Operators(End, frozen=True, kw_only=True, tag="end"):
    """Operator table, with the number of operators per way."""

    counts: dict[str, int]
    operators: list[Operator]


class Described(End, frozen=True, kw_only=True, tag="end"):
    """Contents of a quantized tensor's file.

    Attributes:
        path: The file.
        format: Quantization format.
        block: Number of values per scale.
        dtype: The dtype of the values.
        num_sequences: Number of sequences of a jagged tensor; None for a dense one, as the next
            two.
        lengths: Lengths of the sequences.
        fill: Share of non-padding in the equivalent padded tensor.
        num_values: Number of values of all sequences.
        nbytes: Size of codes, scales and offsets.
        bits_per_value: Bits of these per value.
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
    """Return how each operator handles quantized tensors.

    Raises:
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    found: Operators = _run(["ops", f"--lang={lang}"], Operators)
    return found


def describe(file: str, lang: Lang) -> Described:
    """Return the contents of a quantized tensor's file.

    Raises:
        BadInput: The file does not exist, or is damaged, of another format or of a newer version.
        TorchstoneError: As for ``operators``.
    """
    found: Described = _run(["info", f"--lang={lang}", "--", file], Described)
    return found


def _run(words: list[str], kind: type[End]) -> Any:
    (result,) = follow(PROGRAM, words, kinds=kind, last=kind, errors=ERRORS, refusals=REFUSALS)
    return result

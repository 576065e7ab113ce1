from collections.abc import Mapping, Sequence

from torch import Tensor


def graph_of(outputs: Tensor | Sequence[Tensor], names: Mapping[str, Tensor] | None = None) -> dict:
    """Describe the autograd graph behind some outputs as plain data.

    Return a dict with ``roots``, ``nodes`` (producers first), ``edges`` (from producer to consumer)
    and ``saved_bytes``. A leaf gets the first name of its tensor as its label.
    """
    raise NotImplementedError


def to_dot(graph: dict) -> str:
    """Draw a description as a digraph in the language DOT."""
    raise NotImplementedError

"""Text as bytes: tokenization, training windows and evaluation windows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import torch
from torch import Tensor

from torchstone.models.refusal import Refusal, reason_of

NUM_BYTES = 256
# One byte of so many, all at the end of a text, is held back to measure with.
HELD_PART = 10


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A text in two parts.

    Attributes:
        name: What to call it.
        digest: Tells it from others: SHA-256 of its bytes, in hexadecimal digits.
        tokens: To train with, shape ``(count,)``, uint8.
        held: To measure with, the same.
    """

    name: str
    digest: str
    tokens: Tensor
    held: Tensor

    def batch(self, count: int, length: int, seed: int) -> tuple[Tensor, Tensor]:
        """Draw windows to train with, the same ones for the same seed.

        Args:
            count: How many.
            length: Of each, in tokens.
            seed: Of the places they begin at.

        Returns:
            Tokens and, one place on, what is to follow each; both ``(count, length)``, int64.
        """
        chance = torch.Generator().manual_seed(seed)
        starts = torch.randint(len(self.tokens) - length, (count, 1), generator=chance)
        windows = self.tokens[starts + torch.arange(length + 1)].long()
        return windows[:, :-1], windows[:, 1:]

    def held_batches(self, count: int, length: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield all that is held back in windows that lie side by side, at most so many at once."""
        starts = torch.arange(0, len(self.held) - length, length)
        for some in starts.split(count):
            windows = self.held[some[:, None] + torch.arange(length + 1)].long()
            yield windows[:, :-1], windows[:, 1:]


def read_text(path: Path | None, length: int) -> Text:
    """Read a text, or without a path the one that ships: the statements and editorials of the bank.

    Args:
        path: A file; any bytes will do.
        length: Of the windows that it is to be cut into, in tokens.

    Raises:
        Refusal: The file cannot be read, or a part of it holds no window.
    """
    if path is None:
        name, body = "torchstone", b"\n\n".join(each.read_bytes() for each in _shipped())
    else:
        try:
            name, body = str(path), path.read_bytes()
        except OSError as error:
            raise Refusal("unreadable", path=path, reason=reason_of(error)) from error
    num_held = len(body) // HELD_PART
    if num_held < length + 1:
        least = HELD_PART * (length + 1)
        raise Refusal("text_short", path=name, came=len(body), wanted=least)
    tokens = torch.frombuffer(bytearray(body), dtype=torch.uint8)
    digest = hashlib.sha256(body).hexdigest()
    return Text(name, digest, tokens[:-num_held], tokens[-num_held:])


def _shipped() -> Iterator[Traversable]:
    problems = resources.files("torchstone").joinpath("content", "problems")
    for folder in sorted(problems.iterdir(), key=lambda each: each.name):
        if folder.is_dir():
            for file in sorted(folder.iterdir(), key=lambda each: each.name):
                if file.name.endswith(".en.md"):
                    yield file


def encode(text: str) -> Tensor:
    """Return a text as tokens, shape ``(1, places)``, int64."""
    return torch.tensor([list(text.encode("utf-8", "surrogateescape"))], dtype=torch.int64)


def decode(tokens: Tensor) -> str:
    """Return tokens, shape ``(places,)``, as text; what is no character is marked as such."""
    return bytes(tokens.tolist()).decode("utf-8", "replace")

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
# The last 1 / HELD_PART of a text is held out for evaluation.
HELD_PART = 10


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Text in two parts.

    Attributes:
        name: The name of the text.
        digest: SHA-256 of its bytes, hexadecimal.
        tokens: The training part, shape ``(count,)``, uint8.
        held: The held-out part, likewise.
    """

    name: str
    digest: str
    tokens: Tensor
    held: Tensor

    def batch(self, count: int, length: int, seed: int) -> tuple[Tensor, Tensor]:
        """Return random training windows, determined by the seed.

        Args:
            count: The number of windows.
            length: Their length in tokens.
            seed: The seed of their starts.

        Returns:
            Tokens, and the token that follows each; both ``(count, length)``, int64.
        """
        chance = torch.Generator().manual_seed(seed)
        starts = torch.randint(len(self.tokens) - length, (count, 1), generator=chance)
        windows = self.tokens[starts + torch.arange(length + 1)].long()
        return windows[:, :-1], windows[:, 1:]

    def held_batches(self, count: int, length: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the held-out part in adjacent windows, in batches of at most ``count``."""
        starts = torch.arange(0, len(self.held) - length, length)
        for some in starts.split(count):
            windows = self.held[some[:, None] + torch.arange(length + 1)].long()
            yield windows[:, :-1], windows[:, 1:]


def read_text(path: Path | None, length: int) -> Text:
    """Read a text; by default the bundled one, the statements and editorials of the problem bank.

    Args:
        path: A file with any bytes; or None.
        length: The length of its windows in tokens.

    Raises:
        Refusal: The file cannot be read, or a part is too short for a window.
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
    """Encode a text as tokens, shape ``(1, positions)``, int64."""
    return torch.tensor([list(text.encode("utf-8", "surrogateescape"))], dtype=torch.int64)


def decode(tokens: Tensor) -> str:
    """Decode tokens, shape ``(positions,)``, as text; invalid bytes become U+FFFD."""
    return bytes(tokens.tolist()).decode("utf-8", "replace")

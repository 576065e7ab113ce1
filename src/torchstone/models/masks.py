"""Attention masks: which keys a query attends to."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Mask:
    """Attention mask: causal, window, padding and custom masks, combined.

    The last query is aligned with the last key, so queries after a KV cache see all of it.

    Attributes:
        is_causal: Whether keys after the position of a query are masked.
        window: How many keys before and after its position a query sees; -1 for all.
        padding: Shape ``(batch, keys)``, bool: True where a key is padding.
        hidden: Bool, True where a key is masked: shape ``(queries, keys)``, or one that broadcasts
            to ``(batch, heads, queries, keys)``.
    """

    is_causal: bool = False
    window: tuple[int, int] = (-1, -1)
    padding: Tensor | None = None
    hidden: Tensor | None = None

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        """Raise an error for masks that do not match the scores.

        Raises:
            TypeError: A mask is not bool.
            ValueError: A shape does not match.
        """
        wanted = {"padding": (batch, keys), "hidden": (batch, heads, queries, keys)}
        for name, shape in wanted.items():
            tensor = getattr(self, name)
            if tensor is None:
                continue
            if tensor.dtype != torch.bool:
                raise TypeError(
                    f"Mask: {name} is {tensor.dtype}; expected torch.bool, true where a key is not "
                    f"seen"
                )
            own = tuple(tensor.shape)
            fits = own == shape
            if name == "hidden":
                aligned = zip(reversed(own), reversed(shape), strict=False)
                fits = 2 <= len(own) <= 4 and all(a in (1, b) for a, b in aligned)
            if not fits:
                beside = "broadcast to " if name == "hidden" else ""
                raise ValueError(f"Mask: {name} has shape {own}; expected {beside}{shape}")

    def distances(self, queries: int, keys: int, device: torch.device) -> Tensor:
        """Return key position minus query position: shape ``(queries, keys)``, int64."""
        places = torch.arange(queries, device=device) + (keys - queries)
        return torch.arange(keys, device=device) - places[:, None]

    def dense(self, queries: int, keys: int, device: torch.device) -> Tensor | None:
        """Return the combined mask as one bool tensor, True where masked; None if nothing is.

        Its shape broadcasts to ``(batch, heads, queries, keys)``.
        """
        left, right = self.window
        right = 0 if self.is_causal else right
        parts: list[Tensor] = []
        if left >= 0 or right >= 0:
            distance = self.distances(queries, keys, device)
            hidden = torch.zeros_like(distance, dtype=torch.bool)
            if left >= 0:
                hidden |= distance < -left
            if right >= 0:
                hidden |= distance > right
            parts.append(hidden)
        if self.padding is not None:
            parts.append(self.padding[:, None, None, :])
        if self.hidden is not None:
            parts.append(self.hidden)
        whole: Tensor | None = None
        for part in parts:
            whole = part if whole is None else whole | part
        return whole


ALL_SEEN = Mask()

"""DiT: a diffusion Transformer that predicts the denoising target from a noisy image.

Source:
    Peebles, Xie, "Scalable Diffusion Models with Transformers", 2023, section 3.2, adaLN-Zero.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from torchstone.kernels import layer_norm
from torchstone.models.attention import Attention
from torchstone.models.layers import FeedForward
from torchstone.models.positions import Sinusoidal

# B batch, C channels, S size, P patch size, N patches per side, W width


class DiffusionTransformer(nn.Module):
    """Diffusion Transformer on image patches, with norms modulated by step and label.

    At initialization it predicts zeros: the last projection and all gates are zero.

    Args:
        size: Pixels per side of the image.
        channels: Number of channels.
        num_classes: Number of labels; an additional one, ``null_label``, means any of them.
        num_steps: Number of noising steps.
        patch_size: Pixels per side of a patch; it divides the size.
        width: Number of features per position; a multiple of 4.
        depth: Number of blocks.
        num_heads: Number of attention heads.

    Raises:
        ValueError: A number is below 1, or a required divisibility does not hold.
    """

    positions: Tensor

    def __init__(
        self,
        size: int,
        channels: int,
        num_classes: int,
        num_steps: int,
        *,
        patch_size: int = 2,
        width: int = 96,
        depth: int = 4,
        num_heads: int = 4,
    ) -> None:
        super().__init__()
        for name, came in (
            ("size", size), ("channels", channels), ("num_classes", num_classes),
            ("num_steps", num_steps), ("patch_size", patch_size), ("depth", depth),
        ):  # fmt: skip
            if came < 1:
                raise ValueError(f"DiffusionTransformer: {name} is {came}; expected 1 or more")
        if size % patch_size:
            raise ValueError(
                f"DiffusionTransformer: patch_size is {patch_size}, which does not divide {size}"
            )
        if width < 4 or width % 4:
            raise ValueError(f"DiffusionTransformer: width is {width}; expected a multiple of 4")
        self.size, self.channels, self.patch_size = size, channels, patch_size
        self.num_steps, self.null_label = num_steps, num_classes
        num_numbers = channels * patch_size**2
        self.patches_in = nn.Linear(num_numbers, width)
        places = _places(size // patch_size, width)
        self.register_buffer("positions", places, persistent=False)
        self.steps = Sinusoidal(width, num_steps)
        self.step_net = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.labels = nn.Embedding(num_classes + 1, width)
        nn.init.normal_(self.labels.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, num_heads) for _ in range(depth))
        self.condition_out = _zeros(width, 2 * width)
        self.patches_out = _zeros(width, num_numbers)

    def forward(self, x: Tensor, step: Tensor, labels: Tensor) -> Tensor:
        """Predict the target of x.

        Args:
            x: Shape ``(batch, channels, size, size)``.
            step: Shape ``(batch,)``, int64.
            labels: Shape ``(batch,)``, int64; ``null_label`` for unconditional prediction.

        Returns:
            The shape of x.

        Raises:
            TypeError: Steps or labels are not int64.
            ValueError: A shape is wrong, or a step or label is out of range.
        """
        self._check(x, step, labels)
        condition = nn.functional.silu(self.step_net(self.steps.table[step]) + self.labels(labels))
        places = self.patches_in(to_patches(x, self.patch_size)) + self.positions
        for block in self.blocks:
            places = block(places, condition)
        places = _modulated(places, *self.condition_out(condition).chunk(2, -1))
        return from_patches(self.patches_out(places), self.patch_size, self.channels)

    def _check(self, x: Tensor, step: Tensor, labels: Tensor) -> None:
        wanted = (self.channels, self.size, self.size)
        if x.dim() != 4 or x.shape[1:] != wanted:
            raise ValueError(
                f"DiffusionTransformer: x has shape {tuple(x.shape)}; expected (batch, "
                f"{', '.join(map(str, wanted))})"
            )
        for name, given, last in (
            ("step", step, self.num_steps - 1),
            ("labels", labels, self.null_label),
        ):
            if given.dtype != torch.int64:
                raise TypeError(
                    f"DiffusionTransformer: {name} is {given.dtype}; expected torch.int64"
                )
            if given.shape != x.shape[:1]:
                raise ValueError(
                    f"DiffusionTransformer: {name} has shape {tuple(given.shape)}; expected "
                    f"({len(x)},)"
                )
            if bool(((given < 0) | (given > last)).any()):
                raise ValueError(f"DiffusionTransformer: one of {name} is not in 0 ... {last}")


class Block(nn.Module):
    """Attention and a feed-forward network, with shift, scale and gate from the condition.

    Args:
        width: Number of features per position.
        num_heads: Number of attention heads.
    """

    def __init__(self, width: int, num_heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, num_heads)
        self.feed_forward = FeedForward(width, 4 * width, activation="gelu_tanh")
        # With zero gates a block is the identity at initialization, which helps to train deep
        # models.
        self.condition = _zeros(width, 6 * width)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """Apply the block.

        Shapes:
            x: (batch, positions, width), condition: (batch, width) -> the shape of x.
        """
        parts = self.condition(condition).chunk(6, -1)
        x = _gated(x, self.attention, *parts[:3])
        return _gated(x, self.feed_forward, *parts[3:])


def _gated(
    x: Tensor, part: Callable[[Tensor], Tensor], shift: Tensor, scale: Tensor, gate: Tensor
) -> Tensor:
    return x + gate[:, None] * part(_modulated(x, shift, scale))


def _modulated(x: Tensor, shift: Tensor, scale: Tensor) -> Tensor:
    normed = layer_norm(x, x.shape[-1], eps=1e-6)
    return normed * (1 + scale[:, None]) + shift[:, None]


def _zeros(in_features: int, out_features: int) -> nn.Linear:
    linear = nn.Linear(in_features, out_features)
    nn.init.zeros_(linear.weight)
    nn.init.zeros_(linear.bias)
    return linear


def _places(side: int, width: int) -> Tensor:
    """Return sinusoidal encodings of row and column: shape ``(side * side, width)``."""
    table = Sinusoidal(width // 2, side).table
    rows, columns = table[:, None].expand(-1, side, -1), table.expand(side, -1, -1)
    return torch.cat([rows, columns], -1).flatten(0, 1)


def to_patches(x: Tensor, size: int) -> Tensor:
    """Split images into patches, row by row: (B, C, S, S) -> (B, N * N, C * size * size)."""
    cut = x.unflatten(3, (-1, size)).unflatten(2, (-1, size))
    # (B, C, N, P, N, P) -> (B, N, N, C, P, P)
    patches: Tensor = cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
    return patches


def from_patches(patches: Tensor, size: int, channels: int) -> Tensor:
    """Join patches into images: the inverse of ``to_patches``."""
    side = round(patches.shape[1] ** 0.5)
    cut = patches.unflatten(2, (channels, size, size)).unflatten(1, (side, side))
    x: Tensor = cut.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)
    return x

"""Training configuration of the diffusion Transformer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from torchstone.microtorch.training.images import NUM_CLASSES
from torchstone.models.diffusion.digits import SIZE
from torchstone.models.diffusion.process import PREDICTIONS
from torchstone.models.diffusion.schedules import SCHEDULES, Schedule, find_schedule
from torchstone.models.diffusion.transformer import DiffusionTransformer
from torchstone.models.refusal import Refusal

KIND = "diffusion"
MAX_SEED = 2**63 - 1
# Far beyond any use; a much larger value does not fit in float32, in which AdamW computes.
MAX_LR = 1e30
# Fields that may change when a training is resumed.
FREE = ("steps", "save_every", "folder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Training configuration of the diffusion Transformer.

    Attributes:
        steps: Number of optimizer steps.
        batch_size: Number of images per step.
        lr: Learning rate.
        seed: Seed of weights, order and noise.
        schedule: One of SCHEDULES.
        prediction: One of PREDICTIONS.
        noise_steps: Number of noising steps.
        width: Number of features per position; a multiple of ``heads`` and of 4.
        depth: Number of Transformer blocks.
        heads: Number of attention heads.
        label_drop: Probability of dropping an image's label in training.
        ema_decay: Decay of the averaged weights, which are used for sampling.
        save_every: Number of steps between checkpoints.
        folder: Where checkpoint and pictures are written.

    Raises:
        Refusal: A number is out of range, or a name is unknown.
    """

    steps: int = 1000
    batch_size: int = 128
    lr: float = 2e-3
    seed: int = 0
    schedule: str = "cosine"
    prediction: str = "v"
    noise_steps: int = 1000
    width: int = 96
    depth: int = 4
    heads: int = 4
    label_drop: float = 0.1
    ema_decay: float = 0.995
    save_every: int = 100
    folder: Path = Path("runs/diffusion")

    def __post_init__(self) -> None:
        width, heads = self.width, self.heads
        require_numbers([
            ("steps", self.steps, self.steps >= 1, "≥ 1"),
            ("batch_size", self.batch_size, self.batch_size >= 1, "≥ 1"),
            # Written so that NaN is rejected as well.
            ("lr", self.lr, 0 < self.lr <= MAX_LR, f"0 < … ≤ {MAX_LR}"),
            ("seed", self.seed, 0 <= self.seed <= MAX_SEED, "0 … 2^63 - 1"),
            ("noise_steps", self.noise_steps, self.noise_steps >= 1, "≥ 1"),
            ("width", width, width >= 4 and width % 4 == 0, "a multiple of 4"),
            ("depth", self.depth, self.depth >= 1, "≥ 1"),
            ("heads", heads, heads >= 1 and width % heads == 0, f"a divisor of {width}"),
            ("label_drop", self.label_drop, 0 <= self.label_drop < 1, "0 ≤ … < 1"),
            ("ema_decay", self.ema_decay, 0 <= self.ema_decay < 1, "0 ≤ … < 1"),
            ("save_every", self.save_every, self.save_every >= 1, "≥ 1"),
        ])  # fmt: skip
        for name, known in (("schedule", tuple(SCHEDULES)), ("prediction", PREDICTIONS)):
            if (came := getattr(self, name)) not in known:
                raise Refusal("choice", name=name, came=came, wanted=", ".join(known))

    @property
    def checkpoint(self) -> Path:
        """Return the path of the checkpoint after the last saved step."""
        return self.folder / "checkpoint.pt"

    @property
    def curve(self) -> Path:
        """Return the path of the loss plot."""
        return self.folder / "loss.svg"

    @property
    def picture(self) -> Path:
        """Return the path of the picture of the final samples."""
        return self.folder / "samples.png"

    @property
    def terms(self) -> dict[str, Any]:
        """Return the values that must not change when a training is resumed."""
        return {name: each for name, each in asdict(self).items() if name not in FREE}

    def make_schedule(self) -> Schedule:
        """Create the noise schedule."""
        return find_schedule(self.schedule, self.noise_steps)

    def make_model(self) -> DiffusionTransformer:
        """Create the Transformer, without changing the global random state."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            return DiffusionTransformer(
                SIZE, 1, NUM_CLASSES, self.noise_steps,
                width=self.width, depth=self.depth, num_heads=self.heads,
            )  # fmt: skip


def require_numbers(rules: Iterable[tuple[str, object, bool, str]]) -> None:
    """Raise an error for the first invalid number."""
    for name, came, is_right, wanted in rules:
        if not is_right:
            raise Refusal("number", name=name, came=came, wanted=wanted)

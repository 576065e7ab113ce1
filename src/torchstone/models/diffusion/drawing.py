"""Sample images of digits from a trained diffusion Transformer into one picture."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchstone.microtorch.training.images import NUM_CLASSES
from torchstone.models import training_checkpoint
from torchstone.models.diffusion.digits import SIZE, grid, load, recognised_share, train_judge
from torchstone.models.diffusion.plan import KIND, MAX_SEED, Plan, require_numbers
from torchstone.models.diffusion.process import guided, sample
from torchstone.models.diffusion.transformer import DiffusionTransformer
from torchstone.models.refusal import Refusal, reason_of

# A guidance scale with clear digits; a larger one reduces variety.
SCALE, NUM_STEPS = 1.5, 50


def draw(
    model: DiffusionTransformer,
    plan: Plan,
    labels: Tensor,
    *,
    scale: float = SCALE,
    num_steps: int | None = None,
    eta: float = 1.0,
    seed: int = 0,
) -> Tensor:
    """Sample a digit for each label: shape ``(len(labels), 1, 8, 8)``, from -1 to 1."""
    return sample(
        guided(model, labels, scale),
        (len(labels), 1, SIZE, SIZE),
        plan.make_schedule(),
        plan.prediction,
        num_steps=min(NUM_STEPS, plan.noise_steps) if num_steps is None else num_steps,
        eta=eta,
        limit=1.0,
        generator=torch.Generator().manual_seed(seed),
    )


def sample_to(
    checkpoint: Path,
    picture: Path,
    *,
    labels: Sequence[int] = tuple(range(NUM_CLASSES)) * 10,
    scale: float = SCALE,
    num_steps: int | None = None,
    eta: float = 1.0,
    seed: int = 0,
) -> dict[str, Any]:
    """Sample digits with the averaged weights of a checkpoint into a PNG with ten per row.

    Args:
        checkpoint: The file that ``train`` wrote.
        picture: The file; missing parent folders are created.
        labels: A label per image; 10 means any digit.
        scale: See ``guided``.
        num_steps: The number of sampling steps; 50 by default, or all if there are fewer.
        eta: See ``sample``.
        seed: The seed of the noise.

    Returns:
        ``picture``, ``count``, ``seconds``, and ``recognised``: the fraction of images that the
        judge classifies as their labels, or None if no label is a digit.

    Raises:
        Refusal: There is no checkpoint, it is invalid, a number is out of range, or the picture
            can't be written.
    """
    terms, state = training_checkpoint.load(checkpoint, KIND)
    with training_checkpoint.putting_back(checkpoint):
        plan = Plan(folder=checkpoint.parent, **terms)
        model = plan.make_model()
        model.load_state_dict(state["average"]["parameters"])
    are_labels = bool(labels) and all(0 <= each <= NUM_CLASSES for each in labels)
    last = plan.noise_steps
    require_numbers([
        ("labels", list(labels), are_labels, f"0 … {NUM_CLASSES}, one at least,"),
        ("scale", scale, math.isfinite(scale), "a finite number"),
        ("num_steps", num_steps, num_steps is None or 1 <= num_steps <= last, f"1 … {last}"),
        ("eta", eta, 0 <= eta <= 1, "0 … 1"),
        ("seed", seed, 0 <= seed <= MAX_SEED, "0 … 2^63 - 1"),
    ])  # fmt: skip
    began, asked = time.monotonic(), torch.tensor(labels)
    drawn = draw(model, plan, asked, scale=scale, num_steps=num_steps, eta=eta, seed=seed)
    seconds = time.monotonic() - began
    write_picture(picture, drawn)
    recognised = None
    if NUM_CLASSES not in labels:
        recognised = recognised_share(train_judge(load()), drawn, asked)
    return {
        "picture": str(picture),
        "count": len(labels),
        "seconds": seconds,
        "recognised": recognised,
    }


def write_picture(path: Path, images: Tensor) -> None:
    """Write images as a PNG.

    Raises:
        Refusal: The file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(grid(images))
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=reason_of(error)) from error

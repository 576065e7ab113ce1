"""Diffusion process: noising, denoising loss, DDPM and DDIM steps, classifier-free guidance.

At step t an image is ``x = a * x0 + s * epsilon`` with ``a*a + s*s = 1``, where a is the square
root of alpha-bar. A network that is given x and t may predict any of three targets, which are
equivalent, because each follows from x and another one:

- ``epsilon``: the noise (Ho et al., 2020);
- ``x0``: the image;
- ``v = a * epsilon - s * x0``: the velocity of x as it rotates from image to noise (Salimans, Ho,
  "Progressive Distillation for Fast Sampling of Diffusion Models", 2022, appendix D). Unlike the
  others, its conversion does not divide by a or s, which approach 0 at the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from torchstone.models.diffusion.schedules import Schedule, Step

PREDICTIONS = ("epsilon", "x0", "v")

# (x, shape (batch, ...); steps, shape (batch,), int64) -> prediction with the shape of x.
Denoiser = Callable[[Tensor, Tensor], Tensor]


class Parts(NamedTuple):
    """Image and noise that x is composed of, each with its shape."""

    x0: Tensor
    epsilon: Tensor


def add_noise(parts: Parts, step: Step, schedule: Schedule) -> Tensor:
    """Return x at a step from image and noise: DDPM, equation 4, for a given epsilon."""
    a, s = schedule.scales(step, parts.x0)
    return a * parts.x0 + s * parts.epsilon


def target(parts: Parts, step: Step, schedule: Schedule, prediction: str) -> Tensor:
    """Return the training target of a network from an image and its noise.

    Raises:
        ValueError: The prediction is unknown.
    """
    _require_prediction(prediction)
    if prediction == "epsilon":
        return parts.epsilon
    if prediction == "x0":
        return parts.x0
    a, s = schedule.scales(step, parts.x0)
    return a * parts.epsilon - s * parts.x0


def split(value: Tensor, x: Tensor, step: Step, schedule: Schedule, prediction: str) -> Parts:
    """Return image and noise from x and a network's prediction; the inverse of ``target``.

    Args:
        value: The prediction, of x's shape.
        x: Shape ``(batch, ...)``.
        step: The step of x.
        schedule: The noise schedule.
        prediction: The kind of prediction.

    Raises:
        ValueError: The prediction is unknown, or its shape is not that of x.
    """
    _require_prediction(prediction)
    _require_shape(value, x)
    a, s = schedule.scales(step, x)
    if prediction == "epsilon":
        return Parts((x - s * value) / a, value)
    if prediction == "x0":
        return Parts(value, (x - a * value) / s)
    return Parts(a * x - s * value, s * x + a * value)


def _require_prediction(prediction: str) -> None:
    if prediction not in PREDICTIONS:
        raise ValueError(f"prediction is {prediction!r}; expected {', '.join(PREDICTIONS)}")


def _require_shape(told: Tensor, x: Tensor) -> None:
    # Without this check it could silently broadcast to x's shape.
    if told.shape != x.shape:
        raise ValueError(
            f"prediction has shape {tuple(told.shape)}; expected {tuple(x.shape)}, that of x"
        )


def denoising_loss(
    denoiser: Denoiser,
    x0: Tensor,
    schedule: Schedule,
    prediction: str,
    *,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Add noise to images at random steps, and compute the loss of the model's predictions.

    The mean square is minimized by the conditional mean, ``E[x0 | x]`` or that of the other
    targets.

    Args:
        denoiser: The model.
        x0: The images, shape ``(batch, ...)``.
        schedule: The noise schedule.
        prediction: The kind of prediction.
        generator: The random generator.

    Returns:
        The mean squared error, 0-d.

    Raises:
        ValueError: The prediction is unknown, or its shape is not that of x.

    Source:
        Ho et al., 2020, equation 14 and algorithm 1.
    """
    device = "cpu" if generator is None else generator.device
    step = torch.randint(len(schedule), x0.shape[:1], generator=generator, device=device)
    parts = Parts(x0, _normal(x0, generator))
    told = denoiser(add_noise(parts, step, schedule), step.to(x0.device))
    _require_shape(told, x0)
    return F.mse_loss(told, target(parts, step, schedule, prediction))


def _normal(like: Tensor, generator: torch.Generator | None) -> Tensor:
    # Drawn on the generator's device, so that a seed gives the same numbers on every device.
    device = like.device if generator is None else generator.device
    return torch.randn(like.shape, generator=generator, device=device, dtype=like.dtype).to(like)


def posterior(x: Tensor, x0: Tensor, step: int, schedule: Schedule) -> tuple[Tensor, float]:
    """Return mean and variance of x at the previous step, given x and the image (DDPM).

    Raises:
        ValueError: The step is out of range.

    Source:
        Ho et al., 2020, equations 6 and 7.
    """
    now, beta = schedule.share(step), schedule.betas[step].item()
    before = schedule.share(step - 1) if step else 1.0
    of_x0 = before**0.5 * beta / (1 - now)
    of_x = (1 - beta) ** 0.5 * (1 - before) / (1 - now)
    return of_x0 * x0 + of_x * x, schedule.posterior_variances[step].item()


def ddim_step(
    parts: Parts, step: int, before: int | None, schedule: Schedule, eta: float
) -> tuple[Tensor, float]:
    """Return mean and variance of x at an earlier step, given image and noise.

    With eta 1 and the previous step it is DDPM's ``posterior``. With eta 0 it is deterministic: the
    same noise is added at the level of the earlier step.

    Args:
        parts: Image and noise that x is composed of.
        step: The step of x.
        before: An earlier step; None for the image itself.
        schedule: The noise schedule.
        eta: The fraction of fresh noise, from 0 to 1.

    Raises:
        ValueError: A step is out of range, or ``before`` is not before ``step``.

    Source:
        Song, Meng, Ermon, "Denoising Diffusion Implicit Models", 2021, equations 12 and 16.
    """
    if before is not None and before >= step:
        raise ValueError(f"ddim_step: before is {before}; expected less than {step}, or None")
    now, earlier = schedule.share(step), 1.0 if before is None else schedule.share(before)
    variance = eta**2 * (1 - earlier) / (1 - now) * (1 - now / earlier)
    # Rounding may make the difference negative.
    kept = max(1 - earlier - variance, 0.0) ** 0.5
    return earlier**0.5 * parts.x0 + kept * parts.epsilon, variance


def sampling_steps(num_all: int, num_steps: int | None = None) -> list[int]:
    """Return evenly spaced sampling steps from the last step to step 0.

    Raises:
        ValueError: The number of steps is out of range.
    """
    num_steps = num_all if num_steps is None else num_steps
    if not 1 <= num_steps <= num_all:
        raise ValueError(f"sample: num_steps is {num_steps}; expected 1 ... {num_all}")
    # A single step is the last one.
    spaced = torch.linspace(num_all - 1, 0, num_steps, dtype=torch.float64)
    return [int(each) for each in spaced.round().tolist()]


@torch.no_grad()
def sample(
    denoiser: Denoiser,
    shape: Sequence[int],
    schedule: Schedule,
    prediction: str = "epsilon",
    *,
    num_steps: int | None = None,
    eta: float = 1.0,
    limit: float | None = None,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Tensor:
    """Sample images: start from noise and denoise step by step.

    All steps with eta 1 are DDPM (Ho et al., 2020, algorithm 2); fewer with eta 0 are DDIM.

    Args:
        denoiser: The model.
        shape: The shape of the samples, ``(batch, ...)``.
        schedule: The noise schedule of the training.
        prediction: The kind of prediction.
        num_steps: The number of steps; all by default.
        eta: The fraction of fresh noise at each step, from 0 to 1.
        limit: Predicted images are clamped to [-limit, limit] at each step; None for no limit.
        generator: The random generator.
        dtype: The dtype of the samples.
        device: The device of the samples.

    Raises:
        ValueError: A number is out of range, the prediction is unknown, or its shape is not that
            of x.
    """
    _require_prediction(prediction)
    if not 0 <= eta <= 1:
        raise ValueError(f"sample: eta is {eta}; expected a number from 0 to 1")
    if limit is not None and not limit > 0:
        raise ValueError(f"sample: limit is {limit}; expected more than 0, or None")
    steps = sampling_steps(len(schedule), num_steps)
    x = _normal(torch.empty(tuple(shape), dtype=dtype, device=device), generator)
    for step, before in zip(steps, [*steps[1:], None], strict=True):
        told = denoiser(x, torch.full(x.shape[:1], step, device=x.device))
        parts = split(told, x, step, schedule, prediction)
        if limit is not None:
            # The noise is recomputed, so that it still composes x together with the clamped image.
            parts = split(parts.x0.clamp(-limit, limit), x, step, schedule, "x0")
        x, variance = ddim_step(parts, step, before, schedule, eta)
        if variance:
            x = x + variance**0.5 * _normal(x, generator)
    return x


class LabelledModel(Protocol):
    """Model with a label for each image; one additional label means any class."""

    null_label: int

    def __call__(self, x: Tensor, step: Tensor, labels: Tensor, /) -> Tensor:
        """Predict the target of x; labels have shape ``(batch,)``, int64."""


def drop_labels(
    labels: Tensor,
    null_label: int,
    probability: float,
    *,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Replace labels by the null label at random, to train one model with and without labels."""
    device = labels.device if generator is None else generator.device
    draws = torch.rand(labels.shape, generator=generator, device=device).to(labels.device)
    return labels.masked_fill(draws < probability, null_label)


def guided(model: LabelledModel, labels: Tensor, scale: float) -> Denoiser:
    """Create a denoiser with classifier-free guidance.

    Args:
        model: Called once, with a batch of twice the size.
        labels: Shape ``(batch,)``, int64.
        scale: 0 is unconditional, 1 conditional; larger values give clearer images with less
            variety. The paper's w is ``scale - 1``.

    Source:
        Ho, Salimans, "Classifier-Free Diffusion Guidance", 2022, equation 6.
    """
    both = torch.cat([labels, torch.full_like(labels, model.null_label)])

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        told = model(torch.cat([x, x]), torch.cat([step, step]), both)
        with_label, without = told.chunk(2)
        return without + scale * (with_label - without)

    return denoiser

"""Diffusion process: noising, denoising loss, DDPM and DDIM steps, classifier-free guidance.

At step t an image is ``x = a * x0 + s * epsilon`` with ``a*a + s*s = 1``: a is the square root of
alpha-bar. A network that is given x and t may tell any of three things. They are the same one, for
each follows from another and x:

- ``epsilon``: the noise (Ho et al., 2020);
- ``x0``: the image;
- ``v = a * epsilon - s * x0``: the image turned by a right angle, as x turns from image to noise
  (Salimans, Ho, "Progressive Distillation for Fast Sampling of Diffusion Models", 2022, appendix
  D). Between it and both parts, unlike with the others, nothing is divided by a or s, which come
  near 0 at the ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from torchstone.models.diffusion.schedules import Schedule, Step

PREDICTIONS = ("epsilon", "x0", "v")

# From x, shape (batch, ...), and its steps, shape (batch,), int64, to a prediction, x's shape.
Denoiser = Callable[[Tensor, Tensor], Tensor]


class Parts(NamedTuple):
    """What x is put together from, each of its shape."""

    x0: Tensor
    epsilon: Tensor


def add_noise(parts: Parts, step: Step, schedule: Schedule) -> Tensor:
    """Draw x at a step from the image: DDPM, equation 4, with epsilon drawn already."""
    a, s = schedule.scales(step, parts.x0)
    return a * parts.x0 + s * parts.epsilon


def target(parts: Parts, step: Step, schedule: Schedule, prediction: str) -> Tensor:
    """Return the training target of a network from an image and its noise.

    Raises:
        ValueError: There is no such prediction.
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
        ValueError: There is no such prediction, or it is of another shape than x.
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
    """Noise images at random steps, and compute the loss of the model's predictions.

    The least mean square is that of the mean: a network that has learned all there is tells
    ``E[x0 | x]``, or the other two as they follow from it.

    Args:
        denoiser: What learns.
        x0: The images, shape ``(batch, ...)``.
        schedule: Of the noise.
        prediction: What the denoiser tells.
        generator: Where chance comes from.

    Returns:
        The mean square of the error, of no dimension.

    Raises:
        ValueError: There is no such prediction, or the denoiser gives another shape than x's.

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
    # Drawn where the generator is: a seed gives the same numbers whatever device they go to.
    device = like.device if generator is None else generator.device
    return torch.randn(like.shape, generator=generator, device=device, dtype=like.dtype).to(like)


def posterior(x: Tensor, x0: Tensor, step: int, schedule: Schedule) -> tuple[Tensor, float]:
    """Return mean and variance of x one step before, of x and the image: DDPM's way back.

    Raises:
        ValueError: There is no such step.

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
    """Return mean and variance of x at an earlier step, of image and noise.

    With eta 1 and the step just before it is DDPM's ``posterior``. With eta 0 nothing is drawn: the
    image gets the same noise again, at the level of the earlier step.

    Args:
        parts: What x is put together from.
        step: Where x is.
        before: An earlier step, or none for the image itself.
        schedule: Of the noise.
        eta: How much noise is exchanged for new noise, from 0 to 1.

    Raises:
        ValueError: There is no such step, or ``before`` is not before it.

    Source:
        Song, Meng, Ermon, "Denoising Diffusion Implicit Models", 2021, equations 12 and 16.
    """
    if before is not None and before >= step:
        raise ValueError(f"ddim_step: before is {before}; expected less than {step}, or None")
    now, earlier = schedule.share(step), 1.0 if before is None else schedule.share(before)
    variance = eta**2 * (1 - earlier) / (1 - now) * (1 - now / earlier)
    # Rounded, the difference of what is equal may lie below 0.
    kept = max(1 - earlier - variance, 0.0) ** 0.5
    return earlier**0.5 * parts.x0 + kept * parts.epsilon, variance


def sampling_steps(num_all: int, num_steps: int | None = None) -> list[int]:
    """Choose steps to go back by, evenly from the last one to step 0.

    Raises:
        ValueError: There are not as many.
    """
    num_steps = num_all if num_steps is None else num_steps
    if not 1 <= num_steps <= num_all:
        raise ValueError(f"sample: num_steps is {num_steps}; expected 1 ... {num_all}")
    # With one step there is the last one alone.
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
    """Draw images: begin with noise, and go back step by step.

    All steps with eta 1 are DDPM (Ho et al., 2020, algorithm 2); fewer with eta 0 are DDIM.

    Args:
        denoiser: Tells what the noise hides.
        shape: Of what is drawn, ``(batch, ...)``.
        schedule: That of training.
        prediction: What the denoiser tells.
        num_steps: How many steps are taken; all by default.
        eta: How much noise is exchanged for new noise at each step, from 0 to 1.
        limit: Images are known to lie from -limit to limit, and are brought there at each step.
        generator: Where chance comes from.
        dtype: Of what is drawn.
        device: Where it is drawn.

    Raises:
        ValueError: There are not so many steps, there is no such prediction, a number is out of
            range, or the denoiser gives another shape than x's.
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
            # The noise has to go with the image, or both together are not x any more.
            parts = split(parts.x0.clamp(-limit, limit), x, step, schedule, "x0")
        x, variance = ddim_step(parts, step, before, schedule, eta)
        if variance:
            x = x + variance**0.5 * _normal(x, generator)
    return x


class LabelledModel(Protocol):
    """A model that takes a label for each image; one more label means any class."""

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
    """Put the null label in the place of some, so that one model learns with labels and without."""
    device = labels.device if generator is None else generator.device
    draws = torch.rand(labels.shape, generator=generator, device=device).to(labels.device)
    return labels.masked_fill(draws < probability, null_label)


def guided(model: LabelledModel, labels: Tensor, scale: float) -> Denoiser:
    """Make a denoiser that goes from what any image would be past what the label's would be.

    Args:
        model: Called once for both, with a batch of twice the size.
        labels: Shape ``(batch,)``, int64.
        scale: 0 asks for any image, 1 for one of the label, more for one that shows it clearly, at
            the cost of variety; the paper's w is ``scale - 1``.

    Source:
        Ho, Salimans, "Classifier-Free Diffusion Guidance", 2022, equation 6.
    """
    both = torch.cat([labels, torch.full_like(labels, model.null_label)])

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        told = model(torch.cat([x, x]), torch.cat([step, step]), both)
        with_label, without = told.chunk(2)
        return without + scale * (with_label - without)

    return denoiser

"""What is told of x is one thing in three forms; DDIM holds DDPM; guidance asks once."""

from functools import partial

import pytest
import torch
from torch import Tensor

from torchstone.models.diffusion.process import (
    PREDICTIONS,
    Parts,
    add_noise,
    ddim_step,
    denoising_loss,
    drop_labels,
    guided,
    posterior,
    sample,
    sampling_steps,
    split,
    target,
)
from torchstone.models.diffusion.schedules import Schedule, cosine, linear

pytestmark = pytest.mark.torch


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def some_parts(count: int) -> Parts:
    draw = partial(torch.randn, count, 3, 2, dtype=torch.float64, generator=seeded())
    return Parts(draw(), draw())


@pytest.mark.parametrize("prediction", PREDICTIONS)
@pytest.mark.parametrize("schedule", [linear(50), cosine(50)], ids=["linear", "cosine"])
def test_image_and_noise_come_back_from_each_prediction(
    schedule: Schedule, prediction: str
) -> None:
    parts, step = some_parts(50), torch.arange(50)
    x = add_noise(parts, step, schedule)
    told = target(parts, step, schedule, prediction)
    found = split(told, x, step, schedule, prediction)
    # Noise hides the image: what is divided by a loses as many places as a is small.
    torch.testing.assert_close(found.x0, parts.x0, rtol=1e-8, atol=1e-8)
    torch.testing.assert_close(found.epsilon, parts.epsilon, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(target(found, step, schedule, prediction), told)


def test_v_is_how_x_changes_as_it_turns_from_image_to_noise() -> None:
    schedule, parts = cosine(20), some_parts(1)
    a, s = schedule.scales(7, parts.x0)
    angle = torch.atan2(s, a).requires_grad_()
    x = angle.cos() * parts.x0 + angle.sin() * parts.epsilon
    (slope,) = torch.autograd.grad(x.sum(), angle)
    found = target(parts, 7, schedule, "v").sum()
    torch.testing.assert_close(slope.sum(), found)


def test_noise_has_the_variance_of_its_step() -> None:
    schedule = linear(1000)
    zeros, noise = torch.zeros(1000, 400), torch.randn(1000, 400, generator=seeded())
    x = add_noise(Parts(zeros, noise), torch.arange(1000), schedule)
    shares = x.double().square().mean(1) / (1 - schedule.alphas_cumprod)
    # Of 400 squares of normal numbers the mean has a deviation of sqrt(2 / 400) = 0.07.
    assert 0.6 < shares.min() < shares.max() < 1.4


def of_a_black_image(x: Tensor, step: Tensor, schedule: Schedule, prediction: str) -> Tensor:
    """Predict exactly when all images are zeros."""
    _, s = schedule.scales(step, x)
    return target(Parts(torch.zeros_like(x), x / s), step, schedule, prediction)


@pytest.mark.full
@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_the_truth_has_no_loss(prediction: str) -> None:
    schedule, images = cosine(100), torch.zeros(64, 2, 2, dtype=torch.float64)
    truth = partial(of_a_black_image, schedule=schedule, prediction=prediction)
    loss = partial(denoising_loss, x0=images, schedule=schedule, prediction=prediction)
    assert loss(truth, generator=seeded()) < 1e-20
    assert loss(lambda x, step: truth(x, step) + 0.5, generator=seeded()) == pytest.approx(0.25)


def test_the_loss_sees_all_steps_and_is_repeated_by_its_seed() -> None:
    schedule, seen = cosine(8), set()

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        seen.update(step.tolist())
        return torch.zeros_like(x)

    def loss(seed: int) -> Tensor:
        images = torch.ones(200, 1)
        return denoising_loss(denoiser, images, schedule, "epsilon", generator=seeded(seed))

    assert torch.equal(loss(0), loss(0))
    assert not torch.equal(loss(0), loss(1))
    assert seen == set(range(8))


def test_a_step_of_ddim_with_eta_1_is_ddpm_s() -> None:
    schedule, parts = linear(30), some_parts(4)
    for step in range(30):
        x = add_noise(parts, step, schedule)
        before = step - 1 if step else None
        mean, variance = ddim_step(parts, step, before, schedule, 1.0)
        wanted_mean, wanted_variance = posterior(x, parts.x0, step, schedule)
        torch.testing.assert_close(mean, wanted_mean)
        assert variance == pytest.approx(wanted_variance, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
def test_a_step_of_ddim_keeps_the_noise_that_is_due(eta: float) -> None:
    schedule, parts = cosine(40), some_parts(1)
    for step, before in ((39, 20), (20, 3), (3, 0), (0, None)):
        mean, variance = ddim_step(parts, step, before, schedule, eta)
        share = 1.0 if before is None else schedule.alphas_cumprod[before].item()
        # What is left of the old noise, and the new, are together that of the earlier step.
        kept = (mean - share**0.5 * parts.x0) / parts.epsilon
        due = torch.full_like(kept, 1 - share)
        torch.testing.assert_close(kept.square() + variance, due, rtol=1e-9, atol=1e-12)
        assert (variance > 0) == (eta > 0 and before is not None)
        largest = ddim_step(parts, step, before, schedule, 1.0)[1]
        assert variance == pytest.approx(eta**2 * largest)


def test_steps_go_from_the_last_to_the_first() -> None:
    assert sampling_steps(4) == [3, 2, 1, 0]
    assert sampling_steps(1000, 5) == [999, 749, 500, 250, 0]
    assert sampling_steps(10, 1) == [9]
    for count in range(1, 51):
        chosen = sampling_steps(50, count)
        assert len(set(chosen)) == count
        assert chosen == sorted(chosen, reverse=True)


@pytest.mark.parametrize("prediction", PREDICTIONS)
@pytest.mark.parametrize("num_steps", [1, 3, 20])
def test_where_there_is_one_image_it_is_drawn(num_steps: int, prediction: str) -> None:
    schedule = cosine(20)
    truth = partial(of_a_black_image, schedule=schedule, prediction=prediction)
    named = {"num_steps": num_steps, "generator": seeded(), "dtype": torch.float64}
    drawn = sample(truth, (5, 2), schedule, prediction, **named)  # type: ignore[arg-type]
    torch.testing.assert_close(drawn, torch.zeros(5, 2, dtype=torch.float64), rtol=0, atol=1e-7)


def test_without_eta_chance_is_asked_once() -> None:
    generator, once = seeded(), seeded()
    torch.randn(2, 3, generator=once)
    sample(lambda x, step: 0.1 * x, (2, 3), cosine(10), eta=0.0, generator=generator)
    assert torch.equal(generator.get_state(), once.get_state())
    sample(lambda x, step: 0.1 * x, (2, 3), cosine(10), eta=0.1, generator=once)
    assert not torch.equal(generator.get_state(), once.get_state())


def test_a_limit_holds_images_back_and_the_noise_goes_with_them() -> None:
    schedule, seen = cosine(10), []

    def wild(x: Tensor, step: Tensor) -> Tensor:
        seen.append(x)
        return torch.full_like(x, 9.0)

    named = {"num_steps": 2, "eta": 0.0, "limit": 1.0, "generator": seeded()}
    drawn = sample(wild, (3, 2), schedule, "x0", **named)  # type: ignore[arg-type]
    torch.testing.assert_close(drawn, torch.ones(3, 2))
    # What was seen second is the image at its limit, and the noise that makes the first x of it.
    parts = split(torch.ones(3, 2), seen[0], 9, schedule, "x0")
    torch.testing.assert_close(seen[1], add_noise(parts, 0, schedule))


def test_what_can_t_be_drawn_is_refused() -> None:
    def still(x: Tensor, step: Tensor) -> Tensor:
        return x

    for num_steps in (0, 11):
        with pytest.raises(ValueError, match=rf"num_steps is {num_steps}; expected 1 \.\.\. 10"):
            sample(still, (1, 1), cosine(10), num_steps=num_steps)
    for eta in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="eta is"):
            sample(still, (1, 1), cosine(10), eta=eta)
    for limit in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="limit is"):
            sample(still, (1, 1), cosine(10), limit=limit)
    with pytest.raises(ValueError, match="'noise'; expected epsilon, x0, v"):
        sample(still, (1, 1), cosine(10), "noise")
    with pytest.raises(ValueError, match="'noise'"):
        denoising_loss(still, torch.zeros(1, 1), cosine(10), "noise")


def test_steps_that_there_are_not_are_refused() -> None:
    parts, schedule = some_parts(1), cosine(10)
    for step in (-1, 10):
        with pytest.raises(ValueError, match=rf"step is {step}; expected 0 \.\.\. 9"):
            posterior(parts.x0, parts.x0, step, schedule)
        with pytest.raises(ValueError, match=rf"step is {step}; expected 0 \.\.\. 9"):
            ddim_step(parts, step, None, schedule, 0.0)
    with pytest.raises(ValueError, match="before is 5; expected less than 5"):
        ddim_step(parts, 5, 5, schedule, 0.0)


def test_what_would_be_stretched_to_x_is_refused() -> None:
    def narrow(x: Tensor, step: Tensor) -> Tensor:
        return x[:, :1]

    with pytest.raises(ValueError, match=r"shape \(4, 1\); expected \(4, 3\)"):
        sample(narrow, (4, 3), cosine(10))
    with pytest.raises(ValueError, match=r"shape \(4, 1\); expected \(4, 3\)"):
        denoising_loss(narrow, torch.zeros(4, 3), cosine(10), "epsilon")


class Labelled:
    """Return the label, or 100 without one."""

    null_label = 10

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, x: Tensor, step: Tensor, labels: Tensor) -> Tensor:
        self.calls.append(len(x))
        told = torch.where(labels == self.null_label, 100, labels).to(x)
        return told[:, None] + step[:, None] + x


@pytest.mark.parametrize(("scale", "wanted"), [(0.0, 100.0), (1.0, 4.0), (3.0, -188.0)])
def test_guidance_goes_past_the_label_in_one_call(scale: float, wanted: float) -> None:
    model, x = Labelled(), torch.zeros(2, 1)
    told = guided(model, torch.tensor([4, 4]), scale)(x, torch.tensor([0, 7]))
    assert told.flatten().tolist() == [wanted, wanted + 7]
    assert model.calls == [4]


def test_guidance_is_the_same_in_each_prediction() -> None:
    schedule, step = cosine(10), torch.tensor([2, 7])
    x, one, other = (torch.randn(2, 3, generator=seeded(n)) for n in range(3))
    found = []
    for prediction in PREDICTIONS:
        told = [
            target(split(each, x, step, schedule, "epsilon"), step, schedule, prediction)
            for each in (one, other)
        ]
        mixed = told[1] + 2.5 * (told[0] - told[1])
        found.append(split(mixed, x, step, schedule, prediction).x0)
    torch.testing.assert_close(found[1], found[0], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(found[2], found[0], rtol=1e-4, atol=1e-4)


def test_labels_are_dropped_as_often_as_asked() -> None:
    labels = torch.arange(10).repeat(1000)
    kept = drop_labels(labels, 10, 0.2, generator=seeded())
    is_dropped = kept == 10
    # The deviation of the share is sqrt(0.2 * 0.8 / 10,000) = 0.004.
    assert 0.18 < is_dropped.double().mean() < 0.22
    assert torch.equal(kept[~is_dropped], labels[~is_dropped])
    assert torch.equal(drop_labels(labels, 10, 0.0), labels)
    assert bool((drop_labels(labels, 10, 1.0) == 10).all())

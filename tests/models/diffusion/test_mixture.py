"""Where everything is known in closed form, samplers and the loss are held against it."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from torchstone.models.diffusion.mixture import Mixture, exact_denoiser
from torchstone.models.diffusion.process import (
    PREDICTIONS,
    Denoiser,
    Parts,
    add_noise,
    denoising_loss,
    posterior,
    sample,
    split,
)
from torchstone.models.diffusion.schedules import cosine, linear

pytestmark = pytest.mark.torch

SCHEDULE = cosine(200)
COUNT, PERMUTATIONS = 800, 400


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def mixture() -> Mixture:
    return Mixture(
        torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64),
        torch.tensor([[-1.0, 0.5], [0.8, 0.2], [0.0, -1.0]], dtype=torch.float64),
        torch.tensor([0.15, 0.25, 0.1], dtype=torch.float64),
    )


def test_it_has_the_density_of_its_gaussians() -> None:
    known, x = mixture(), torch.randn(7, 2, dtype=torch.float64, generator=seeded())
    parts = [
        weight * torch.distributions.Normal(mean, std).log_prob(x).sum(-1).exp()
        for weight, mean, std in zip(known.weights, known.means, known.stds, strict=True)
    ]
    torch.testing.assert_close(known.log_density(x), torch.stack(parts).sum(0).log())


def test_the_score_is_the_gradient_of_the_log_density() -> None:
    step = torch.tensor([0, 3, 50, 120, 199])
    x = torch.randn(5, 2, dtype=torch.float64, generator=seeded(), requires_grad=True)
    noised = mixture().noised(*SCHEDULE.scales(step, x))
    (wanted,) = torch.autograd.grad(noised.log_density(x).sum(), x)
    torch.testing.assert_close(noised.score(x), wanted)


@pytest.mark.parametrize("prediction", PREDICTIONS)
def test_each_prediction_tells_the_score(prediction: str) -> None:
    step = torch.tensor([0, 3, 50, 120, 199])
    x = torch.randn(5, 2, dtype=torch.float64, generator=seeded())
    a, s = SCHEDULE.scales(step, x)
    told = exact_denoiser(mixture(), SCHEDULE, prediction)(x, step)
    parts = split(told, x, step, SCHEDULE, prediction)
    score = mixture().noised(a, s).score(x)
    torch.testing.assert_close(parts.epsilon, -s * score)
    # Tweedie's formula.
    torch.testing.assert_close(parts.x0, (x + s.square() * score) / a, rtol=1e-6, atol=1e-6)


def test_the_posterior_mean_is_the_mean_of_what_was_noised_to_x() -> None:
    known, points = mixture(), mixture().sample(200_000, generator=seeded())
    noise = torch.randn(points.shape, dtype=torch.float64, generator=seeded(1))
    x = add_noise(Parts(points, noise), 100, SCHEDULE)
    there = torch.tensor([[0.2, -0.3]], dtype=torch.float64)
    near = (x - there).norm(dim=-1) < 0.1
    found = known.posterior_mean(there, *SCHEDULE.scales(100, there))
    assert near.sum() > 1000
    torch.testing.assert_close(points[near].mean(0, keepdim=True), found, rtol=0, atol=0.05)


def test_points_are_of_the_mixture() -> None:
    known, points = mixture(), mixture().sample(50_000, generator=seeded())
    torch.testing.assert_close(points.mean(0), known.weights @ known.means, rtol=0, atol=0.02)
    nearest = (points[:, None] - known.means).norm(dim=-1).argmin(-1)
    shares = nearest.bincount().double() / len(points)
    torch.testing.assert_close(shares, known.weights, rtol=0, atol=0.02)


def p_value(left: Tensor, right: Tensor) -> float:
    """Return how often two halves by chance lie further apart, by their energy distance.

    Source: Székely, Rizzo, "Testing for Equal Distributions in High Dimension", 2004.
    """
    both = torch.cat([left, right])
    distances = torch.cdist(both, both)
    signs = torch.ones(PERMUTATIONS + 1, len(both), dtype=both.dtype)
    signs[:, len(left) :] = -1
    generator = seeded()
    for row in signs[1:]:
        row.copy_(row[torch.randperm(len(both), generator=generator)])
    energies = -((signs @ distances) * signs).sum(-1)
    return (energies >= energies[0]).double().mean().item()


def drawn_by_hand(denoiser: Denoiser, *, has_noise: bool = True) -> Tensor:
    """Draw as DDPM's algorithm 2 says; without noise it forgets the variance."""
    generator = seeded(5)
    x = torch.randn(COUNT, 2, dtype=torch.float64, generator=generator)
    for step in reversed(range(len(SCHEDULE))):
        told = denoiser(x, torch.full((COUNT,), step))
        parts = split(told, x, step, SCHEDULE, "epsilon")
        x, variance = posterior(x, parts.x0, step, SCHEDULE)
        if has_noise and step:
            noise = torch.randn(x.shape, dtype=x.dtype, generator=generator)
            x = x + variance**0.5 * noise
    return x


def drawn(denoiser: Denoiser, prediction: str, num_steps: int | None, eta: float) -> Tensor:
    return sample(
        denoiser, (COUNT, 2), SCHEDULE, prediction,
        num_steps=num_steps, eta=eta, generator=seeded(5), dtype=torch.float64,
    )  # fmt: skip


def exact(prediction: str) -> Denoiser:
    return exact_denoiser(mixture(), SCHEDULE, prediction)


RIGHT: dict[str, Callable[[], Tensor]] = {
    "ddpm": lambda: drawn(exact("epsilon"), "epsilon", None, 1.0),
    "ddpm by hand": lambda: drawn_by_hand(exact("epsilon")),
    "ddpm of x0": lambda: drawn(exact("x0"), "x0", None, 1.0),
    "ddim": lambda: drawn(exact("v"), "v", 100, 0.0),
    "half of each": lambda: drawn(exact("v"), "v", None, 0.5),
}
WRONG: dict[str, Callable[[], Tensor]] = {
    "the variance is forgotten": lambda: drawn_by_hand(exact("epsilon"), has_noise=False),
    "noise is that of another schedule": lambda: drawn(
        exact_denoiser(mixture(), linear(200), "epsilon"), "epsilon", None, 1.0
    ),
    "v is taken for the noise": lambda: drawn(exact("v"), "epsilon", None, 1.0),
    "steps are too few": lambda: drawn(exact("v"), "v", 3, 0.0),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_drawn_is_not_told_from_the_mixture(name: str) -> None:
    assert p_value(RIGHT[name](), mixture().sample(COUNT, generator=seeded(6))) > 0.05


@pytest.mark.parametrize("name", WRONG)
def test_what_is_drawn_wrongly_is_told(name: str) -> None:
    assert p_value(WRONG[name](), mixture().sample(COUNT, generator=seeded(6))) < 0.01


def test_no_denoiser_has_a_smaller_loss_than_the_exact_one() -> None:
    points = mixture().sample(20_000, generator=seeded())
    for prediction in PREDICTIONS:
        truth = exact(prediction)
        others: list[Denoiser] = [
            lambda x, step, truth=truth: 0.9 * truth(x, step),  # type: ignore[misc]
            lambda x, step, truth=truth: truth(x, step) + 0.1,  # type: ignore[misc]
            lambda x, step, truth=truth: truth(x, (step - 10).clamp(min=0)),  # type: ignore[misc]
        ]
        least, *losses = (
            denoising_loss(each, points, SCHEDULE, prediction, generator=seeded(2)).item()
            for each in (truth, *others)
        )
        assert all(loss > least + 0.001 for loss in losses), (prediction, least, losses)


def test_a_network_that_learns_comes_near_the_score() -> None:
    known = Mixture(
        torch.tensor([0.3, 0.7], dtype=torch.float64),
        torch.tensor([[-1.0], [0.8]], dtype=torch.float64),
        torch.tensor([0.2, 0.3], dtype=torch.float64),
    )
    schedule, generator = cosine(50), seeded()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        net = nn.Sequential(
            nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1)
        )

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        told: Tensor = net(torch.cat([x, *schedule.scales(step, x)], -1))
        return told

    def distance(denoiser: Denoiser) -> float:
        """Return the mean square of what is wrong with the scores, as a share of theirs."""
        step, x0 = torch.arange(2000) % 50, known.sample(2000, generator=seeded(1)).float()
        noise = torch.randn(x0.shape, generator=seeded(2))
        x = add_noise(Parts(x0, noise), step, schedule)
        a, s = schedule.scales(step, x)
        wanted = -s * known.noised(a, s).score(x.double()).float()
        with torch.no_grad():
            wrong = denoiser(x, step) - wanted
        return (wrong.square().mean() / wanted.square().mean()).item()

    assert distance(denoiser) > 0.9
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(400):
        points = known.sample(256, generator=generator).float()
        optimizer.zero_grad()
        denoising_loss(denoiser, points, schedule, "epsilon", generator=generator).backward()
        optimizer.step()
    # Who knows mean and variance alone does not come so near.
    mean = known.weights @ known.means
    variance = known.weights @ (known.stds.square() + (known.means - mean).square().sum(-1))
    one = Mixture(torch.ones(1).double(), mean[None], variance.sqrt()[None])
    assert distance(exact_denoiser(one, schedule, "epsilon")) > 0.1
    assert distance(denoiser) < 0.05


def test_a_mixture_that_is_none_is_refused() -> None:
    weights, means, stds = torch.tensor([0.5, 0.5]), torch.zeros(2, 3), torch.ones(2)
    with pytest.raises(ValueError, match="in sum not 1"):
        Mixture(weights + 0.1, means, stds)
    with pytest.raises(ValueError, match="in sum not 1"):
        Mixture(torch.tensor([1.5, -0.5]), means, stds)
    with pytest.raises(ValueError, match="stds is not positive"):
        Mixture(weights, means, torch.tensor([1.0, math.nan]))
    with pytest.raises(ValueError, match=r"stds \(3,\)"):
        Mixture(weights, means, torch.ones(3))
    with pytest.raises(ValueError, match=r"weights has shape \(3,\)"):
        Mixture(torch.ones(3) / 3, means, stds)

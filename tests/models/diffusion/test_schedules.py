"""Schedules are what the papers' equations say, in float64, and refuse steps that are none."""

import math

import pytest
import torch

from torchstone.models.diffusion.schedules import (
    MAX_BETA,
    SCHEDULES,
    Schedule,
    cosine,
    find_schedule,
    linear,
)

pytestmark = pytest.mark.torch


def test_linear_is_that_of_the_paper() -> None:
    schedule = linear(1000)
    wanted = [0.0001 + (0.02 - 0.0001) * step / 999 for step in range(1000)]
    assert schedule.betas.tolist() == pytest.approx(wanted, rel=1e-12)
    # The paper's section 4: D_KL(q(x_T | x_0) || N(0, I)) is about 1e-5 bits a dimension.
    share = schedule.alphas_cumprod[-1].item()
    bits = 0.5 * ((1 - share) + share * 0.25 - 1 - math.log1p(-share)) / math.log(2)
    assert 0.5e-5 < bits < 1.5e-5


@pytest.mark.parametrize("num_steps", [1, 3, 100, 1000])
def test_cosine_is_that_of_the_paper(num_steps: int) -> None:
    def share(step: float) -> float:
        return math.cos((step / num_steps + 0.008) / 1.008 * math.pi / 2) ** 2

    betas = [min(1 - share(t) / share(t - 1), 0.999) for t in range(1, num_steps + 1)]
    assert cosine(num_steps).betas.tolist() == pytest.approx(betas, rel=1e-9)


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("num_steps", [1, 2, 17, 1000])
def test_what_follows_from_the_betas_does(name: str, num_steps: int) -> None:
    schedule = find_schedule(name, num_steps)
    assert len(schedule) == num_steps
    share, variances = 1.0, []
    for beta, found in zip(schedule.betas.tolist(), schedule.alphas_cumprod.tolist(), strict=True):
        # Bayes' rule: precisions add, of the step back and of what noise the image has by then.
        variances.append(0.0 if share == 1 else 1 / ((1 - beta) / beta + 1 / (1 - share)))
        share *= 1 - beta
        assert found == pytest.approx(share, rel=1e-12)
    assert schedule.posterior_variances.tolist() == pytest.approx(variances, rel=1e-9)
    assert schedule.betas.dtype == schedule.posterior_variances.dtype == torch.float64
    assert schedule.betas.max() <= MAX_BETA
    assert bool((schedule.alphas_cumprod.diff() < 0).all())


def test_a_step_for_each_of_a_batch_is_each_alone() -> None:
    schedule, like = cosine(10), torch.zeros(3, 2, 4)
    signal, noise = schedule.scales(torch.tensor([0, 9, 4]), like)
    assert signal.shape == (3, 1, 1)
    torch.testing.assert_close(signal.square() + noise.square(), torch.ones(3, 1, 1))
    for place, step in enumerate([0, 9, 4]):
        alone = schedule.scales(step, like)
        assert torch.equal(alone[0][0], signal[place])
        assert torch.equal(alone[1][0], noise[place])


@pytest.mark.parametrize("step", [-1, 10, torch.tensor([0, -1]), torch.tensor([10, 0])])
def test_a_step_that_there_is_not_is_refused(step: torch.Tensor | int) -> None:
    with pytest.raises(ValueError, match=r"not in 0 \.\.\. 9"):
        cosine(10).scales(step, torch.zeros(2, 1))


def test_steps_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="float32"):
        cosine(10).scales(torch.tensor([0.0, 1.0]), torch.zeros(2, 1))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        cosine(10).scales(torch.tensor([0, 1, 2]), torch.zeros(2, 1))


@pytest.mark.parametrize("name", SCHEDULES)
def test_no_steps_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="num_steps is 0"):
        find_schedule(name, 0)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'sine'; expected linear, cosine"):
        find_schedule("sine", 10)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1, math.nan])
def test_betas_that_are_none_are_refused(beta: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Schedule(torch.tensor([0.5, beta], dtype=torch.float64))
    with pytest.raises(ValueError, match="float32"):
        Schedule(torch.tensor([0.5]))
    with pytest.raises(ValueError, match="at least one step"):
        Schedule(torch.tensor([], dtype=torch.float64))

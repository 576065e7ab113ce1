"""Every schedule sets the rates that PyTorch's sets, step for step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = [
    pytest.mark.torch,
    # PyTorch wants optimizer.step() first; the rates are the same without it.
    pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step"),
    pytest.mark.filterwarnings("ignore:The epoch parameter in"),
]
NUM_STEPS = 30

Make = Callable[[Any, Any], Any]
SCHEDULES: dict[str, Make] = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda epoch: 0.9**epoch, lambda epoch: 0.5]),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.95),
    "step": lambda s, o: s.StepLR(o, 4, gamma=0.5),
    "multi step": lambda s, o: s.MultiStepLR(o, [3, 3, 11], gamma=0.3),
    "constant": lambda s, o: s.ConstantLR(o, factor=0.4, total_iters=6),
    "linear": lambda s, o: s.LinearLR(o, start_factor=0.25, total_iters=7),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.93),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 10, eta_min=0.01),
    "polynomial": lambda s, o: s.PolynomialLR(o, total_iters=12, power=1.7),
    "warm restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4, 2, eta_min=0.01),
    "cyclic": lambda s, o: s.CyclicLR(o, 0.01, [0.5, 0.3], 3, 5, mode="triangular2"),
    "cyclic, shrinking": lambda s, o: s.CyclicLR(o, 0.1, 0.4, 4, mode="exp_range", gamma=0.9),
    "cyclic, of a function": lambda s, o: s.CyclicLR(o, 0.1, 0.4, 4, scale_fn=lambda n: 1 / n),
    "chained": lambda s, o: s.ChainedScheduler([s.LinearLR(o), s.ExponentialLR(o, 0.9)]),
    "restarts after others": lambda s, o: s.SequentialLR(
        o, [s.CosineAnnealingWarmRestarts(o, 3), s.LinearLR(o, 0.1, total_iters=4)], [8]
    ),
    "one cycle": lambda s, o: s.OneCycleLR(o, 0.7, total_steps=NUM_STEPS),
    "one cycle, three phases": lambda s, o: s.OneCycleLR(
        o, [0.7, 0.2], epochs=3, steps_per_epoch=10, three_phase=True, anneal_strategy="linear"
    ),
    "sequential": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=5), s.CosineAnnealingLR(o, 20)], [5]
    ),
    "sequential of three": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1, 4), s.ExponentialLR(o, 0.9), s.StepLR(o, 3)], [4, 15]
    ),
}  # fmt: skip


def optimizer_of(space: Any) -> Any:
    parameters = [space.nn.Parameter(space.ones(2)), space.nn.Parameter(space.ones(3))]
    groups = [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.05}]
    return space.optim.SGD(groups, lr=0.4, momentum=0.9)


def rates(space: Any, make: Make) -> list[list[float]]:
    optimizer = optimizer_of(space)
    scheduler = make(space.optim.lr_scheduler, optimizer)
    seen = []
    for _ in range(NUM_STEPS - 1):
        groups = optimizer.param_groups
        assert scheduler.get_last_lr() == [group["lr"] for group in groups]
        seen.append([*scheduler.get_last_lr(), *[group["momentum"] for group in groups]])
        optimizer.step()
        scheduler.step()
    return seen


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_rates_are_pytorchs(name: str) -> None:
    ours, theirs = rates(micro, SCHEDULES[name]), rates(torch, SCHEDULES[name])
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=1e-9, atol=1e-12)
    assert len({row[0] for row in ours}) > 1


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_lowers_the_rate_when_pytorchs_does(mode: str, threshold_mode: str) -> None:
    measures = [1.0, 0.9, 0.9, 0.91, 0.92, 0.93, 0.5, 0.6, 0.6, 0.6, 0.6, 0.7, 0.7, 0.8, 1.1, 1.2]
    seen = []
    for space in (micro, torch):
        optimizer = optimizer_of(space)
        scheduler = space.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, mode, 0.5, patience=1, threshold_mode=threshold_mode, cooldown=1, min_lr=0.02
        )
        rows = []
        for measure in measures:
            scheduler.step(measure)
            rows.append([group["lr"] for group in optimizer.param_groups])
        seen.append(rows)
    assert seen[0] == seen[1]
    assert seen[0][-1] != seen[0][0]


@pytest.mark.parametrize("name", ["cosine", "linear", "exponential"])
def test_a_schedule_made_for_an_optimiser_under_way_leaves_its_rate(name: str) -> None:
    seen = []
    for space in (micro, torch):
        optimizer = optimizer_of(space)
        scheduler = SCHEDULES[name](space.optim.lr_scheduler, optimizer)
        for _ in range(3):
            scheduler.step()
        SCHEDULES[name](space.optim.lr_scheduler, optimizer)
        seen.append([group["lr"] for group in optimizer.param_groups])
    assert seen[0] == pytest.approx(seen[1], rel=1e-12)


def test_warm_restarts_go_to_parts_of_a_step() -> None:
    seen = []
    for space in (micro, torch):
        scheduler = space.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer_of(space), 2, 2)
        rows = []
        for step in range(40):
            scheduler.step(step / 4)
            rows.append(scheduler.get_last_lr())
        seen.append(rows)
    torch.testing.assert_close(torch.tensor(seen[0]), torch.tensor(seen[1]))


@pytest.mark.parametrize("name", ["step", "cosine", "sequential", "warm restarts", "cyclic"])
def test_a_schedule_goes_on_where_its_state_was_taken(name: str) -> None:
    whole = rates(micro, SCHEDULES[name])
    optimizer = optimizer_of(micro)
    scheduler = SCHEDULES[name](micro.optim.lr_scheduler, optimizer)
    for _ in range(9):
        scheduler.step()
    states = optimizer.state_dict(), scheduler.state_dict()
    optimizer = optimizer_of(micro)
    scheduler = SCHEDULES[name](micro.optim.lr_scheduler, optimizer)
    optimizer.load_state_dict(states[0])
    scheduler.load_state_dict(states[1])
    scheduler.step()
    assert scheduler.get_last_lr() == whole[10][:2]


def test_options_that_make_no_sense_are_refused() -> None:
    optimizer = optimizer_of(micro)
    schedules = micro.optim.lr_scheduler
    with pytest.raises(ValueError, match="total_steps"):
        schedules.OneCycleLR(optimizer, 0.1)
    with pytest.raises(ValueError, match="Factor"):
        schedules.ReduceLROnPlateau(optimizer, factor=1.5)
    with pytest.raises(TypeError, match="not an Optimizer"):
        schedules.StepLR(None, 3)
    with pytest.raises(ValueError, match="milestone points"):
        schedules.SequentialLR(optimizer, [schedules.StepLR(optimizer, 3)], [1, 2])


RESUMED: dict[str, Make] = {
    "step": lambda s, o: s.StepLR(o, 3, last_epoch=5),
    "constant": lambda s, o: s.ConstantLR(o, 0.3, 6, last_epoch=4),
    "linear": lambda s, o: s.LinearLR(o, 0.3, total_iters=8, last_epoch=4),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9, last_epoch=4),
    "polynomial": lambda s, o: s.PolynomialLR(o, 40, 2.0, last_epoch=4),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 9, 0.01, last_epoch=4),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.9, last_epoch=4),
    "down at once": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, 0),
    "from the second on": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1), s.ExponentialLR(o, 0.9)], [0]
    ),
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_schedule_that_begins_later_has_pytorchs_rates(name: str) -> None:
    seen = []
    for space in (micro, torch):
        optimizer = optimizer_of(space)
        for group in optimizer.param_groups:
            group["initial_lr"] = 0.7
        scheduler = RESUMED[name](space.optim.lr_scheduler, optimizer)
        rows = [scheduler.get_last_lr()]
        for _ in range(8):
            scheduler.step()
            rows.append(scheduler.get_last_lr())
        seen.append(rows)
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda s, o: s.OneCycleLR(o, 0.1, 0),
        lambda s, o: s.OneCycleLR(o, 0.1, epochs=-1, steps_per_epoch=3),
        lambda s, o: s.OneCycleLR(o, 0.1, 13, pct_start=1),
        lambda s, o: s.OneCycleLR(o, [0.1], 13),
        lambda s, o: s.CyclicLR(o, 0.1, [0.2]),
        lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="both"),
        lambda s, o: s.ReduceLROnPlateau(o, min_lr=[0.1]),
        lambda s, o: s.SequentialLR(o, [], []),
        lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1), s.ReduceLROnPlateau(o)], [3]),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(make: Make) -> None:
    texts = []
    for space in (micro, torch):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
            make(space.optim.lr_scheduler, optimizer_of(space))
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_a_cycle_of_momenta_needs_an_optimiser_that_has_one_and_others_one_that_is_theirs() -> None:
    schedules, weight = micro.optim.lr_scheduler, micro.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="must support momentum"):
        schedules.OneCycleLR(micro.optim.Adagrad([weight]), 0.1, 10)
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        schedules.ReduceLROnPlateau(3)
    mine, other = optimizer_of(micro), optimizer_of(micro)
    several = [schedules.StepLR(mine, 1), schedules.StepLR(other, 1)]
    with pytest.raises(ValueError, match="ChainedScheduler expects all schedulers to belong"):
        schedules.ChainedScheduler(several)
    with pytest.raises(ValueError, match="SequentialLR expects all schedulers to belong"):
        schedules.SequentialLR(mine, several, [2])


def test_the_state_of_a_function_that_has_one_is_kept() -> None:
    class Halved:
        def __init__(self, rate: float) -> None:
            self.rate = rate

        def __call__(self, epoch: int) -> float:
            return self.rate / 2

    states = []
    for space in (micro, torch):
        halved = Halved(0.6)
        functions = [halved, lambda epoch: 1.0]
        scheduler = space.optim.lr_scheduler.LambdaLR(optimizer_of(space), functions)
        states.append(scheduler.state_dict()["lr_lambdas"])
        halved.rate = 5.0
        scheduler.load_state_dict({**scheduler.state_dict(), "lr_lambdas": states[-1]})
        assert halved.rate == 0.6
    assert states == [[{"rate": 0.6}, None]] * 2


def test_nothing_is_better_by_more_than_all_of_it() -> None:
    seen = []
    for space in (micro, torch):
        scheduler = space.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer_of(space), patience=0, threshold=1.0
        )
        for measure in (1.0, 0.5):
            scheduler.step(measure)
        seen.append((scheduler.best, scheduler.num_bad_epochs, scheduler.get_last_lr()))
    assert seen[0] == seen[1]

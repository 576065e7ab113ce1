"""Averages follow at their distance, go in and come out again, and survive in a state."""

import pytest
import torch
from torch import nn

from torchstone.models.diffusion.average import Average

pytestmark = pytest.mark.torch


def set_to(model: nn.Linear, value: float) -> None:
    with torch.no_grad():
        model.weight.fill_(value)


def value_in(average: Average) -> float:
    return float(average.state_dict()["parameters"]["weight"])


def test_it_is_the_sum_of_its_definition() -> None:
    model = nn.Linear(1, 1, bias=False)
    set_to(model, 3.0)
    average, wanted = Average(model, 0.9), 3.0
    for number in range(1, 201):
        set_to(model, number % 7)
        average.update()
        decay = min(0.9, (1 + number) / (10 + number))
        wanted = decay * wanted + (1 - decay) * (number % 7)
        assert value_in(average) == pytest.approx(wanted, rel=1e-4)
    assert model.weight.item() == 200 % 7


def test_it_goes_in_and_the_own_parameters_come_back() -> None:
    model = nn.Linear(1, 1, bias=False)
    set_to(model, 1.0)
    average = Average(model, 0.5)
    set_to(model, 2.0)
    average.update()
    with pytest.raises(ZeroDivisionError), average.swapped():
        model.weight.fill_(1 / 0)
    assert model.weight.item() == 2.0
    with average.swapped():
        with pytest.raises(RuntimeError, match="leave swapped"):
            average.update()
        with pytest.raises(RuntimeError, match="leave swapped"), average.swapped():
            pass
        assert model.weight.item() == value_in(average)
    assert model.weight.item() == 2.0
    average.update()


def test_a_state_goes_on_where_it_was() -> None:
    model = nn.Linear(1, 1, bias=False)
    first, second = Average(model, 0.99), Average(model, 0.99)
    for number in range(5):
        set_to(model, number)
        first.update()
    second.load_state_dict(first.state_dict())
    set_to(model, 9.0)
    for average in (first, second):
        average.update()
    assert value_in(first) == value_in(second)
    with pytest.raises(ValueError, match="other parameters"):
        second.load_state_dict(Average(nn.Linear(2, 1, bias=False), 0.9).state_dict())
    with pytest.raises(ValueError, match="other parameters"):
        second.load_state_dict(Average(nn.Linear(1, 1), 0.9).state_dict())


def test_half_a_precision_is_averaged_in_a_whole_one() -> None:
    model = nn.Linear(1, 1, bias=False, dtype=torch.bfloat16)
    set_to(model, 0.0)
    average = Average(model, 0.999)
    set_to(model, 1.0)
    # In bfloat16 it would stop near 0.75, where a thousandth of the rest is rounded away.
    for _ in range(10_000):
        average.update()
    assert value_in(average) > 0.99
    with average.swapped():
        assert model.weight.dtype == torch.bfloat16


@pytest.mark.parametrize("decay", [-0.1, 1.0, float("nan")])
def test_a_decay_that_is_none_is_refused(decay: float) -> None:
    with pytest.raises(ValueError, match="decay is"):
        Average(nn.Linear(1, 1), decay)

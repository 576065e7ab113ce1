"""The random numbers are PyTorch's, number by number."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.ops.seeds import fork_rng

pytestmark = pytest.mark.torch

# Where in the state of a generator a normal number stands.
LEFT_OVER = slice(5024, 5032)
DRAWS: dict[str, Callable[[Any], Any]] = {
    "rand": lambda t: t.rand(7),
    "rand, double": lambda t: t.rand(3, 5, dtype=t.float64),
    "randn, few": lambda t: t.randn(5),
    "randn, few, and the one left over": lambda t: t.cat([t.randn(3), t.randn(4), t.randn(1)]),
    "randn, a block": lambda t: t.randn(16),
    "randn, blocks and a rest": lambda t: t.randn(5, 9),
    "rand, many": lambda t: t.rand(2**16 + 5),
    "randn, many": lambda t: t.randn(2**15 + 33),
    "randn, double": lambda t: t.randn(37, dtype=t.float64),
    "randn, half": lambda t: t.randn(16, dtype=t.float16),
    "randn, half, and a rest": lambda t: t.randn(37, dtype=t.float16),
    "normal_": lambda t: t.empty(40).normal_(2.0, 0.5),
    "uniform_": lambda t: t.empty(40).uniform_(-3.0, 4.0),
    "randint": lambda t: t.randint(3, 1000, (20,)),
    "randint, wide": lambda t: t.randint(0, 2**40, (20,)),
    "randperm": lambda t: t.randperm(100),
    "bernoulli of tensors": lambda t: t.bernoulli(t.full((50,), 0.3)),
    "multinomial": lambda t: t.multinomial(t.tensor([0.1, 0.2, 0.3, 0.4]), 3),
    "multinomial, replaced": lambda t: t.multinomial(t.tensor([0.1, 0.9]), 20, replacement=True),
    "normal, of tensors": lambda t: t.normal(t.arange(20.0), t.ones(20)),
    "random_": lambda t: t.empty(10, dtype=t.int64).random_(),
    "cauchy_, with its second parameter named": lambda t: t.empty(10).cauchy_(sigma=2.0),
}


def is_the_same(draw: Callable[[Any], Any], seed: int) -> bool:
    micro.manual_seed(seed)
    torch.manual_seed(seed)
    ours, theirs = draw(micro).numpy(), draw(torch).numpy()
    # Sine and logarithm may differ in their last bit.
    exact = np.array_equal(ours, theirs) or np.allclose(ours, theirs, rtol=3e-6, atol=3e-7)
    return bool(exact) and micro.rand(1).item() == torch.rand(1).item()


@pytest.mark.parametrize("seed", [0, 42, 2**32 + 7, -1])
@pytest.mark.parametrize("name", DRAWS)
def test_a_seed_gives_pytorchs_numbers_and_leaves_the_stream_where_it_does(
    name: str, seed: int
) -> None:
    assert is_the_same(DRAWS[name], seed)


def test_those_that_mkl_may_draw_are_made_of_the_stream_as_without_it() -> None:
    torch.manual_seed(0)
    uniform = torch.rand(150, dtype=torch.float64)
    micro.manual_seed(0)
    assert micro.empty(50).bernoulli_(0.3).tolist() == (uniform[:50] < 0.3).float().tolist()
    kept = micro.nn.functional.dropout(micro.ones(50), 0.4) != 0
    assert kept.tolist() == (uniform[50:100] < 0.6).tolist()
    waits = micro.empty(50, dtype=micro.float64).exponential_(2.0)
    np.testing.assert_allclose(waits.numpy(), -np.log1p(-uniform[100:].numpy()) / 2)


def test_a_stream_can_be_taken_up_where_it_stood() -> None:
    micro.manual_seed(1)
    micro.randn(3)
    state = micro.get_rng_state()
    first = micro.randn(2).tolist()
    micro.set_rng_state(state)
    assert micro.randn(2).tolist() == first


def test_a_generator_of_its_own_leaves_the_default_alone() -> None:
    micro.manual_seed(1)
    expected = micro.rand(2).tolist()
    micro.manual_seed(1)
    own = micro.Generator().manual_seed(5)
    assert micro.rand(2, generator=own).tolist() != expected
    assert own.initial_seed() == 5
    assert micro.rand(2).tolist() == expected


def test_the_stream_is_set_back_after_a_block_that_fails() -> None:
    @fork_rng()
    def fail() -> None:
        micro.rand(5)
        raise ZeroDivisionError

    micro.manual_seed(0)
    wanted = micro.rand(3).tolist()
    micro.manual_seed(0)
    with pytest.raises(ZeroDivisionError):
        fail()
    assert micro.rand(3).tolist() == wanted


@pytest.mark.parametrize("name", ["uniform_", "random_", "cauchy_", "exponential_", "geometric_"])
def test_a_parameter_that_there_is_not_is_refused(name: str) -> None:
    for lib in (torch, micro):
        with pytest.raises(TypeError):
            getattr(lib.ones(2), name)(colour=0.5)


def test_another_seed_gives_other_numbers() -> None:
    micro.manual_seed(1)
    first = micro.rand(4).tolist()
    micro.seed()
    assert micro.rand(4).tolist() != first


def test_a_seed_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(RuntimeError, match="64 bits"):
        micro.manual_seed(2**64)


@pytest.mark.parametrize("count", [0, 1, 3, 623, 624, 1000])
def test_a_state_is_pytorchs_and_either_goes_on_from_the_others(count: int) -> None:
    def after(space: Any, state: Any) -> list[float]:
        space.manual_seed(99)
        space.set_rng_state(state)
        drawn: list[float] = space.cat([space.randn(3), space.rand(700)]).tolist()
        return drawn

    states = []
    for space in (micro, torch):
        space.manual_seed(7)
        space.rand(count)
        # One of a pair of normal numbers is left over.
        space.randn(1)
        states.append(space.get_rng_state().numpy())
    # The number that is left over is computed, to the last bit but one.
    np.testing.assert_array_equal(np.delete(states[0], LEFT_OVER), np.delete(states[1], LEFT_OVER))
    ours, theirs = (each[LEFT_OVER].view(np.float64) for each in states)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    wanted = after(torch, torch.from_numpy(states[0]))
    np.testing.assert_allclose(after(micro, micro.from_numpy(states[1])), wanted, rtol=1e-6)


def test_a_state_that_is_none_is_refused() -> None:
    state = micro.get_rng_state()
    with pytest.raises(RuntimeError, match="RNG state"):
        micro.set_rng_state(state[1:])
    for wrong in (state.float(), state.tolist()):
        with pytest.raises(TypeError, match="ByteTensor"):
            micro.set_rng_state(wrong)
    state[16:24] = 255
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        micro.set_rng_state(state)

"""Attention in CUDA C++, on the simulator: compared with plain torch, under the detectors."""

from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from tests.kernels.accuracy import FORWARD, GRADIENT
from tests.kernels.simulated import (
    Operator,
    assert_as_exact,
    module_of,
    operators_on_card,
)
from torchstone.kernels.attention_reference import Mask, kept, reference, reference_backward
from torchstone.kernels.cuda.launch import TYPES

pytestmark = [pytest.mark.torch, pytest.mark.cudasim, pytest.mark.full]


class Case(NamedTuple):
    """What attention is asked for.

    Attributes:
        places: How many queries and keys; or of each sequence, which are packed then.
        heads: Heads of the queries, and those of the keys.
        head_dim: The length of their vectors.
        window: How many keys a query sees before and behind its place.
        dropout: The probability with which a probability becomes 0.
        has_slopes: Whether scores get less by the distance.
        has_padding: Whether some keys are hidden, and all of the last element of the batch.
    """

    places: tuple[int, int] | list[tuple[int, int]] = (70, 75)
    heads: tuple[int, int] = (2, 2)
    head_dim: int = 40
    window: tuple[int, int] = (-1, -1)
    dropout: float = 0.0
    has_slopes: bool = False
    has_padding: bool = False


NAME = "flash_attention"
PACKED = [(5, 9), (0, 3), (66, 40), (4, 0), (0, 0), (12, 12)]
CASES = {
    "plain": Case(),
    "causal": Case(window=(-1, 0)),
    "window": Case(window=(20, 7)),
    "window before": Case(window=(9, -1)),
    "more queries than keys, some of which see none": Case(places=(150, 40), window=(-1, 0)),
    "more keys than queries": Case(places=(5, 130), window=(50, 0)),
    "one query": Case(places=(1, 33)),
    "shared keys": Case(heads=(4, 2)),
    "one head of keys": Case(heads=(3, 1), window=(-1, 0)),
    "slopes": Case(has_slopes=True),
    "padding": Case(has_padding=True),
    "dropout": Case(dropout=0.3),
    "packed": Case(places=PACKED),
    "all": Case(
        heads=(4, 2), window=(30, 4), dropout=0.2, has_slopes=True, has_padding=True, head_dim=33
    ),
    "all packed": Case(
        places=PACKED, heads=(4, 2), window=(30, 0), dropout=0.2, has_slopes=True, head_dim=21
    ),
}


def tensors_of(case: Case, dtype: torch.dtype = torch.float32) -> tuple[list[Tensor], Mask]:
    """Make query, key, value, the gradient of the result, and the mask."""
    batch, lengths = (2, [case.places]) if isinstance(case.places, tuple) else (1, case.places)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    queries, keys = (sum(each) for each in zip(*lengths, strict=True))
    shapes = [(queries, case.heads[0]), *[(keys, case.heads[1])] * 2, (queries, case.heads[0])]
    tensors = [
        torch.randn(batch, places, heads, case.head_dim).to(dtype).transpose(1, 2)
        for places, heads in shapes
    ]
    padding = torch.rand(batch, keys) < 0.3
    padding[-1] = True
    ends = torch.tensor([(0, 0), *lengths]).cumsum(0)
    is_packed = isinstance(case.places, list)
    mask = Mask(
        key_padding_mask=padding if case.has_padding else None,
        slopes=torch.rand(case.heads[0], dtype=wide) / 4 if case.has_slopes else None,
        seed=torch.tensor(0x1234_5678_9ABC_DEF0) if case.dropout else None,
        cu_seq_q=ends[:, 0].to(torch.int32) if is_packed else None,
        cu_seq_k=ends[:, 1] if is_packed else None,
        max_q=max(each[0] for each in lengths),
        max_k=max(each[1] for each in lengths),
        left=case.window[0],
        right=case.window[1],
        scale=case.head_dim**-0.5,
        dropout=case.dropout,
    )
    return tensors, mask


def assert_attention(operators: dict[str, Operator], tensors: list[Tensor], mask: Mask) -> None:
    """Refuse what is less exact than the reference implementation, forward and backward."""
    query, key, value, grad = tensors
    forward, backward = operators["flash_attention"], operators["flash_attention_backward"]

    def finite(function: Operator) -> Operator:
        # Differences of minus infinity are not numbers.
        def run(*arguments: Any) -> tuple[Tensor, Tensor]:
            out, lse = function(*arguments)
            return out, lse.masked_fill(lse == -torch.inf, -16.0)

        return run

    assert_as_exact(finite(forward), finite(reference), (query, key, value, *mask), FORWARD, 8.0)

    def with_own_results(function: Operator) -> Operator:
        def run(grad: Tensor, query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> Any:
            return function(grad, query, key, value, *reference(query, key, value, *rest), *rest)

        return run

    assert_as_exact(
        with_own_results(backward), with_own_results(reference_backward),
        (grad, query, key, value, *mask), GRADIENT, 64.0,
    )  # fmt: skip


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch) -> dict[str, Operator]:
    return operators_on_card(monkeypatch)


@pytest.mark.parametrize("name", CASES)
def test_what_a_query_sees(operators: dict[str, Operator], name: str) -> None:
    assert_attention(operators, *tensors_of(CASES[name]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("head_dim", [1, 32, 64, 72, 130, 256])
def test_types_and_lengths_of_vectors(
    operators: dict[str, Operator], head_dim: int, dtype: torch.dtype
) -> None:
    case = Case(places=(37, 50), heads=(2, 1), head_dim=head_dim, window=(-1, 0))
    assert_attention(operators, *tensors_of(case, dtype))


def test_what_sees_nothing_is_zero(operators: dict[str, Operator]) -> None:
    (query, key, value, _), mask = tensors_of(Case(places=(9, 4), window=(-1, 0)))
    out, lse = operators["flash_attention"](query, key, value, *mask)
    assert (out[:, :, :5] == 0).all()
    assert (lse[:, :, :5] == -torch.inf).all()
    assert (lse[:, :, 5:] > -torch.inf).all()


@pytest.mark.full
@pytest.mark.parametrize(("queries", "keys"), [(0, 6), (6, 0)])
def test_no_queries_and_no_keys(operators: dict[str, Operator], queries: int, keys: int) -> None:
    assert_attention(operators, *tensors_of(Case(places=(queries, keys))))


def test_the_bits_of_dropout_are_those_of_the_reference(operators: dict[str, Operator]) -> None:
    (query, key, _, _), mask = tensors_of(Case(places=(40, 64), head_dim=64, dropout=0.4))
    # Each key's value names it alone, so that results are the probabilities.
    value = torch.eye(64).expand(2, 2, 64, 64)
    out, _ = operators["flash_attention"](query, key, value, *mask)
    assert mask.seed is not None
    assert torch.equal(out != 0, kept(mask.seed, 0.4, 0, (2, 2, 40, 64)))


def test_tensors_that_lie_in_others(operators: dict[str, Operator]) -> None:
    (_, _, _, grad), mask = tensors_of(Case(places=(40, 40), head_dim=36))
    # One projection of all three; then the same, where no vector begins at a multiple of 16 bytes.
    for first in (0, 1):
        whole = torch.randn(2, 40, 3 * 2 * 36 + 4)[..., first : first + 3 * 2 * 36]
        query, key, value = whole.unflatten(-1, (3, 2, 36)).permute(2, 0, 3, 1, 4)
        assert_attention(operators, [query, key, value, grad], mask)
    # Vectors with gaps are copied; a gradient may be one number for all.
    assert_attention(
        operators,
        [query, key.mT.contiguous().mT, value, grad[:, :, :1, :1].expand(grad.shape)],
        mask,
    )


@pytest.mark.full
def test_the_same_bits_every_time(operators: dict[str, Operator]) -> None:
    (query, key, value, grad), mask = tensors_of(CASES["all"])
    out, lse = operators["flash_attention"](query, key, value, *mask)
    backward = operators["flash_attention_backward"]
    first, again = (backward(grad, query, key, value, out, lse, *mask) for _ in range(2))
    for one, other in zip(first, again, strict=True):
        assert torch.equal(one, other)


def test_vectors_that_are_too_long_are_refused(operators: dict[str, Operator]) -> None:
    (query, key, value, _), mask = tensors_of(Case(places=(2, 2), head_dim=257))
    with pytest.raises(RuntimeError, match="flash_attention could not be launched: CUDA error 1"):
        operators["flash_attention"](query, key, value, *mask)


@pytest.mark.full
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ["all", "all packed"])
def test_the_detectors_find_nothing(
    monkeypatch: pytest.MonkeyPatch, name: str, dtype: torch.dtype
) -> None:
    operators = operators_on_card(monkeypatch, check=True)
    assert_attention(operators, *tensors_of(CASES[name], dtype))


@pytest.mark.full
@pytest.mark.parametrize("head_dim", [32, 64, 128, 256])
def test_a_warp_asks_memory_for_no_more_than_it_has_to(
    monkeypatch: pytest.MonkeyPatch, head_dim: int
) -> None:
    operators, module = operators_on_card(monkeypatch, check=True), module_of(NAME, check=True)
    module.clear_counters()
    assert_attention(operators, *tensors_of(Case(places=(40, 40), head_dim=head_dim)))
    counted = [
        tally
        for kernel in module.counters()
        for line in kernel.lines
        for tally in line.operations.values()
    ]
    assert sum(tally.sectors for tally in counted) > 0
    for tally in counted:
        assert (tally.sectors, tally.wavefronts) == (tally.ideal_sectors, tally.ideal_wavefronts)

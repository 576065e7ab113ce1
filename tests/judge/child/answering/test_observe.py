"""What is observed beside a submission is read as it was before the submission came."""

import builtins
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from torchstone.judge.child import driver
from torchstone.judge.child.answering import observe
from torchstone.judge.child.answering.fault import Fault

pytestmark = pytest.mark.torch

LAYOUTS = {
    "one element of a column": torch.arange(10.0)[::3][:1],
    "one expanded element": torch.ones(()).expand(1),
    "nothing, expanded": torch.empty(0).as_strided([0], [0]),
    "an odd offset": torch.arange(5.0)[1:3],
    "a lazy sign": torch._neg_view(torch.arange(4.0)),
    "a lazy conjugate": torch.tensor([1 + 2j, 3j]).conj(),
    "transposed": torch.arange(6.0).view(2, 3).T,
    "NaN": torch.full((3,), float("nan")),
    "half": torch.arange(3, dtype=torch.float16),
    "wide": torch.tensor([1 + 2j, 3j], dtype=torch.complex128)[::2],
    "wide, a lazy conjugate": torch.tensor([1 + 2j], dtype=torch.complex128).conj(),
    "0-d": torch.tensor(True),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_result_has_the_same_bits_as_its_copy(name: str) -> None:
    result = LAYOUTS[name]
    assert observe.same_bits(result, result.clone())
    assert observe.same_bits(result.clone(), result)


def test_other_bits_are_told_apart() -> None:
    one = torch.tensor([0.0, 1.0])
    assert not observe.same_bits(one, torch.tensor([-0.0, 1.0]))
    assert not observe.same_bits(one, one.double())
    assert not observe.same_bits(one, one.view(2, 1))
    assert not observe.same_bits(torch._neg_view(one), one)
    assert not observe.same_bits(torch.arange(5.0)[1:3], torch.arange(5.0)[2:4])


def test_a_change_outside_the_view_is_seen_too() -> None:
    base = torch.zeros(6)
    view = base[2:4]
    before = observe.storage_snapshot(view)
    assert not observe.storage_changed(view, before)
    base[5] = 1
    assert observe.storage_changed(view, before)


def test_a_tensor_that_looks_elsewhere_has_changed() -> None:
    one, other = torch.arange(6.0), torch.arange(4.0).view(2, 2)
    snapshots = observe.storage_snapshot(one), observe.storage_snapshot(other)
    one.as_strided_((2,), (1,), 3)
    other.t_()
    assert observe.storage_changed(one, snapshots[0])
    assert observe.storage_changed(other, snapshots[1])


def test_memory_that_was_exchanged_has_changed() -> None:
    one, other = torch.zeros(4), torch.zeros(4)
    snapshots = observe.storage_snapshot(one), observe.storage_snapshot(other)
    one.data = torch.zeros(4)
    other.untyped_storage().resize_(8)
    assert observe.storage_changed(one, snapshots[0])
    assert observe.storage_changed(other, snapshots[1])


def test_memory_is_shared_by_views_alone() -> None:
    base = torch.zeros(4)
    assert observe.same_storage(base, base[2:])
    assert not observe.same_storage(base, base.clone())
    assert not observe.same_storage(torch.empty(0), torch.empty(0)), "nothing shares nothing"


def test_what_travels_is_plain() -> None:
    x = torch.arange(6.0).view(2, 3).T
    sent = observe.plain({"a": [x, 1, None], 2: (x.dtype, object())})
    assert sent["a"][0].is_contiguous()
    assert sent["2"] == (torch.float32, "<builtins.object>")
    with pytest.raises(Fault, match="value_type") as caught:
        observe.plain(torch.nn.Parameter(x))
    assert caught.value.record["values"] == {"type": "Parameter"}


def test_a_result_beyond_any_honest_size_is_not_copied() -> None:
    with pytest.raises(Fault, match="result_too_large"):
        observe.sendable(torch.ones(1).expand(1 << 40))


def test_storages_that_are_saved_count_once_and_inputs_do_not() -> None:
    x = torch.ones(8, requires_grad=True)
    _, of_product = observe.saved_bytes(lambda: x * x, [x])
    _, of_exp = observe.saved_bytes(lambda: x.exp(), [x])
    assert (of_product, of_exp) == (0, 32)


def test_what_a_graph_held_that_has_ended_is_not_saved() -> None:
    x = torch.ones(8, requires_grad=True)

    def march(steps: int) -> torch.Tensor:
        at = x.detach()
        for _ in range(steps):
            at = at + (x * at).exp().detach()
        return (x * at).exp()

    def loop(steps: int) -> torch.Tensor:
        at = x
        for _ in range(steps):
            at = (x * at).sin()
        return at

    few, many = (observe.saved_bytes(lambda n=n: march(n), [x])[1] for n in (1, 20))
    assert few == many
    few, many = (observe.saved_bytes(lambda n=n: loop(n), [x])[1] for n in (1, 20))
    assert many > 10 * few > 0


def test_a_saved_tensor_comes_back_in_the_backward() -> None:
    x = torch.full((2,), 3.0, requires_grad=True)
    y, _ = observe.saved_bytes(lambda: x.exp() * x, [x])
    y.sum().backward()
    assert x.grad is not None
    assert torch.allclose(x.grad, x.detach().exp() * 4)


def test_a_changed_mode_is_named() -> None:
    before = observe.global_state()
    observe.same_state(before)
    torch.set_grad_enabled(False)
    with pytest.raises(Fault, match=r"state\.grad_mode"):
        observe.same_state(before)
    assert torch.is_grad_enabled(), "the next request starts as this one did"


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do to this process what a submission would do, for the length of one test."""
    with monkeypatch.context() as patch:
        for name in ("reshape", "view", "clone", "detach", "storage_offset", "untyped_storage"):
            patch.setattr(torch.Tensor, name, lambda *_: torch.zeros(1))
        patch.setattr(torch, "equal", lambda *_: True)
        patch.setattr(torch, "strided", torch.sparse_coo)
        patch.setattr(builtins, "all", lambda *_: True)
        patch.setattr(builtins, "bool", lambda *_: False)
        yield


@pytest.mark.usefixtures("poisoned")
def test_patching_torch_or_the_builtins_blinds_nobody() -> None:
    one, other = torch.tensor([0.0, 1.0]), torch.tensor([0.0, 2.0])
    found = (
        observe.same_bits(one, other),
        observe.same_storage(one, one),
        observe.is_plain(one),
        observe.storage_changed(other, observe.storage_snapshot(one)),
    )
    assert found == (False, True, True, True)


def test_every_tool_of_the_probes_is_there() -> None:
    assert [name for name in driver.__all__ if not hasattr(driver, name)] == []


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ((slice(0, 2),), (slice(1, 3),), True),
        ((slice(0, 2),), (slice(2, 4),), False),
        ((slice(0, 4, 2),), (slice(1, 4, 2),), False),
        ((slice(0, 4, 2),), (slice(2, 3),), True),
        ((slice(0, 0),), (slice(0, 4),), False),
    ],
)
def test_tensors_overlap_where_they_have_an_element_in_common(a: Any, b: Any, wanted: bool) -> None:
    base = torch.arange(4.0)
    assert observe.overlap(base[a], base[b]) is wanted
    assert observe.overlap(base[a], base.clone()[b]) is False


def test_strided_parts_of_one_table_are_compared() -> None:
    table = torch.zeros(3, 5)
    weight, bias = table[:-1, 3:], table[-1, 3:]
    assert observe.overlap(bias, weight) is observe.overlap(weight, bias) is False
    assert observe.overlap(table[1, 3:], weight) is observe.overlap(weight, table[1, 3:]) is True


def test_an_expanded_tensor_overlaps_with_what_it_repeats() -> None:
    base = torch.arange(4.0)
    assert observe.overlap(base[:1].expand(5), base)
    assert not observe.overlap(base[:1].expand(5), base[1:])
    assert observe.overlap(base, base.view(torch.int32))
    assert observe.overlap(base, base.view(torch.uint8))


@pytest.mark.parametrize(
    "x", [torch.zeros(3, 2).T, torch.zeros(6)[1::2], torch.zeros(()), torch.ones(0)]
)
def test_a_tensor_is_refilled_and_its_version_says_nothing(x: torch.Tensor) -> None:
    values = torch.arange(float(x.numel())).reshape(x.shape)
    version, address = x._version, x.data_ptr()
    observe.refill(x.requires_grad_(), values)
    assert torch.equal(x.detach(), values)
    assert (x._version, x.data_ptr()) == (version, address)

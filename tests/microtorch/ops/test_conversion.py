"""Copies, conversions, and what is written into a tensor as it is."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_clone_keeps_the_layout_but_for_expanded_tensors() -> None:
    x = micro.zeros(2, 3).t()
    assert x.clone().stride() == (1, 3)
    assert micro.zeros(3).expand(2, 3).clone().stride() == (3, 1)
    assert x.contiguous().stride() == (2, 1)
    assert x.clone(memory_format=micro.contiguous_format).stride() == (2, 1)
    assert micro.zeros(3).expand(2, 3).double().stride() == (3, 1)


def test_to_gives_the_tensor_itself_where_nothing_changes() -> None:
    x = micro.zeros(2)
    assert x.to(micro.float32) is x.to("cpu") is x.float() is x
    assert x.to(micro.float32, copy=True) is not x
    assert x.to(micro.ones(1, dtype=micro.int64)).dtype is micro.int64
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        x.to("cuda")


def test_copying_casts_and_broadcasts() -> None:
    x = micro.zeros(2, 3, dtype=micro.int64)
    x.copy_(micro.tensor([1.5, 2.5, -3.5]))
    assert x.tolist() == [[1, 2, -3]] * 2
    with pytest.raises(RuntimeError, match="expanded size"):
        x.copy_(micro.zeros(2))
    with pytest.raises(TypeError):
        x.copy_([1.0])
    assert micro.zeros(2).copy_(1.5).tolist() == torch.zeros(2).copy_(1.5).tolist()


def test_resizing_keeps_elements_and_views_what_memory_there_is() -> None:
    x, theirs = micro.arange(6.0), torch.arange(6.0)
    assert x.resize_(2, 2).tolist() == theirs.resize_(2, 2).tolist()
    assert x.resize_(6).tolist() == theirs.resize_(6).tolist()
    assert x.resize_(8)[:6].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    with pytest.raises(RuntimeError, match="require grad"):
        micro.ones(2, requires_grad=True).resize_(3)


def test_types_have_their_old_names() -> None:
    assert micro.zeros(1).type() == torch.zeros(1).type()
    assert micro.zeros(1, dtype=micro.int64).type() == "torch.LongTensor"
    assert micro.zeros(1).type("torch.DoubleTensor").dtype is micro.float64


def test_copying_variants_share_no_memory() -> None:
    x = micro.zeros(2, 3)
    for copied in (
        micro.transpose_copy(x, 0, 1),
        micro.view_copy(x, 6),
        micro.unbind_copy(x)[0],
        micro.narrow_copy(x, 0, 0, 1),
    ):
        assert not np.shares_memory(copied.array, x.array)
        assert copied.is_contiguous()
    out = micro.zeros(3, 2)
    assert micro.t_copy(x + 1, out=out) is out
    assert out.tolist() == [[1, 1]] * 3


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("int8", 300), ("int64", float("nan")), ("float32", 1e300), ("float16", 1e9),
     ("float32", 1j), ("int64", 2.7), ("bool", 1j), ("float32", float("-inf")), ("uint8", -1)],
)  # fmt: skip
def test_a_number_that_the_type_does_not_hold_is_refused_as_in_pytorch(dtype, value) -> None:
    def results(t):
        def make():
            yield lambda: t.zeros(2, dtype=getattr(t, dtype)).fill_(value)
            yield lambda: t.full((2,), value, dtype=getattr(t, dtype))

        for call in make():
            try:
                yield call().tolist()
            except RuntimeError as error:
                yield str(error)

    assert list(results(micro)) == list(results(torch))


def test_set_makes_two_tensors_of_one_memory() -> None:
    x, y = micro.zeros(2), micro.ones(3)
    x.set_(y)
    y.add_(1)
    assert x.tolist() == [2.0, 2.0, 2.0]
    assert x._version == 1

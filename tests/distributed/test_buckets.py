import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import Parameter

from torchstone.distributed.buckets import MIB, Bucket, is_same, make_buckets

pytestmark = [pytest.mark.torch]

dtypes = st.sampled_from([torch.float32, torch.float64, torch.bfloat16])


@given(st.lists(st.tuples(st.integers(0, 50), dtypes), max_size=30), st.integers(1, 300))
def test_buckets_hold_each_parameter_once_in_reverse_order_below_the_cap(kinds, cap):
    parameters = [Parameter(torch.zeros(length, dtype=dtype)) for length, dtype in kinds]
    buckets = make_buckets(parameters, cap_mb=cap / MIB)
    places = {id(each): place for place, each in enumerate(parameters)}
    order = [[places[id(each)] for each in bucket] for bucket in buckets]
    assert sorted(place for bucket in order for place in bucket) == list(range(len(parameters)))
    assert [bucket[0] for bucket in order] == sorted((each[0] for each in order), reverse=True)
    last = {}
    for bucket, row in zip(buckets, order, strict=True):
        assert row == sorted(row, reverse=True)
        assert len({each.dtype for each in bucket}) == 1
        assert len(bucket) == 1 or sum(each.nbytes for each in bucket) <= cap
        # No bucket is begun while the one before it had room.
        dtype = bucket[0].dtype
        if dtype in last:
            assert sum(each.nbytes for each in last[dtype]) + bucket[0].nbytes > cap
        last[dtype] = bucket


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        # In the order in which their gradients come.
        ([10, 10, 10, 10], [[10], [10, 10, 10]]),
        # A bias and its weight go together, and the bias before them with the weight after it.
        ([1, 20, 1, 20, 1, 5], [[1, 20], [1, 20, 1, 5]]),
        ([5, 5, 5, 30, 1], [[5, 5], [5], [30], [1]]),
        # Nothing exceeds the cap of all buckets but what does so alone.
        ([1, 40, 1], [[1], [40], [1]]),
        ([40, 1], [[40], [1]]),
    ],
)
def test_the_first_bucket_is_full_early(sizes, wanted):
    parameters = [Parameter(torch.zeros(size)) for size in reversed(sizes)]
    buckets = make_buckets(parameters, cap_mb=120 / MIB, first_mb=40 / MIB)
    assert [[each.numel() for each in bucket] for bucket in buckets] == wanted


def test_a_bucket_takes_gradients_of_any_strides_and_zeros_for_none():
    one, other = Parameter(torch.zeros(2, 3)), Parameter(torch.zeros(()))
    bucket = Bucket([one, other])
    bucket.flat.fill_(9)
    one.grad = torch.arange(6.0).view(3, 2).t()
    bucket.take(one)
    bucket.take(other)
    assert bucket.flat.tolist() == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0, 0.0]
    views = dict(bucket.views())
    assert views[one].shape == (2, 3)
    assert views[other].shape == ()


def test_a_gradient_that_lies_in_the_bucket_is_not_copied():
    one = Parameter(torch.zeros(4))
    bucket = Bucket([one])
    one.grad = dict(bucket.views())[one]
    one.grad.fill_(2)
    version = bucket.flat._version
    bucket.take(one)
    assert bucket.flat._version == version
    assert is_same(one.grad, bucket.flat)
    assert not is_same(bucket.flat[:2], bucket.flat[1:3])


def test_a_bucket_knows_what_it_no_longer_holds():
    one = Parameter(torch.zeros(4))
    bucket = Bucket([one])
    assert bucket.holds(one)
    one.data = one.data.double()
    assert not bucket.holds(one)

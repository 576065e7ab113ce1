"""Memory that is shared with other libraries: both see what either writes."""

import re
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.utils import dlpack

pytestmark = pytest.mark.torch


def test_torch_reads_our_memory_and_we_read_that_of_torch() -> None:
    ours = micro.arange(6.0).reshape(2, 3)
    theirs = torch.from_dlpack(ours)
    theirs[0, 1] = 9
    ours[1, 2] = 7
    assert theirs.tolist() == ours.tolist() == [[0, 9, 2], [3, 4, 7]]
    assert theirs.data_ptr() == ours.data_ptr()
    back = micro.from_dlpack(theirs)
    back[0, 0] = -1
    assert ours[0, 0].item() == -1
    assert back.data_ptr() == ours.data_ptr()


def test_strides_travel() -> None:
    ours = micro.arange(12).reshape(3, 4)[1:, ::2].t()
    theirs = torch.from_dlpack(ours)
    assert theirs.stride() == ours.stride() == (2, 4)
    assert theirs.tolist() == ours.tolist()
    assert micro.from_dlpack(theirs.t()).stride() == (4, 2)


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "float64", "complex64"])
def test_types_travel(name: str) -> None:
    ours = micro.ones(3, dtype=getattr(micro, name))
    assert torch.from_dlpack(ours).dtype is getattr(torch, name)
    assert micro.from_dlpack(torch.from_dlpack(ours)).dtype is ours.dtype


def test_a_zero_size_and_a_number_travel() -> None:
    assert micro.from_dlpack(torch.zeros(0, 3)).shape == (0, 3)
    assert micro.from_dlpack(torch.tensor(5)).item() == 5


def test_numpy_sees_the_same_memory() -> None:
    ours = micro.zeros(3)
    for array in (np.asarray(ours), np.from_dlpack(ours)):
        array[0] += 1
    assert ours.tolist() == [2, 0, 0]
    array = np.ones(2)
    micro.from_dlpack(array).mul_(3)
    assert array.tolist() == [3, 3]
    assert np.asarray(ours, np.float64).dtype == np.float64


@pytest.mark.parametrize("package", [micro, torch])
def test_a_gradient_refuses_to_travel(package: Any) -> None:
    tensor = package.ones(2, requires_grad=True)
    with pytest.raises(BufferError, match=r"require gradient, use tensor\.detach\(\)"):
        tensor.__dlpack__()
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.asarray(tensor)
    assert np.from_dlpack(tensor.detach()).tolist() == [1, 1]


def test_the_device_is_the_cpu() -> None:
    assert tuple(micro.ones(1).__dlpack_device__()) == tuple(torch.ones(1).__dlpack_device__())
    with pytest.raises(AssertionError, match="stream should be None"):
        micro.ones(1).__dlpack__(stream=1)
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        micro.from_dlpack(np.ones(1), device="cuda")


def test_a_capsule_of_torch_may_be_written_and_is_read_once() -> None:
    theirs = torch.zeros(2)
    capsule = torch.utils.dlpack.to_dlpack(theirs)
    ours = dlpack.from_dlpack(capsule)
    ours.add_(1)
    assert theirs.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="only once"):
        dlpack.from_dlpack(capsule)
    assert torch.utils.dlpack.from_dlpack(dlpack.to_dlpack(ours)).tolist() == [1, 1]


def test_the_memory_outlives_who_made_it() -> None:
    ours = micro.from_dlpack(torch.arange(1000.0) * 1)
    capsule = micro.from_dlpack(dlpack.to_dlpack(micro.arange(1000.0) * 1))
    for _ in range(3):
        torch.ones(1000)
    assert ours.sum().item() == capsule.sum().item() == 499500


def test_a_copy_is_made_where_one_is_asked_for() -> None:
    array = np.zeros(2)
    micro.from_dlpack(array, copy=True).add_(1)
    assert array.tolist() == [0, 0]
    capsule = dlpack.to_dlpack(micro.from_numpy(array))
    micro.from_dlpack(capsule, copy=True).add_(1)
    assert array.tolist() == [0, 0]


def test_what_is_no_memory_is_refused() -> None:
    for package in (micro, torch):
        with pytest.raises(RuntimeError, match="from_dlpack"):
            package.from_dlpack(5)
    with pytest.raises(ValueError, match=re.escape("strides are not currently supported")):
        micro.from_dlpack(np.arange(3)[::-1])


def test_memory_that_may_not_be_written_stays_so() -> None:
    array = np.zeros(2)
    array.flags.writeable = False
    ours = micro.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        ours.add_(1)
    with pytest.raises(BufferError, match="readonly"):
        dlpack.to_dlpack(ours)

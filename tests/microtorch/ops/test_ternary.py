import numpy as np
import pytest

import torchstone.microtorch as micro

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_lerp_meets_both_ends_exactly(weight):
    start, end = micro.tensor([0.1, 1e8]), micro.tensor([0.7, 0.3])
    wanted = end if weight else start
    assert start.lerp(end, weight).tolist() == wanted.tolist()


def test_addcmul_in_place_writes_into_the_tensor():
    x = micro.zeros(2)
    assert x.addcmul_(micro.ones(2), micro.tensor([2.0, 3.0]), value=0.5) is x
    np.testing.assert_array_equal(x.numpy(), [1.0, 1.5])


@pytest.mark.torch
@pytest.mark.parametrize("weight", [0.3, [0.5 - 1j, 2.0 + 1j]])
def test_lerp_of_complex_numbers_has_the_gradients_of_pytorch(weight):
    import torch

    def gradients(lib):
        pair = [lib.tensor([1 + 2j, -1j], requires_grad=True) for _ in range(2)]
        way = weight if isinstance(weight, float) else lib.tensor(weight, requires_grad=True)
        out = lib.lerp(pair[0], pair[1] * 2j, way)
        inputs = pair if isinstance(weight, float) else [*pair, way]
        return lib.autograd.grad((out * out).real.sum(), inputs)

    for ours, theirs in zip(gradients(micro), gradients(torch), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.resolve_conj().numpy(), rtol=1e-5)


def test_shapes_and_types_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="must match the size"):
        micro.ones(3).lerp(micro.ones(2), 0.5)
    with pytest.raises(NotImplementedError, match="Long"):
        micro.ones(3).long().lerp(micro.ones(3).long(), 0.5)
    with pytest.raises(TypeError, match="'end'"):
        micro.ones(3).lerp(2, 0.5)
    assert micro.ones(1).long().addcmul(*[micro.ones(1).long()] * 2, value=0.5).tolist() == [1]

"""The mesh of data parallelism has one axis, and as many ranks on it as the world."""

import pytest

from torchstone.distributed.mesh import Mesh
from torchstone.distributed.refusal import Refusal

pytestmark = [pytest.mark.torch]


def test_all_ranks_are_copies():
    assert Mesh.of(None, 6) == Mesh.of({}, 6) == Mesh.of({"dp": 6}, 6) == Mesh(dp=6)


@pytest.mark.parametrize(
    ("sizes", "code", "words"),
    [
        ({"ep": 2}, "mesh_axis", "the axis 'ep'; its axes are dp"),
        ({"dp": 0}, "mesh_size", "has the size 0, but 6 ranks were started"),
        ({"dp": 12}, "mesh_size", "has the size 12, but 6 ranks were started"),
    ],
)
def test_a_mesh_that_does_not_fit_is_refused(sizes, code, words):
    with pytest.raises(Refusal) as caught:
        Mesh.of(sizes, 6)
    assert caught.value.code == code
    assert words in str(caught.value)

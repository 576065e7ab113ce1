from collections import OrderedDict, namedtuple

import pytest

from torchstone.microtorch.func.tree import flatten, mapped, shown, spread, unflatten

pytestmark = pytest.mark.pure
Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "tree", [3, None, (), [1, (2, {"a": 3, "b": []})], Pair(1, [2]), OrderedDict(z=1, a=(2, 3))]
)
def test_a_tree_comes_back_from_its_leaves_and_its_structure(tree):
    leaves, spec = flatten(tree)
    again = unflatten(leaves, spec)
    assert again == tree
    assert type(again) is type(tree)


def test_structures_that_differ_are_told_apart():
    trees = [[1], (1,), {"a": 1}, {"b": 1}, [1, 2], [[1]], 1]
    specs = [flatten(each)[1] for each in trees]
    assert all(one != other for place, one in enumerate(specs) for other in specs[:place])


def test_a_value_spreads_over_all_that_hangs_below_it():
    spec = flatten(({"a": 1, "b": [2, 3]}, 4))[1]
    assert spread(0, spec) == [0, 0, 0, 0]
    assert spread((None, 1), spec) == [None, None, None, 1]
    assert spread(({"a": 5, "b": 6}, 7), spec) == [5, 6, 6, 7]
    assert spread((0,), spec) is None
    assert spread(({"a": 5, "c": 6}, 7), spec) is None


def test_a_function_is_applied_to_the_leaves():
    assert mapped(lambda each: each + 1, {"a": [1, (2,)]}) == {"a": [2, (3,)]}
    assert shown(flatten({"a": [1, (2,)]})[1]) == "dict['a': list[*, tuple[*]]]"

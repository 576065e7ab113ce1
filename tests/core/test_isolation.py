import pytest

from torchstone.core.isolation import Isolation

pytestmark = pytest.mark.pure


def test_levels_are_ordered_from_full_to_none() -> None:
    levels = [Isolation("full"), Isolation("namespaces"), Isolation("confined"), Isolation("none")]
    table = [[level.is_at_least(minimum) for minimum in levels] for level in levels]
    assert table == [
        [True, True, True, True],
        [False, True, True, True],
        [False, False, True, True],
        [False, False, False, True],
    ]

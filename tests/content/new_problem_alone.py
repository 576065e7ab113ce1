"""A plugin of pytest: where a test has a case for each problem, only that of the new one runs.

Nor does a slow test that goes over all of them at once, as one that opens every statement in a
browser. The other problems are tried beside it, in the suite itself.
"""

import re

import pytest

OF_NEW = re.compile(r"(?<![0-9A-Za-z.])51(?![0-9A-Za-z])")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases of the other problems, and what is slow and has no cases."""
    with_case = {_test_of(item) for item in items if _is_of_new(item)}
    left_out = [item for item in items if not _is_of_new(item) and _is_of_others(item, with_case)]
    config.hook.pytest_deselected(items=left_out)
    unchosen = set(left_out)
    items[:] = [item for item in items if item not in unchosen]


def _is_of_others(item: pytest.Item, with_case: set[str]) -> bool:
    return _test_of(item) in with_case or item.get_closest_marker("slow") is not None


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _is_of_new(item: pytest.Item) -> bool:
    return OF_NEW.search(item.nodeid.partition("[")[2]) is not None

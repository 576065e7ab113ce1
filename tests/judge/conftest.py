"""What the tests of the judge share."""

import pytest

from tests.judge.left import descendants


@pytest.fixture(scope="module")
def strangers() -> list[int]:
    """List what other tests have running, which comes and goes as it likes."""
    return descendants()

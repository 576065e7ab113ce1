"""Free memory in pieces, at the thresholds of TS-M002."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import fragmentation

pytestmark = pytest.mark.pure


MB = 1 << 20


def made(allocated: int, request: int) -> Made:
    run = Made().operator("aten::mm", 0, 10)
    run.memory(15_000, MB, allocated, 100 * MB)
    return run.memory(15_001, request, allocated + request, 100 * MB + request)


def test_taking_more_though_enough_is_free_is_found() -> None:
    found = fragmentation.find(made(60 * MB, 20 * MB).case())
    assert found is not None
    assert found.evidence["free"] == pytest.approx(0.4)
    assert found.evidence["growths"] == 1


@pytest.mark.parametrize(
    ("allocated", "request_bytes", "is_found"),
    [
        (69 * MB, MB, True),
        (71 * MB, MB, False),
        (60 * MB, 41 * MB, False),
        (60 * MB, MB - 1, False),
    ],
)
def test_free_bytes_and_request_decide(allocated: int, request_bytes: int, is_found: bool) -> None:
    assert (fragmentation.find(made(allocated, request_bytes).case()) is not None) == is_found

"""The card that a trace names."""

from __future__ import annotations

from typing import Any

import pytest

from torchstone.doctor.read.chrome import Head
from torchstone.doctor.source import Device, device_of

pytestmark = pytest.mark.pure

H100 = {
    "name": "NVIDIA H100 80GB HBM3",
    "computeMajor": 9,
    "computeMinor": 0,
    "totalGlobalMem": 85_000_000_000,
}


def test_the_first_card_with_a_name_counts() -> None:
    found = device_of(Head(deviceProperties=[{"id": 0}, H100, {"name": "other"}]))
    assert found == Device(name="NVIDIA H100 80GB HBM3", capability=9.0, memory=85_000_000_000)


def test_capability_is_major_and_minor() -> None:
    found = device_of(Head(deviceProperties=[H100 | {"computeMajor": 8, "computeMinor": 6}]))
    assert found.capability == pytest.approx(8.6)


@pytest.mark.parametrize("properties", [[], [{}], [{"name": ""}]])
def test_without_a_name_there_is_no_card(properties: list[dict[str, Any]]) -> None:
    assert device_of(Head(deviceProperties=properties)) == Device()


def test_what_is_no_number_is_not_known() -> None:
    odd = {"name": "AMD Instinct", "computeMajor": "gfx", "totalGlobalMem": None}
    assert device_of(Head(deviceProperties=[odd])) == Device(name="AMD Instinct")

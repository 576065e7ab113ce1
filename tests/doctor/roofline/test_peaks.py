"""The table of cards: which one a name means, and which types have which peak."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import card
from torchstone.doctor.roofline.peaks import peaks_of
from torchstone.doctor.roofline.work import Family

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("name", "memory", "bandwidth", "bfloat16"),
    [
        ("NVIDIA H100 80GB HBM3", 85, 3350, 989),
        ("NVIDIA H100 PCIe", 85, 2000, 756),
        ("NVIDIA H100 NVL", 100, 3900, 835),
        ("NVIDIA H200", 150, 4800, 989),
        ("NVIDIA H20", 102, 4000, 148),
        ("NVIDIA GB200", 192, 8000, 2500),
        ("NVIDIA B200", 192, 8000, 2250),
        ("NVIDIA A100-SXM4-40GB", 42.5, 1555, 312),
        ("NVIDIA A100-SXM4-80GB", 85, 2039, 312),
        ("NVIDIA A100 80GB PCIe", 85, 1935, 312),
        ("NVIDIA A100-PG509-200", 42.3, 1555, 312),
        ("NVIDIA A10G", 24, 600, 70),
        ("NVIDIA L4", 24, 300, 121),
        ("NVIDIA L40S", 48, 864, 362),
        ("NVIDIA GeForce RTX 4090", 25, 1008, 165),
        ("AMD Instinct MI300X", 206, 5300, 1307.4),
        ("AMD Instinct MI325X", 275, 6000, 1307.4),
        ("AMD Instinct MI250X/MI250", 68, 1638, 191.5),
    ],
)
def test_names(name: str, memory: float, bandwidth: float, bfloat16: float) -> None:
    found = peaks_of(card(name, memory))
    assert found is not None
    assert found.bandwidth == pytest.approx(bandwidth * 1e9)
    assert found.flops["bfloat16"] == pytest.approx(bfloat16 * 1e12)


@pytest.mark.parametrize(
    "name",
    ["", "Card", "NVIDIA GeForce RTX 3080 Laptop GPU", "NVIDIA GeForce RTX 4070 SUPER"],
)
def test_what_the_table_does_not_have_has_no_peak(name: str) -> None:
    assert peaks_of(card(name, 16)) is None


def test_types_and_units() -> None:
    ampere, volta = peaks_of(card("NVIDIA A100-SXM4-80GB", 85)), peaks_of(card("Tesla V100", 32))
    assert ampere is not None
    assert volta is not None
    assert ampere.of(Family.PRODUCT, "float32") == 19.5e12
    assert ampere.of(Family.PRODUCT, "float32", is_tf32=True) == 156e12
    assert ampere.of(Family.PRODUCT, "float64") == 19.5e12
    # Arithmetic on elements has no tensor cores.
    assert ampere.of(Family.POINTWISE, "bfloat16") == 19.5e12
    assert ampere.of(Family.POINTWISE, "float64") == 9.7e12
    assert volta.of(Family.PRODUCT, "bfloat16") is None
    assert volta.of(Family.PRODUCT, "float32", is_tf32=True) == 15.7e12

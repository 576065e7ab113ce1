"""The names of the package, of which none is imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import torchstone.distributed

pytestmark = [pytest.mark.torch]


def test_every_name_is_there() -> None:
    assert dir(torchstone.distributed) == sorted(torchstone.distributed.__all__)
    for name in torchstone.distributed.__all__:
        assert getattr(torchstone.distributed, name) is not None


def test_records_are_made_in_the_order_of_their_fields() -> None:
    link = torchstone.distributed.Link(1e9, 1e-3)
    assert (link.bandwidth_bytes_s, link.latency_s) == (1e9, 1e-3)
    batches = torchstone.distributed.MicroBatches(64, 16, 4, 1)
    assert (batches.num_samples, batches.batch_size, batches.seed) == (64, 16, 1)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Zeroo'"):
        _ = torchstone.distributed.Zeroo


def test_the_package_alone_does_not_import_torch() -> None:
    program = "import sys, torchstone.distributed; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

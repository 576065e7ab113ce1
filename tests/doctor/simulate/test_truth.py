"""The truth of a run: small ones whose shares are counted by hand."""

from __future__ import annotations

import pytest

from torchstone.doctor.simulate.actions import (
    Action,
    Collect,
    Copy,
    Exchange,
    Frame,
    Kernel,
    Load,
    Op,
    Save,
    Sync,
)
from torchstone.doctor.simulate.machine import run
from torchstone.doctor.simulate.truth import shares_of, window_of

pytestmark = pytest.mark.pure


def microseconds(*actions: Action, hidden: tuple[str, ...] = ()) -> dict[str, float]:
    """Where the time of one step goes, in microseconds; what is nothing is left out."""
    (recording,) = run([[actions]])
    begin, end = window_of(recording)
    shares = shares_of(recording, hidden=hidden)
    assert sum(shares.values()) == pytest.approx(1.0)
    return {name: round(share * (end - begin) / 1e3, 3) for name, share in shares.items() if share}


LAUNCH = Kernel(us=4, latency_us=4, device_us=50)


def test_what_the_host_does_before_a_kernel_is_charged() -> None:
    found = microseconds(Load(us=30), Op(name="aten::mm", us=8, do=(LAUNCH,)))
    parts = {"compute": 50, "idle.loader": 30, "idle.operator": 4, "idle.launch": 4}
    # The step's own two microseconds are in three parts, the last beside the kernel.
    assert found == parts | {"idle.python": pytest.approx(1.333, abs=0.01)}


def test_a_kernel_that_begins_late_is_unexplained() -> None:
    found = microseconds(Kernel(us=4, latency_us=104, device_us=50))
    assert found["idle.unexplained"] == 100


def test_exposed_is_only_what_nothing_before_it_covers() -> None:
    found = microseconds(
        Kernel(us=0, latency_us=1, device_us=40),
        Exchange(us=0, latency_us=1, device_us=60, after=()),
        Copy(us=0, latency_us=1, device_us=100, stream=9),
    )
    # Each begins half a microsecond after the one before it.
    assert (found["compute"], found["communication"], found["copy_h2d"]) == (40, 20.5, 40.5)


def test_files_without_frames_hide_what_only_frames_show() -> None:
    busy = (Save(us=20), Collect(us=10), Frame(where="a.py(1): f", us=5), LAUNCH)
    shown = microseconds(*busy)
    assert (shown["idle.io"], shown["idle.gc"]) == (20, 10)
    hidden = microseconds(*busy, hidden=("io",))
    assert hidden["idle.python"] == shown["idle.python"] + 20


def test_waiting_while_the_device_works_is_no_loss() -> None:
    assert "idle.sync" not in microseconds(LAUNCH, Sync(us=3))

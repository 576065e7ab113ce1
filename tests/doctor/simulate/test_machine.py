"""The machine: what waits for what, and what time it is then."""

from __future__ import annotations

import pytest

from torchstone.doctor.simulate.actions import (
    Action,
    Backward,
    Copy,
    Exchange,
    Frame,
    Kernel,
    Load,
    Op,
    Sync,
)
from torchstone.doctor.simulate.machine import AUTOGRAD, MAIN, Recording, run

pytestmark = pytest.mark.pure


def ran(*actions: Action) -> Recording:
    (recording,) = run([[actions]])
    return recording


def spans(recording: Recording, role: str) -> list[tuple[str, int, int]]:
    return [(s.name, s.begin, s.end) for s in recording.spans if s.role == role]


def test_time_of_an_action_is_spread_around_what_it_contains() -> None:
    found = ran(Op(name="outer", us=4, do=(Op(name="inner", us=1),)))
    # The step takes two microseconds of its own.
    assert spans(found, "operator") == [("inner", 3_000, 4_000), ("outer", 1_000, 6_000)]
    assert found.steps == [(0, 7_000)]


def test_kernels_of_a_stream_follow_each_other_and_the_host_is_ahead() -> None:
    found = ran(*(Kernel(device_us=100, us=4, latency_us=6) for _ in range(2)))
    first, second = found.items
    assert (first.begin, first.end) == (first.ready, first.ready + 100_000)
    assert second.begin == first.end
    assert found.steps[0][1] < first.end


def test_streams_run_side_by_side_unless_one_waits_for_the_other() -> None:
    found = ran(
        Kernel(device_us=100),
        Kernel(device_us=10, stream=8),
        Kernel(device_us=10, stream=9, after=(7, 8)),
    )
    a, b, c = found.items
    assert b.begin < a.end
    assert c.begin == a.end


def test_a_synchronising_call_lasts_until_the_device_is_done() -> None:
    found = ran(Kernel(device_us=100), Kernel(device_us=300, stream=8), Sync(stream=7), Sync())
    one, all_of_them = [each for each in spans(found, "call") if "Sync" in each[0]]
    assert one[2] == found.items[0].end
    assert all_of_them[2] == found.items[1].end


def test_a_copy_takes_as_long_as_its_bytes() -> None:
    found = ran(Copy(size=6_000_000, gbps=6.0))
    assert found.items[0].end - found.items[0].begin == 1_000_000


def test_a_collective_ends_on_all_ranks_when_the_last_has_come() -> None:
    fast = (Exchange(device_us=50), Sync())
    slow = (Frame(where="late.py(3): late", us=900), *fast)
    first, second = run([[fast, fast], [slow, slow]])
    for a, b in zip(first.items, second.items, strict=True):
        assert a.end == b.end == max(a.begin, b.begin) + 50_000
    assert first.items[0].begin < second.items[0].begin


def test_ranks_that_wait_for_ever_are_refused() -> None:
    with pytest.raises(ValueError, match="each the same collectives"):
        run([[(Exchange(device_us=1), Sync())], [(Action(us=1),)]])
    with pytest.raises(ValueError, match="lacks a rank"):
        run([[(Exchange(device_us=1),)], [(Action(us=1),)]])


def test_the_backward_pass_is_on_its_own_thread() -> None:
    found = ran(Backward(do=(Op(name="aten::mm", us=5, do=(Kernel(device_us=9),)),)))
    assert [s.lane for s in found.spans if s.role == "operator"] == [AUTOGRAD]
    assert found.items[0].thread == AUTOGRAD
    assert {s.lane for s in found.spans if s.role == "step"} == {MAIN}


def test_a_forward_operator_and_its_backward_share_a_number_in_each_step() -> None:
    pair = (Op(name="aten::mm", sequence="a"), Backward(do=(Op(name="MmBackward0", sequence="a"),)))
    (found,) = run([[pair, pair]])
    numbers = [s.args["sequence"] for s in found.spans if s.role == "operator"]
    assert numbers == [1, 1, 2, 2]


def test_frames_know_who_called_them() -> None:
    found = ran(Frame(where="a.py(1): f", us=1, do=(Load(us=1, do=(Frame(where="b.py(2): g"),)),)))
    frames = {
        s.name: (s.args["python"], s.args["parent"]) for s in found.spans if s.role == "frame"
    }
    loader = "torch/utils/data/dataloader.py(628): __next__"
    assert frames["b.py(2): g"][1] == frames[loader][0]
    assert frames[loader][1] == frames["a.py(1): f"][0]
    assert frames["a.py(1): f"][1] == frames["train.py(90): main"][0]


def test_times_are_whole_where_they_are_asked_to_be() -> None:
    (found,) = run([[(Op(name="a", us=2.3, do=(Kernel(device_us=0.2),)),)]], quantum_ns=1000)
    assert all(s.begin % 1000 == s.end % 1000 == 0 for s in found.spans)
    assert found.items[0].end - found.items[0].begin == 1000

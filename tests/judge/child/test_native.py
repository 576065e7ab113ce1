"""The launcher of native modules: how long a launch may take, and what is counted."""

import resource
import time

import pytest

from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.judge.child import native

pytestmark = pytest.mark.cudasim


class Library:
    """Record what the simulator is told."""

    def __init__(self) -> None:
        self.calls: dict[str, tuple[object, ...]] = {}

    def __getattr__(self, name: str) -> object:
        return lambda *given: self.calls.update({name: given})


def begin(monkeypatch: pytest.MonkeyPatch, *, counts: bool) -> dict[str, tuple[object, ...]]:
    runtime = native.Runtime(str(find_toolchain().runtime(Build.FAST)))
    library = Library()
    monkeypatch.setattr(runtime, "_library", library)
    runtime.begin("random", 7, counts=counts)
    return library.calls


@pytest.mark.parametrize(("limit", "used", "left_ms"), [(20, 0.0, 19_000), (20, 12.5, 6_500)])
def test_a_launch_may_take_the_cpu_time_that_is_left_to_the_job(
    monkeypatch: pytest.MonkeyPatch, limit: int, used: float, left_ms: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limit, limit))
    monkeypatch.setattr(time, "process_time", lambda: used)
    assert begin(monkeypatch, counts=False)["cusim_configure"] == (2, 7, 1, left_ms)


def test_a_launch_has_a_limit_when_no_time_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (20, 20))
    monkeypatch.setattr(time, "process_time", lambda: 21.0)
    assert begin(monkeypatch, counts=False)["cusim_configure"][-1] == 100


def test_a_launch_has_a_limit_where_the_process_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: unlimited)
    assert begin(monkeypatch, counts=False)["cusim_configure"][-1] == 20_000


@pytest.mark.parametrize(("counts", "blocks"), [(True, 1), (False, 2)])
def test_all_blocks_are_counted_or_none(
    monkeypatch: pytest.MonkeyPatch, counts: bool, blocks: int
) -> None:
    assert begin(monkeypatch, counts=counts)["cusim_count_blocks"] == (blocks,)

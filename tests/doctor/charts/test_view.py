"""A view: its answers agree with the report, and what it has not is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doctor.charts.seen import view_of
from tests.doctor.simulated import simulated
from torchstone.core.i18n import LANGS
from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.view import View
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose

pytestmark = pytest.mark.pure


def test_the_report_of_a_view_is_that_of_the_command(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader")
    view = View([path])
    for lang in LANGS:
        assert view.report(lang) == diagnose([path], lang)


@pytest.mark.parametrize("patient", ["loader", "launch", "communication", "healthy"])
def test_the_overview_is_known_before_the_rules_and_holds_no_number_that_is_none(
    patient: str,
) -> None:
    overview = view_of(patient).overview(600)
    json.dumps(overview, allow_nan=False)
    assert len(overview["picture"]["rows"]) == len(overview["tracks"])
    window = overview["window"]
    assert overview["picture"]["end"] == window["start_us"] + window["duration_us"]
    assert overview["steps"][0] == pytest.approx(window["start_us"])
    assert len(overview["steps"]) == window["steps"] + 1


def test_every_finding_has_its_evidence_among_the_links() -> None:
    view = view_of("launch")
    links = view.links()
    json.dumps(links, allow_nan=False)
    assert len(links["evidence"]) == len(view.findings)
    assert links["bandwidth"] > 1e12
    assert set(links["peaks"]) >= {"float32", "bfloat16"}


def test_a_picture_has_marks_where_a_finding_is_and_none_without_one() -> None:
    view = view_of("loader")
    begin, end = view.evidence[0].focus
    picture = view.drawn(begin, end, 500, 0)
    assert picture["marks"]["host"]
    assert picture["marks"]["device"]
    assert view.drawn(begin, end, 500, None)["marks"] == {"host": [], "device": []}


def test_moments_outside_of_the_window_are_brought_into_it() -> None:
    view = view_of("loader")
    window = view.case.window
    picture = view.picture(window.begin - 1e9, window.end + 1e9, 100)
    assert (picture.begin, picture.end) == (window.begin, window.end)
    # Nothing is between them: the whole is shown.
    picture = view.picture(window.end + 5, window.end + 9, 100)
    assert (picture.begin, picture.end) == (window.begin, window.end)


def test_what_is_at_a_moment_is_an_event_or_a_gap() -> None:
    view = view_of("loader")
    gaps = view.accounts[0].gaps
    assert gaps is not None
    found = view.event(0, float(gaps.begin[0] + 1))
    assert found is not None
    assert (found.gap, CLASSES[found.kind]) == (0, "loader")
    device = next(at for at, each in enumerate(view.tracks) if each.group == "device")
    track = view.tracks[device]
    kernel = view.event(device, float(track.t0[2] + 0.1))
    assert kernel is not None
    assert kernel.launched_by in ("cudaLaunchKernel", "cudaMemcpyAsync")
    assert kernel.launched_at is not None
    assert kernel.launched_at <= kernel.begin
    assert view.event(device, float(track.t0[0] - 1)) is None


def test_what_the_run_does_not_have_is_refused() -> None:
    view = view_of("loader")
    window = view.case.window
    for ask in (
        lambda: view.flame(99, window.begin, window.end, None),
        lambda: view.flame(0, window.begin, window.end, 99),
        lambda: view.gap(9, 0),
        lambda: view.gap(0, 10**6),
        lambda: view.gaps(9),
        lambda: view.event(99, 0.0),
        lambda: view.drawn(window.begin, window.end, 10, 99),
    ):
        with pytest.raises(Refusal, match="There is no"):
            ask()

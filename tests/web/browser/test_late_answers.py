"""Answers that come after another choice was made: what was chosen last is shown."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Route, expect

from tests.reports import make_report
from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, Desk
from tests.web.live import LiveServer
from torchstone.judge.messages import plain
from torchstone.store import open_store
from torchstone.store.submissions import SubmissionKind

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

# More than one page of the list.
NUM_SUBMISSIONS = 53


def fill(data: Path, *kinds: tuple[SubmissionKind, str]) -> list[str]:
    """Record submissions of problem 01, the oldest first, and return their ids."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    added = []
    with open_store(data / "torchstone.db") as store:
        for kind, verdict in kinds:
            added.append(store.add_submission("01", "pass\n", kind=kind, client_key=str(uuid4())))
            assert store.claim(added[-1], "host")
            assert store.record_verdict(added[-1], plain(make_report("01", verdict)), {})
    return added


def test_the_submission_that_was_chosen_last_is_shown(
    own_server: LiveServer, enter: PageOpener
) -> None:
    slow, _ = fill(own_server.folder / "data", ("submit", "AC"), ("submit", "WA"))
    page = enter(own_server.start())
    held: list[Route] = []
    page.route(f"**/api/submissions/{slow}", lambda route: held.append(route))
    page.goto(f"{own_server.url}/en/problems/01?tab=submissions")
    desk = Desk(page=page)
    desk.expect_verdict("WA wrong value")
    page.get_by_title("Submission 1: show").click()
    expect(page.locator("tr.shown")).to_have_count(1)
    page.get_by_title("Submission 2: show").click()
    page.wait_for_function("() => document.querySelectorAll('tbody tr').length > 2")
    assert held
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    expect(desk.verdict).to_have_text("WA wrong value")
    expect(page.locator("tr.shown")).to_contain_text("WA")


def test_more_of_all_submissions_are_not_put_among_the_runs(
    own_server: LiveServer, enter: PageOpener
) -> None:
    kinds = [("submit", "WA")] * NUM_SUBMISSIONS + [("run", "AC")]
    fill(own_server.folder / "data", *kinds)  # type: ignore[arg-type]
    page = enter(own_server.start())
    held: list[Route] = []
    page.route("**/api/problems/01/submissions?*before=*", lambda route: held.append(route))
    page.goto(f"{own_server.url}/en/problems/01?tab=submissions")
    page.get_by_role("button", name="Show 4 more").click(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Runs of the samples 1").click()
    rows = page.get_by_role("tabpanel").locator("tbody tr")
    expect(rows).to_have_count(1)
    (route,) = held
    with page.expect_response(route.request.url):
        route.continue_()
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    expect(rows).to_have_count(1)

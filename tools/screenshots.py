"""Take screenshots of every page and its main states: two languages, two themes, three widths.

The program starts a server with its own folders twice: for a new learner, and for a learner with a
history of real verdicts. It needs Chromium and a judge, so it is run by hand.

Usage: ``python tools/screenshots.py [OUT] [--only ROUTE]``, for example
``python tools/screenshots.py /tmp/shots --only /review``
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Page, sync_playwright

from torchstone.app.home import Home, find_home
from torchstone.app.judging.submission import judge_text
from torchstone.app.problems.drafts import DraftKind, read_draft, save_draft
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.after_verdict import settle
from torchstone.core.i18n import LANGS
from torchstone.judge.messages import plain
from torchstone.store import open_store

# The tests are not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import need_chromium
from tests.web.chromium import ARGUMENTS, find_chromium
from tests.web.live import LiveServer

LOCALES = {"en": "en-GB", "zh": "zh-CN"}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = {1440: 900, 1024: 768, 390: 844}
LOOKS = tuple(itertools.product(THEMES, WIDTHS.items()))
# The largest height of a screenshot; below it a screenshot shows the whole page.
MAX_HEIGHT = 4000
# A sticky or fixed element would cover the text in a screenshot of the whole page.
UNSTICK = """() => {
    for (const each of document.querySelectorAll("main *")) {
        each.style.position = "";
        if (innerWidth < 900 && ["sticky", "fixed"].includes(getComputedStyle(each).position))
            each.style.position = "static";
    }
    scrollTo(0, 0);
}"""
PATIENCE_MS = 60_000
Looks: TypeAlias = tuple[tuple[Literal["light", "dark"], tuple[int, int]], ...]

RAISES = "def {name}(*args, **kwargs):\n    raise RuntimeError('not written yet')\n"
NOTE = "Subtract the row maximum first: exp overflows above 88 in float32.\n先减去每行的最大值。\n"
# Problem, submission, days ago: 01 and 05 are due for review, 02 and 07 are not.
HISTORY: tuple[tuple[str, str, int], ...] = (
    ("01", "no_shift", 40),
    ("01", "solution", 40),
    ("05", "half_at_zero", 21),
    ("05", "solution", 21),
    ("02", "mean_over_n", 1),
    ("02", "solution", 1),
    ("07", "unbiased_variance", 1),
    ("07", "solution", 1),
    ("03", "gradient_not_summed", 1),
    ("04", "raises", 0),
)
HINTS = (("05", 2), ("03", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Describe a state of a page.

    Attributes:
        page: The page, as in the name of the file.
        state: The state, as in the name of the file.
        route: The address without the language.
        prepare: Produces the state on the page of the address.
        is_fresh: Whether the learner is new.
        is_locked: Whether the browser has no session.
    """

    page: str
    state: str
    route: str
    prepare: Callable[[Page], None] = lambda page: None
    is_fresh: bool = False
    is_locked: bool = False


def _submit(source: str, problem: str = "01") -> Callable[[Page], None]:
    def run(page: Page) -> None:
        """Write a solution into the draft and submit it, as a learner does."""
        address = f"{page.url.split('/problems')[0][:-3]}/api/problems/{problem}/draft"
        draft = page.request.get(address).json()
        origin = {"Origin": address.partition("/api")[0], "Sec-Fetch-Site": "same-origin"}
        body = {"text": source, "base": draft["version"], "put_aside": False}
        page.request.put(address, data=body, headers=origin)
        page.reload()
        settle_page(page)
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+Enter")
        # The title: the mark of the verdict, then the name of the problem.
        page.wait_for_function("() => /^[✓✗]/.test(document.title)", polling=100)
        settle_page(page)
        # Show the details of the verdict, too.
        page.eval_on_selector_all(
            "#verdict details", "all => all.forEach((one) => one.open = true)"
        )

    return run


def _lose_server(page: Page) -> None:
    page.context.set_offline(True)
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.locator("[role=status] .note").wait_for()


def _find(words: str) -> Callable[[Page], None]:
    def run(page: Page) -> None:
        page.get_by_role("combobox").fill(words)
        page.get_by_role("option").first.wait_for()

    return run


def _end(page: Page) -> None:
    """Wait until a simulation has ended."""
    page.locator(".result").wait_for()


RUN = "/distributed?world=4&parallel=zero2&steps=1&link=1gbit&gflops=20"
DISTRIBUTED = (
    Shot(page="distributed", state="empty", route="/distributed"),
    Shot(page="distributed", state="run", route=RUN, prepare=_end),
    Shot(page="distributed", state="slow", route=f"{RUN}&slow=1x3", prepare=_end),
    Shot(page="distributed", state="refused", route=RUN.replace("world=4", "world=9999")),
)


def list_shots(home: Home) -> tuple[Shot, ...]:
    """Return the states to show; states that change data come last."""
    problem = home.problem("01")
    wrong = next(each.source for each in problem.wrong if each.name == "no_shift")
    native, parted = home.problem("42"), home.problem("49")
    racy = next(each.source for each in native.wrong if each.name == "racy_accumulate")
    half = next(each.source for each in parted.wrong if each.name == "background_not_behind")
    tabs = ("submissions", "editorial", "notes")
    return (
        Shot(page="home", state="first", route="/", is_fresh=True),
        Shot(page="home", state="locked", route="/", is_locked=True),
        Shot(page="home", state="history", route="/"),
        Shot(page="problems", state="all", route="/problems"),
        Shot(page="problems", state="filtered", route="/problems?state=proven&stars=1"),
        Shot(page="problems", state="found", route="/problems?q=softmax"),
        Shot(page="problems", state="nothing", route="/problems?q=zzzz&state=tried"),
        Shot(page="review", state="empty", route="/review", is_fresh=True),
        Shot(page="review", state="due", route="/review"),
        Shot(page="review", state="explained", route="/review?problem=01"),
        *DISTRIBUTED,
        Shot(page="settings", state="all", route="/settings"),
        Shot(page="settings", state="found", route="/settings", prepare=_find("softmax")),
        Shot(page="lost", state="all", route="/nowhere"),
        Shot(page="problem", state="fresh", route="/problems/01", is_fresh=True),
        *(Shot(page="problem", state=tab, route=f"/problems/02?tab={tab}") for tab in tabs),
        Shot(page="problem", state="locked-editorial", route="/problems/03?tab=editorial"),
        Shot(page="problem", state="wrong", route="/problems/01", prepare=_submit(wrong)),
        Shot(
            page="problem",
            state="error",
            route="/problems/01",
            prepare=_submit(RAISES.format(name="softmax")),
        ),
        Shot(
            page="problem",
            state="accepted",
            route="/problems/01",
            prepare=_submit(problem.solution.source),
        ),
        Shot(page="native", state="fresh", route="/problems/42", is_fresh=True),
        Shot(page="native", state="race", route="/problems/42", prepare=_submit(racy, "42")),
        Shot(
            page="native",
            state="accepted",
            route="/problems/42",
            prepare=_submit(native.solution.source, "42"),
        ),
        Shot(page="native", state="parts", route="/problems/49", prepare=_submit(half, "49")),
        Shot(page="package", state="fresh", route="/problems/50", is_fresh=True),
        Shot(page="operator", state="fresh", route="/problems/42op", is_fresh=True),
        Shot(page="problems", state="gone", route="/problems", prepare=_lose_server),
    )


def seed(home: Home, history: tuple[tuple[str, str, int], ...]) -> None:
    """Write a history of real verdicts, with their dates in the past."""
    for number, (problem_id, name, days) in enumerate(history):
        problem = home.problem(problem_id)
        sources = {each.name: each.source for each in problem.wrong}
        sources |= {"solution": problem.solution.source}
        sources |= {"raises": RAISES.format(name=problem.spec.entry.names[0])}
        judged = judge_text(home, problem, sources[name], lambda event: None)
        moment = local_now() - timedelta(days=days, minutes=60 - 5 * number)
        ticks = (moment + timedelta(minutes=2 * step) for step in itertools.count())
        with open_store(clock=lambda ticks=ticks: next(ticks)) as store:  # type: ignore[misc]
            store.start_problem(problem_id)
            for hinted, rung in HINTS:
                if hinted == problem_id and name != "solution":
                    store.open_hint(problem_id, rung)
            added = store.add_submission(problem_id, sources[name], client_key=f"seed {number}")
            assert store.claim(added, "screenshots")
            receipt = plain(judged.receipt) if judged.receipt else {}
            assert store.record_verdict(added, plain(judged.report), receipt)
            settle(store, problem, moment + timedelta(minutes=15))
        print(f"seeded {problem_id} {name}: {judged.verdict}")
    _write(home, "03", DraftKind.SOLUTION, "# begun, not finished\n" + home.problem("03").starter)
    _write(home, "02", DraftKind.NOTES, NOTE)


def _write(home: Home, problem: str, kind: DraftKind, text: str) -> None:
    save_draft(home, problem, kind, text, base=read_draft(home, problem, kind).version)


def settle_page(page: Page) -> None:
    """Wait until a page has loaded everything that it requested."""
    page.locator("main h1").first.wait_for(state="attached")
    # The page polls the status of the server all the time; no other request may be open.
    page.wait_for_function(
        """() => {
            const asked = performance.getEntriesByType("resource");
            const last = Math.max(0, ...asked
                .filter((each) => !each.name.endsWith("/api/status"))
                .map((each) => each.responseEnd));
            return performance.now() - last > 300;
        }""",
        polling=100,
    )


@contextmanager
def show(browser: Any, server: LiveServer, lang: str, *, is_locked: bool) -> Iterator[Page]:
    """Yield a page in a browser with a session, or without one."""
    context = browser.new_context(locale=LOCALES[lang], bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    if not is_locked:
        page.goto(server.new_link())
        page.wait_for_url(f"{server.url}/{lang}/")
    yield page
    context.close()


def photograph(page: Page, shot: Shot, lang: str, looks: Looks, out: Path) -> Iterator[Path]:
    """Take screenshots of a state in the given themes and widths."""
    for theme, (width, height) in looks:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(UNSTICK)
        # A figure that measures its space is drawn again after the next frame.
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        whole = page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": min(max(whole, height), MAX_HEIGHT)}
        path = out / f"{shot.page}-{shot.state}-{lang}-{theme}-{width}.png"
        page.screenshot(path=path, full_page=True, clip=clip)  # type: ignore[arg-type]
        yield path


def photograph_all(
    shots: tuple[Shot, ...], servers: dict[bool, LiveServer], lang: str, looks: Looks, out: Path
) -> list[Path]:
    """Take all screenshots in one language."""
    found: list[Path] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=ARGUMENTS,
            # As a reader sees the page: with scrollbars.
            ignore_default_args=["--hide-scrollbars"],
        )
        for shot in shots:
            server = servers[shot.is_fresh]
            with show(browser, server, lang, is_locked=shot.is_locked) as page:
                page.goto(f"{server.url}/{lang}{shot.route}")
                settle_page(page)
                shot.prepare(page)
                found += photograph(page, shot, lang, looks, out)
        browser.close()
    return found


def main() -> int:
    """Start the servers, take the screenshots, and print what was written."""
    parser = argparse.ArgumentParser(description="Take screenshots of every page and its states.")
    parser.add_argument("out", nargs="?", type=Path, default=Path("build/screenshots"))
    parser.add_argument("--only", metavar="ROUTE", help="only this address, e.g. /review")
    parser.add_argument("--quick", action="store_true", help="one picture in each language")
    arguments = parser.parse_args()
    need_chromium()
    out: Path = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="torchstone-screenshots-") as folder:
        servers = {
            True: LiveServer(folder=Path(folder, "new")),
            False: LiveServer(folder=Path(folder, "old")),
        }
        for server in servers.values():
            server.folder.mkdir()
        os.environ |= servers[False].environment
        shots = tuple(
            shot
            for shot in list_shots(find_home())
            if arguments.only in (None, shot.route.partition("?")[0])
        )
        history, looks = HISTORY, LOOKS
        if arguments.quick:
            shots = tuple(shot for shot in shots if not (shot.is_fresh or shot.is_locked))[:1]
            history, looks = HISTORY[:1], LOOKS[:1]
            del servers[True]
        try:
            seed(find_home(), history)
            for server in servers.values():
                server.start().enter()
                # While the judge starts, the page sends requests all the time.
                server.wait_warm()
            with ThreadPoolExecutor(max_workers=len(LANGS)) as pool:
                jobs = [
                    pool.submit(photograph_all, shots, servers, lang, looks, out) for lang in LANGS
                ]
                found = [path for job in jobs for path in job.result()]
        finally:
            for server in servers.values():
                server.stop()
    for path in sorted(found):
        print(path)
    print(f"{len(found)} pictures in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

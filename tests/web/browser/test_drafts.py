"""Nothing that was typed is lost: crashes, two tabs, the terminal, another editor."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import PATIENCE_MS, RIGHT, STARTER, Desk
from tests.web.chromium import ARGUMENTS
from tests.web.live import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

UNREACHED = "net::ERR_"
# The server says so when a draft was written upon another version than the one it has.
CONFLICT = "status of 409"
MINE = "# mine\nanswer = 42\n"
OTHERS = "# the other\nanswer = 43\nextra = True\n"
SAY = {
    "en": {
        "tab": "This problem is open in another tab",
        "file": "The file was changed outside this page",
        "offer": "Unsaved text from a closed tab",
        "compare": "Compare",
        "this": "Use this one",
        "other": "Use the other",
        "take": "Take it",
        "difference": "Difference: the other text (−) and the text in the editor (+)",
    },
    "zh": {
        "tab": "这道题在另一个标签页里也开着",
        "file": "这份文件在页面之外被改过",
        "offer": "找到一份没有保存的内容，来自已关闭的标签页",
        "compare": "看差别",
        "this": "用这里的",
        "other": "用另一份",
        "take": "取回来",
        "difference": "差别：另一份（−）与编辑器里的（+）",
    },
}


def files_of(server: LiveServer) -> dict[str, str]:
    """Read the files of the workspace that hold solutions."""
    folder = server.folder / "workspace"
    return {path.name: path.read_text() for path in sorted(folder.glob("*.py"))}


def notice(desk: Desk, key: str) -> Locator:
    """Return the notice about the draft."""
    return desk.page.get_by_role("heading", name=SAY[desk.lang][key], exact=True)


def choose(desk: Desk, key: str) -> None:
    """Press a button of the notice."""
    desk.page.get_by_role("button", name=SAY[desk.lang][key], exact=True).click()


@pytest.fixture(scope="module")
def kept_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server, through blank_server alone."""
    live = LiveServer(folder=tmp_path_factory.mktemp("drafts"))
    yield live
    assert live.stop() == 0


@pytest.fixture
def blank_server(kept_server: LiveServer) -> LiveServer:
    """Yield a server whose learner has written nothing; a test that kills it may leave it so."""
    shutil.rmtree(kept_server.folder / "workspace", ignore_errors=True)
    if not kept_server.runs:
        kept_server.start()
    return kept_server


def test_looking_at_a_problem_writes_no_file(blank_server: LiveServer, enter: PageOpener) -> None:
    desk = Desk(page=enter(blank_server)).open()
    desk.expect_text(STARTER)
    desk.expect_draft("starter")
    desk.write(f"{STARTER}#")
    desk.expect_draft("saved")
    assert files_of(blank_server) == {"01_softmax.py": f"{STARTER}#"}


def test_the_terminal_judges_what_the_page_saved(own_server: LiveServer, enter: PageOpener) -> None:
    desk = Desk(page=enter(own_server.start())).open()
    desk.write(RIGHT)
    desk.expect_draft("saved")
    command = [sys.executable, "-m", "torchstone", "submit", "01"]
    done = subprocess.run(command, env=own_server.environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    desk.page.reload()
    desk.page.get_by_role("tab", name="Submissions").click()
    expect(desk.page.get_by_role("tabpanel").get_by_role("row").nth(1)).to_contain_text("AC")


def open_twice(server: LiveServer, enter: PageOpener, lang: str) -> tuple[Desk, Desk]:
    """Open the same problem in two tabs of one browser."""
    first = Desk(page=enter(server, lang), lang=lang).open()
    second = Desk(page=first.page.context.new_page(), lang=lang)
    second.page.goto(first.page.url)
    second.expect_ready()
    return first, second


def test_what_one_tab_saves_appears_in_the_other(
    blank_server: LiveServer, enter: PageOpener
) -> None:
    first, second = open_twice(blank_server, enter, "en")
    first.write(MINE)
    second.expect_text(MINE)
    second.write(OTHERS)
    first.expect_text(OTHERS)
    first.expect_draft("saved")
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}


def edit_both(mine: Desk, other: Desk) -> None:
    """Write in both tabs, in one of them while it reaches nobody."""
    network = mine.page.context.new_cdp_session(mine.page)
    cut_off(network.send, is_cut=True)
    mine.write(MINE)
    mine.expect_draft("offline")
    other.write(OTHERS)
    other.expect_draft("saved")
    cut_off(network.send, is_cut=False)
    expect(notice(mine, "tab")).to_be_visible(timeout=PATIENCE_MS)
    mine.expect_text(MINE)


def cut_off(send: Callable[..., object], *, is_cut: bool) -> None:
    """Take the network from one tab, or give it back."""
    rates = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    send("Network.enable")
    send("Network.emulateNetworkConditions", {"offline": is_cut, **rates})


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_of_two_texts_the_one_that_gives_way_gets_a_dated_name(
    blank_server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append(UNREACHED)
    other, mine = open_twice(blank_server, enter, lang)
    edit_both(mine, other)
    # Nothing is saved until one is chosen, whatever is typed.
    mine.editor.click()
    mine.page.keyboard.press("Control+End")
    mine.page.keyboard.type("# more")
    choose(mine, "compare")
    difference = mine.page.get_by_role("region", name=SAY[lang]["difference"], exact=True)
    expect(difference).to_contain_text("answer = 42")
    expect(difference).to_contain_text("answer = 43")
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}

    choose(mine, "this")
    mine.expect_draft("saved")
    expect(notice(mine, "tab")).to_have_count(0)
    files = files_of(blank_server)
    assert files.pop("01_softmax.py") == f"{MINE}# more"
    ((aside, text),) = files.items()
    assert re.fullmatch(r"01_softmax\.\d{4}-\d\d-\d\d\.py", aside)
    assert text == OTHERS
    other.expect_text(f"{MINE}# more")


def test_the_text_that_is_given_up_comes_back_with_undo(
    blank_server: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append(UNREACHED)
    other, mine = open_twice(blank_server, enter, "en")
    edit_both(mine, other)
    choose(mine, "other")
    mine.expect_text(OTHERS)
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}
    mine.editor.click()
    mine.page.keyboard.press("Control+z")
    mine.expect_text(MINE)
    mine.expect_draft("saved")
    files = files_of(blank_server)
    assert files.pop("01_softmax.py") == MINE
    assert list(files.values()) == [OTHERS]


def test_a_conflict_survives_a_reload(
    blank_server: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append(UNREACHED)
    other, mine = open_twice(blank_server, enter, "en")
    edit_both(mine, other)
    mine.page.reload()
    mine.expect_ready()
    mine.expect_text(MINE)
    expect(mine.page.get_by_role("button", name=SAY["en"]["this"])).to_be_visible(
        timeout=PATIENCE_MS
    )
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}


def test_a_file_that_another_editor_changed_is_shown(
    blank_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(blank_server)).open()
    desk.write(MINE)
    desk.expect_draft("saved")
    edit_outside(blank_server, OTHERS)
    # The terminal has had the focus; now the browser has it again.
    desk.page.evaluate("dispatchEvent(new Event('focus'))")
    desk.expect_text(OTHERS)
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_file_that_another_editor_changed_is_not_overwritten(
    blank_server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append(CONFLICT)
    desk = Desk(page=enter(blank_server, lang), lang=lang).open()
    desk.write(MINE)
    desk.expect_draft("saved")
    edit_outside(blank_server, OTHERS)
    desk.editor.click()
    desk.page.keyboard.press("Control+End")
    desk.page.keyboard.type("# here")
    expect(notice(desk, "file")).to_be_visible(timeout=PATIENCE_MS)
    assert files_of(blank_server) == {"01_softmax.py": OTHERS}
    desk.expect_text(f"{MINE}# here")
    choose(desk, "this")
    desk.expect_draft("saved")
    files = files_of(blank_server)
    assert files.pop("01_softmax.py") == f"{MINE}# here"
    assert list(files.values()) == [OTHERS]


def edit_outside(server: LiveServer, text: str) -> None:
    """Save as Vim does: another file takes the name."""
    folder = server.folder / "workspace"
    (folder / "4913").write_text(text)
    (folder / "4913").rename(folder / "01_softmax.py")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_unsaved_text_of_a_tab_that_crashed_is_found_by_the_next(
    blank_server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append(UNREACHED)
    desk = Desk(page=enter(blank_server, lang), lang=lang).open()
    port = blank_server.port
    blank_server.kill()
    desk.write(MINE)
    desk.expect_draft("offline")
    crash_tabs(desk.page)
    blank_server.start("--port", str(port))
    again = Desk(page=desk.page.context.new_page(), lang=lang)
    again.page.goto(f"{blank_server.url}/{lang}/problems/01")
    again.expect_ready()
    # Nothing was written since, so it is simply what comes next.
    again.expect_text(MINE)
    again.expect_draft("saved")
    assert files_of(blank_server) == {"01_softmax.py": MINE}


def crash_tabs(page: Page) -> None:
    """End the processes that draw the tabs of a browser."""
    browser = page.context.browser
    assert browser is not None
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    with page.expect_event("crash"):
        for process in processes:
            if process["type"] == "renderer":
                os.kill(process["id"], signal.SIGKILL)


def test_unsaved_text_outlives_the_browser_and_does_not_replace_a_later_one(
    blank_server: LiveServer, playwright: Playwright, chromium: str, tmp_path: Path
) -> None:
    port = blank_server.port
    profile = tmp_path / "profile"
    context = start_browser(playwright, chromium, profile)
    page = context.new_page()
    page.goto(blank_server.new_link())
    page.wait_for_url(f"{blank_server.url}/en/")
    desk = Desk(page=page).open()
    blank_server.kill()
    desk.write(MINE)
    desk.expect_draft("offline")
    wait_until_kept(profile, "answer = 42")
    kill_browser(profile)
    with suppress(Exception):
        context.close()

    edit_outside(blank_server, OTHERS)
    blank_server.start("--port", str(port))
    context = start_browser(playwright, chromium, profile)
    page = context.new_page()
    # A browser that was killed may have forgotten that it was let in.
    page.goto(blank_server.new_link())
    page.wait_for_url(f"{blank_server.url}/en/")
    desk = Desk(page=page).open()
    desk.expect_text(OTHERS)
    expect(notice(desk, "offer")).to_be_visible(timeout=PATIENCE_MS)
    choose(desk, "take")
    desk.expect_text(MINE)
    desk.expect_draft("saved")
    context.close()
    assert files_of(blank_server)["01_softmax.py"] == MINE


def start_browser(playwright: Playwright, chromium: str, profile: Path) -> BrowserContext:
    """Start a browser that keeps what it stores."""
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium, args=ARGUMENTS, locale="en-GB"
    )


def wait_until_kept(profile: Path, text: str) -> None:
    """Wait until the browser has put a text on the disk, which it does every few seconds."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    spelt = (text.encode(), text.encode("utf-16-le"))
    while time.monotonic() < deadline:
        for path in profile.glob("Default/Local Storage/leveldb/*"):
            if path.is_file() and any(each in path.read_bytes() for each in spelt):
                return
        time.sleep(0.1)
    raise AssertionError("the browser kept nothing")


def kill_browser(profile: Path) -> None:
    """End the processes of the browser that uses a profile, as a power cut does."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(profile).encode() in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)

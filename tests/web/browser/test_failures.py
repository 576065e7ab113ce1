"""What goes wrong, and what the page says then: programs, the judge, the server, the network."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import NO_SHIFT, PATIENCE_MS, RIGHT, SOFTMAX, Desk
from tests.web.live import LiveServer, no_long_files

pytestmark = [
    pytest.mark.browser,
    pytest.mark.web,
    pytest.mark.sandbox,
    pytest.mark.torch,
    pytest.mark.full,
]

# Chromium logs every request that found nobody.
UNREACHED = "net::ERR_"
HEAD = RIGHT.partition("    result_dtype")[0]
SLOW = RIGHT.replace("import torch\n", "import time\n\nimport torch\n\ntime.sleep(4)\n", 1)
ENDLESS = f"{HEAD}    while True:\n        pass\n"
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"


def program(body: str) -> str:
    """Return a softmax that does something else first."""
    return RIGHT.replace("    result_dtype", f"    {body}\n    result_dtype", 1)


PROGRAMS = {
    "CE": "def softmax(x, dim=-1, dtype=None)\n    return x\n",
    "RTE": program('raise ValueError("no such dimension")'),
    "FORBIDDEN_OP": (SOFTMAX / "cheats/builtin.py").read_text(),
    "INPUT_MUTATED": (SOFTMAX / "wrong/inplace_on_input.py").read_text(),
    "OLE": program('print("x" * 200_000)'),
    "MLE": program("torch.ones(1 << 30)"),
    "TLE": ENDLESS,
    "WA": NO_SHIFT,
    "AC": RIGHT,
}
SAID = {
    "en": {
        "CE": "CE cannot be loaded",
        "RTE": "RTE error while running",
        "FORBIDDEN_OP": "FORBIDDEN_OP banned operation",
        "INPUT_MUTATED": "INPUT_MUTATED input changed",
        "OLE": "OLE too much output",
        "MLE": "MLE too much memory",
        "TLE": "TLE too much time",
        "WA": "WA wrong value",
        "AC": "AC proven",
    },
    "zh": {
        "CE": "CE 无法加载",
        "RTE": "RTE 运行出错",
        "FORBIDDEN_OP": "FORBIDDEN_OP 用了禁用的操作",
        "INPUT_MUTATED": "INPUT_MUTATED 改动了输入",
        "OLE": "OLE 输出超限",
        "MLE": "MLE 内存超限",
        "TLE": "TLE 时间超限",
        "WA": "WA 数值错误",
        "AC": "AC 已证明",
    },
}
# What one shape stands for; each family has one of its own.
FAMILIES = [{"CE", "RTE"}, {"FORBIDDEN_OP", "INPUT_MUTATED"}, {"OLE", "MLE", "TLE"}, {"WA"}, {"AC"}]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server for the tests that do not mind what was submitted before them."""
    live = LiveServer(folder=tmp_path_factory.mktemp("judge")).start()
    yield live
    assert live.stop() == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_verdict_has_its_words_and_its_shape(
    judge: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(judge, lang), lang=lang).open()
    shapes: dict[str, set[str]] = {}
    for code, text in PROGRAMS.items():
        desk.judge(text, SAID[lang][code])
        paths = desk.verdict.locator("svg path").all()
        shapes.setdefault("|".join(str(path.get_attribute("d")) for path in paths), set()).add(code)
        titled = "✓" if code == "AC" else "✗"
        expect(desk.page).to_have_title(re.compile(f"^{titled} 01 "))
    assert sorted(map(sorted, shapes.values())) == sorted(map(sorted, FAMILIES))


@pytest.mark.parametrize("cheat", ["builtin", "builtin_in_backward", "exp_of_logsumexp"])
def test_a_banned_operation_is_named_where_it_stands(
    judge: LiveServer, enter: PageOpener, cheat: str
) -> None:
    desk = Desk(page=enter(judge)).open()
    text = (SOFTMAX / f"cheats/{cheat}.py").read_text()
    desk.judge(text, SAID["en"]["FORBIDDEN_OP"])
    told = re.search(r"line (\d+)", desk.stone.inner_text())
    assert told is not None
    source = text.split("\n")[int(told[1]) - 1].strip()
    assert "softmax" in source or "logsumexp" in source
    expect(desk.stone).to_contain_text(source)


def test_the_line_that_raised_is_marked_until_the_next_verdict(
    judge: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(judge)).open()
    text = PROGRAMS["RTE"]
    number = text[: text.index("raise ValueError")].count("\n") + 1
    desk.judge(text, SAID["en"]["RTE"])
    expect(desk.stone).to_contain_text(f"line {number}")
    note = desk.editor.get_by_text("ValueError: no such dimension", exact=True)
    expect(note).to_be_visible()
    marked = desk.editor.locator(".cm-marked")
    expect(marked).to_have_text('    raise ValueError("no such dimension")')
    # The mark goes with its line.
    desk.page.keyboard.press("Control+Home")
    desk.page.keyboard.press("Enter")
    expect(marked).to_have_text('    raise ValueError("no such dimension")')
    desk.judge(RIGHT, SAID["en"]["AC"])
    expect(note).to_have_count(0)


def test_what_a_program_says_is_text_and_nothing_else(judge: LiveServer, enter: PageOpener) -> None:
    page = enter(judge)
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    def note(request: Request) -> None:
        if request.url.endswith("/x"):
            asked.append(request.url)

    page.on("dialog", refuse)
    page.on("request", note)
    desk = Desk(page=page).open()
    body = (
        f'print("{IMAGE}\\x1b[31mred\\x1b[0m\\x07\\x00\\u202e"); print("y" * 60_000)\n'
        f'    raise type("{SCRIPT}", (Exception,), {{}})("{IMAGE}\\x1b[2J\\x07\\r\\u202eend")'
    )
    desk.judge(program(body), SAID["en"]["RTE"])
    expect(desk.stone).to_contain_text(SCRIPT)
    desk.stone.get_by_text(re.compile("^Beginning of the output$")).click()
    printed = desk.stone.get_by_label(re.compile("^Beginning of the output$"))
    expect(printed).to_contain_text(f"{IMAGE}[31mred[0m")
    expect(desk.editor).to_contain_text(IMAGE)
    expect_nothing_rendered(page)

    page.get_by_role("tab", name="Submissions").click()
    page.get_by_role("tabpanel").get_by_role("row").nth(1).get_by_role("button").click()
    expect(page.get_by_role("region", name=re.compile("Text of submission"))).to_be_visible()
    expect_nothing_rendered(page)
    page.get_by_role("button", name="Own input").click()
    page.get_by_role("textbox", name=re.compile("Statements of Python")).fill(f'"{IMAGE}"')
    page.keyboard.press("Enter")
    expect(page.get_by_label("Own input").last).to_contain_text("img", timeout=PATIENCE_MS)
    expect_nothing_rendered(page)
    assert asked == []


def expect_nothing_rendered(page: Page) -> None:
    """See no element and no control character that a program made."""
    expect(page.locator("main img, main script, main iframe")).to_have_count(0)
    shown = page.locator("main").inner_text()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", shown)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_cancelled_submission_says_that_it_does_not_count(
    judge: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = Desk(page=enter(judge, lang), lang=lang).open()
    desk.write(ENDLESS)
    desk.submit()
    desk.expect_verdict({"en": "Judging", "zh": "评测中"}[lang])
    desk.button("cancel").click()
    desk.expect_verdict({"en": "Cancelled", "zh": "已取消"}[lang])
    note = {
        "en": "It does not count. Your text is unchanged.",
        "zh": "这次不计入记录，代码原样保留。",
    }
    expect(desk.stone).to_contain_text(note[lang])
    desk.expect_text(ENDLESS)
    # The focus is on a button that is still there.
    expect(desk.button("submit")).to_be_focused()
    desk.judge(RIGHT, desk.say("AC"))


def test_a_reload_goes_on_with_what_is_being_judged(judge: LiveServer, enter: PageOpener) -> None:
    desk = Desk(page=enter(judge)).open()
    sent = submissions_of(desk.page)
    desk.write(SLOW)
    desk.submit()
    desk.expect_verdict("Judging")
    # More keys while it is judged hand in nothing more.
    desk.submit()
    desk.button("judging").click(force=True)
    desk.page.reload()
    expect(desk.button("judging")).to_be_visible(timeout=PATIENCE_MS)
    desk.expect_verdict(desk.say("AC"))
    desk.expect_text(SLOW)
    assert len(sent) == 1


def test_two_tabs_are_judged_beside_each_other(judge: LiveServer, enter: PageOpener) -> None:
    first = Desk(page=enter(judge)).open()
    second = Desk(page=first.page.context.new_page())
    second.page.goto(first.page.url)
    second.expect_ready()
    first.write(SLOW)
    first.submit()
    first.expect_verdict("Judging")
    first.expect_draft("saved")
    second.judge(NO_SHIFT, SAID["en"]["WA"])
    first.expect_verdict(first.say("AC"))
    expect(second.verdict).to_have_text(SAID["en"]["WA"])


def submissions_of(page: Page) -> list[str]:
    """Collect what is handed in."""
    sent: list[str] = []
    page.on(
        "request",
        lambda request: sent.append(request.url) if request.url.endswith("/submissions") else None,
    )
    return sent


def test_a_judge_that_is_killed_begins_anew_by_itself(
    own_server: LiveServer, enter: PageOpener
) -> None:
    desk = Desk(page=enter(own_server.start())).open()
    sent = submissions_of(desk.page)
    own_server.wait_warm()
    desk.write(SLOW)
    desk.submit()
    desk.expect_verdict("Judging")
    os.kill(host_of(own_server), signal.SIGKILL)
    expect(desk.stone).to_contain_text("judging starts over", timeout=PATIENCE_MS)
    desk.expect_verdict(desk.say("AC"))
    desk.expect_over()
    desk.expect_text(SLOW)
    assert len(sent) == 1


def host_of(server: LiveServer) -> int:
    """Return the process id of the judge host."""
    command = [sys.executable, "-m", "torchstone", "host", "status", "--json"]
    found = subprocess.run(command, env=server.environment, capture_output=True, check=True)
    return int(json.loads(found.stdout)["pid"])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_server_that_is_killed_loses_neither_text_nor_verdict(
    own_server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append(UNREACHED)
    desk = Desk(page=enter(own_server.start(), lang), lang=lang).open()
    sent = submissions_of(desk.page)
    own_server.wait_warm()
    port = own_server.port
    desk.write(SLOW)
    desk.submit()
    desk.expect_verdict({"en": "Judging", "zh": "评测中"}[lang])
    own_server.kill()
    notice = desk.page.get_by_text(desk.say("gone"), exact=True).and_(desk.page.locator("p"))
    expect(notice).to_be_visible(timeout=PATIENCE_MS)
    desk.editor.click()
    desk.page.keyboard.press("Control+End")
    desk.page.keyboard.type("# while it was away")
    desk.expect_draft("offline")

    own_server.start("--port", str(port))
    desk.expect_verdict(desk.say("AC"))
    expect(notice).to_have_count(0)
    desk.expect_text(f"{SLOW}# while it was away")
    desk.expect_draft("saved")
    assert workspace_file(own_server).read_text() == f"{SLOW}# while it was away"
    assert len(sent) == 1


def workspace_file(server: LiveServer) -> Path:
    """Return the learner's file of the first problem."""
    return server.folder / "workspace/01_softmax.py"


def test_what_is_typed_without_a_network_is_saved_with_one(
    judge: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append(UNREACHED)
    desk = Desk(page=enter(judge)).open()
    desk.write("first = 1\n")
    desk.expect_draft("saved")
    desk.page.context.set_offline(True)
    desk.write("second = 2\n")
    desk.expect_draft("offline")
    expect(desk.page.get_by_text(desk.say("gone"), exact=True).last).to_be_visible()
    assert workspace_file(judge).read_text() == "first = 1\n"
    desk.page.context.set_offline(False)
    desk.expect_draft("saved")
    assert workspace_file(judge).read_text() == "second = 2\n"
    desk.expect_text("second = 2\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_disk_that_takes_nothing_more_is_told_and_the_text_kept(
    judge: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    # Nor can the store take the time of work.
    tolerated.append("status of 400|api/problems/01/work")
    desk = Desk(page=enter(judge, lang), lang=lang).open()
    judge.wait_warm()
    desk.write("first = 1\n")
    desk.expect_draft("saved")
    refusal = desk.page.get_by_role("heading", name=desk.say("refused"))
    with no_long_files(judge):
        desk.write(RIGHT)
        expect(refusal).to_be_visible(timeout=PATIENCE_MS)
        kept = {"en": "It is kept in this browser", "zh": "内容暂存在这个浏览器里"}
        expect(desk.page.get_by_text(kept[lang])).to_be_visible()
        assert workspace_file(judge).read_text() == "first = 1\n"
        # A reload brings the text back, although nobody has it but this browser.
        desk.page.reload()
        desk.expect_ready()
        desk.expect_text(RIGHT)
        expect(refusal).to_be_visible(timeout=PATIENCE_MS)

    desk.editor.click()
    desk.page.keyboard.press("Control+End")
    desk.page.keyboard.type("#")
    desk.expect_draft("saved")
    expect(refusal).to_have_count(0)
    assert workspace_file(judge).read_text() == f"{RIGHT}#"


def test_a_workspace_that_is_no_folder_is_told_and_the_text_kept(
    own_server: LiveServer, enter: PageOpener, tolerated: list[str]
) -> None:
    tolerated.append("status of 400")
    desk = Desk(page=enter(own_server.start())).open()
    own_server.wait_warm()
    folder = own_server.folder / "workspace"
    folder.rename(own_server.folder / "elsewhere")
    folder.write_text("not a folder")
    desk.write(RIGHT)
    refusal = desk.page.get_by_role("heading", name=desk.say("refused"))
    expect(refusal).to_be_visible(timeout=PATIENCE_MS)
    # The text travels with the submission, so judging goes on.
    desk.submit()
    desk.expect_verdict(desk.say("AC"))
    desk.expect_over()
    desk.expect_text(RIGHT)
    folder.unlink()
    (own_server.folder / "elsewhere").rename(folder)
    desk.editor.click()
    desk.page.keyboard.type("#")
    desk.expect_draft("saved")
    assert "#" in workspace_file(own_server).read_text()

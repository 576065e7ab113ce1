"""Login by a link that works once, and attacks from pages of other origins, in a real browser."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Launch, PageOpener
from tests.web.live import LiveServer

pytestmark = [pytest.mark.web, pytest.mark.browser]

LOCKED = {"en": "This browser has no access any more", "zh": "这个浏览器的登录已失效"}
USED = {"en": "This link has been used", "zh": "这个链接已经用过"}
UNAUTHORISED = "status of 401"

# What a page of another origin tries. Each gives what it learnt, or says that it was refused.
ATTACKS = {
    "read with the cookie": """async (target) =>
        (await fetch(`${target}/api/overview`, {credentials: "include"})).text()""",
    "read without CORS": """async (target) => {
        const answer = await fetch(`${target}/api/overview`,
            {credentials: "include", mode: "no-cors"});
        if (answer.type === "opaque") throw new Error("opaque");
        return answer.text();
    }""",
    "write as a simple request": """async (target) => {
        const answer = await fetch(`${target}/api/problems/01/hints`,
            {method: "POST", credentials: "include", mode: "no-cors", body: "{}"});
        if (answer.type === "opaque") throw new Error("opaque");
        return answer.status;
    }""",
    "write as JSON": """async (target) => (await fetch(`${target}/api/problems/01/hints`, {
        method: "POST", credentials: "include", body: "{}",
        headers: {"Content-Type": "application/json"},
    })).status""",
    "save a draft": """async (target) => (await fetch(`${target}/api/problems/01/draft`, {
        method: "PUT", credentials: "include", body: JSON.stringify({text: "", base: ""}),
        headers: {"Content-Type": "application/json"},
    })).status""",
    "open a login link": """async (target) => (await fetch(`${target}/api/login_links`,
        {method: "POST", credentials: "include"})).text()""",
    "stream": """(target) => new Promise((done, fail) => {
        const source = new EventSource(`${target}/api/overview`, {withCredentials: true});
        source.onopen = source.onmessage = () => done("open");
        source.onerror = () => { source.close(); fail(new Error("refused")); };
    })""",
    "load as a script": """(target) => new Promise((done, fail) => {
        const script = document.createElement("script");
        script.src = `${target}/api/overview`;
        script.onload = () => done("loaded");
        script.onerror = () => fail(new Error("refused"));
        document.body.append(script);
    })""",
    "load a picture": """(target) => new Promise((done, fail) => {
        const picture = new Image();
        picture.onload = () => done("loaded");
        picture.onerror = () => fail(new Error("refused"));
        picture.src = `${target}/icon.svg`;
    })""",
}


class _Silent(http.server.BaseHTTPRequestHandler):
    """A site that is not ours."""

    def do_GET(self) -> None:
        body = b'<!doctype html><html lang="en"><title>elsewhere</title><body></body></html>'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Do nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Serve another site from this machine; its pages are of the same site as ours."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Silent) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{site.server_port}"
        site.shutdown()
        thread.join()


def facts(server: LiveServer) -> dict[str, Any]:
    """Read all that a request could change."""
    document: dict[str, Any] = server.ask("GET", "/api/export").json
    del document["exported_at"]
    workspace = server.folder / "workspace"
    files = {str(path): path.read_text("utf-8") for path in workspace.rglob("*") if path.is_file()}
    return document | {"files": files}


@pytest.mark.gate("zh")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_redirect_file_lets_a_browser_in_and_shows_home_in_its_language(
    server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated.append("asked elsewhere: GET file:")
    file = Path(server.ask("POST", "/api/login_links").json["file"])
    page = enter.outside(server, lang)
    page.goto(file.as_uri())
    page.wait_for_url(f"{server.url}/{lang}/")
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    expect(page.get_by_text(LOCKED[lang])).to_have_count(0)


@pytest.mark.gate("en")
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_link_lets_in_once(
    server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str
) -> None:
    tolerated += ["status of 403", UNAUTHORISED]
    link = server.new_link()
    first, second = enter.outside(server, lang), enter.outside(server, lang)
    first.goto(link)
    first.wait_for_url(f"{server.url}/{lang}/")
    answer = second.goto(link)
    assert answer is not None
    assert answer.status == 403
    expect(second.get_by_role("main")).to_contain_text(USED[lang])
    second.goto(f"{server.url}/{lang}/")
    expect(second.get_by_role("status").get_by_text(LOCKED[lang])).to_be_visible()


@pytest.mark.gate("/-zh", "/problems/01-en")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("address", ["/", "/problems", "/problems/01", "/review", "/settings"])
def test_a_browser_without_the_link_is_told_so_on_every_page(
    server: LiveServer, enter: PageOpener, tolerated: list[str], lang: str, address: str
) -> None:
    tolerated.append(UNAUTHORISED)
    page = enter.outside(server, lang)
    page.goto(f"{server.url}/{lang}{address}")
    expect(page.get_by_role("status").get_by_text(LOCKED[lang])).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("Softmax")


@pytest.mark.gate("read without CORS", "write as JSON", "stream")
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_of_another_port_reads_and_changes_nothing(
    practised: LiveServer, enter: PageOpener, tolerated: list[str], elsewhere: str, attack: str
) -> None:
    tolerated += ["asked elsewhere", "error: "]
    before = facts(practised)
    page = enter(practised)
    page.goto(f"{elsewhere}/")
    outcome = page.evaluate(
        """async ([attack, target]) => {
            try { return {learnt: await (0, eval)(attack)(target)}; }
            catch (error) { return {refused: String(error)}; }
        }""",
        [f"({ATTACKS[attack]})", practised.url],
    )
    assert "refused" in outcome, outcome
    assert facts(practised) == before


def test_our_own_page_may_do_what_the_other_port_may_not(
    own_server: LiveServer, enter: PageOpener
) -> None:
    """Without this, an attack that is only misspelt would count as refused."""
    own_server.start()
    page = enter(own_server)
    for attack in ("read with the cookie", "write as JSON", "open a login link"):
        outcome = page.evaluate(f"(target) => ({ATTACKS[attack]})(target)", own_server.url)
        assert outcome in (200, 201) or json.loads(outcome), attack


def test_a_form_of_another_port_changes_nothing(
    practised: LiveServer, enter: PageOpener, tolerated: list[str], elsewhere: str
) -> None:
    tolerated += ["asked elsewhere", "status of 403"]
    before = facts(practised)
    page = enter(practised)
    for encoding in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        page.goto(f"{elsewhere}/")
        with page.expect_navigation() as arrived:
            page.evaluate(
                """([action, encoding]) => {
                    const form = document.createElement("form");
                    Object.assign(form, {action, method: "post", enctype: encoding});
                    form.append(Object.assign(document.createElement("input"),
                        {name: '{"a":"', value: '"}'}));
                    document.body.append(form);
                    form.submit();
                }""",
                [f"{practised.url}/api/problems/01/hints", encoding],
            )
        assert arrived.value.status == 403, encoding
    assert facts(practised) == before


def test_a_frame_of_another_port_stays_empty(
    practised: LiveServer, enter: PageOpener, tolerated: list[str], elsewhere: str
) -> None:
    tolerated += ["asked elsewhere", "frame-ancestors|X-Frame-Options|Framing"]
    page = enter(practised)
    page.goto(f"{elsewhere}/")
    page.evaluate(
        """(target) => new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.onload = done;
            frame.src = target;
            document.body.append(frame);
        })""",
        f"{practised.url}/en/",
    )
    assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]


def test_a_window_that_another_port_opens_is_out_of_its_reach(
    practised: LiveServer, enter: PageOpener, tolerated: list[str], elsewhere: str
) -> None:
    tolerated += ["asked elsewhere"]
    page = enter(practised)
    page.goto(f"{elsewhere}/")
    with page.context.expect_page() as opened:
        page.evaluate("(target) => { window.theirs = open(target); }", f"{practised.url}/en/")
    window = opened.value
    window.wait_for_url(f"{practised.url}/en/")
    expect(window.get_by_role("heading", level=1)).to_be_attached()
    # The opener policy cuts the two apart: to its opener the window looks closed.
    assert page.evaluate("theirs.closed")
    assert window.evaluate("opener") is None


def test_another_name_of_this_machine_gets_nothing(practised: LiveServer, launch: Launch) -> None:
    """DNS rebinding: the browser takes our server for that of another host."""
    browser = launch("--host-resolver-rules=MAP evil.example 127.0.0.1")
    page = browser.new_context().new_page()
    evil = f"http://evil.example:{practised.port}"
    link = practised.new_link()
    for address in ("/", "/en/", "/api/overview", "/assets/nothing.js"):
        _expect_misdirected(page, evil + address)
    # The link is not used up by it.
    _expect_misdirected(page, link.replace(practised.url, evil))
    page.goto(link)
    page.wait_for_url(f"{practised.url}/en/")
    # Nor does the cookie of the true name travel to the other one.
    _expect_misdirected(page, f"{evil}/api/overview")
    page.context.close()


def _expect_misdirected(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer is not None
    assert answer.status == 421, address
    assert "Softmax" not in page.content()

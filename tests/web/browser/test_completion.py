"""The editor completes names; keys of an open list disturb neither typing nor Vim nor Emacs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import Desk
from tests.web.live import LiveServer
from torchstone.web.shell import Bundle

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.full]

LISTS = {"en": "Completions", "zh": "补全"}
COUNTS = {"en": "suggestion", "zh": "条补全"}


def entries(page: Page, lang: str = "en") -> Locator:
    return page.get_by_role("listbox", name=LISTS[lang]).get_by_role("option")


def open_at(
    server: LiveServer, enter: PageOpener, text: str, lang: str = "en", problem: str = "01"
) -> Desk:
    desk = Desk(page=enter(server, lang), lang=lang).open(problem)
    desk.write(text)
    desk.page.keyboard.press("Control+End")
    return desk


@pytest.mark.parametrize(
    ("text", "typed", "wanted"),
    [
        ("", "torch.softm", "softmax(input, dim, *, dtype=None) -> Tensor"),
        ("", "torch.nn.functional.softm", "softmax(input, dim=None, dtype=None)"),
        ("", "F.layer_n", "layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)"),
        (
            "import torch.nn.functional as fun\n",
            "fun.linea",
            "linear(input, weight, bias=None) -> Tensor",
        ),
        (
            "from torch import nn\n",
            "nn.Linea",
            "Linear(in_features, out_features, bias=True, device=None, dtype=None)",
        ),
        ("", "x.masked_f", "masked_fill(mask, value) -> Tensor"),
        ("", "x.sum(-1).unsq", "unsqueeze(dim) -> Tensor"),
        ("numerator = 1\n", "numer", "numerator"),
        ("", "self.register_b", "register_buffer(name, tensor, persistent=True)"),
    ],
)
def test_a_name_is_completed_with_its_signature(
    used_server: LiveServer, enter: PageOpener, text: str, typed: str, wanted: str
) -> None:
    desk = open_at(used_server, enter, text)
    desk.page.keyboard.type(typed)
    found = entries(desk.page).filter(has_text=re.compile(f"^{re.escape(wanted)}$"))
    expect(found).to_have_count(1)
    name = re.split(r"[(:]", wanted)[0]
    for _ in range(9):
        desk.page.keyboard.press("ArrowDown")
        if found.get_attribute("aria-selected") == "true":
            break
    # A screen reader follows the chosen entry.
    assert desk.editor.get_attribute("aria-activedescendant") == found.get_attribute("id")
    desk.page.keyboard.press("Enter")
    head, mark, _ = typed.rpartition(".")
    assert desk.text == f"{text}{head}{mark}{name}"
    desk.page.keyboard.press("Control+z")
    assert desk.text == text + typed


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_of_cuda_are_completed_in_its_files(
    used_server: LiveServer, enter: PageOpener, lang: str
) -> None:
    desk = open_at(used_server, enter, "", lang, "44")
    desk.page.keyboard.type("__syncth")
    found = entries(desk.page, lang).filter(has_text=re.compile(r"^__syncthreads\(\) -> void$"))
    expect(found).to_have_count(1)
    expect(desk.page.locator(".cm-announced")).to_contain_text(COUNTS[lang])
    desk.page.keyboard.press("Tab")
    assert desk.text == "__syncthreads"


def test_a_list_that_is_not_asked_for_changes_no_typing(
    used_server: LiveServer, enter: PageOpener
) -> None:
    desk = open_at(used_server, enter, "")
    page = desk.page
    page.keyboard.type("torch.soft")
    expect(entries(page).first).to_be_visible()
    # Enter is a new line, and Escape and Tab leave.
    page.keyboard.press("Enter")
    assert desk.text == "torch.soft\n"
    page.keyboard.type("torch.soft")
    expect(entries(page).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(entries(page)).to_have_count(0)
    expect(desk.editor).to_be_focused()
    page.keyboard.press("Tab")
    expect(desk.editor).not_to_be_focused()
    assert desk.text == "torch.soft\ntorch.soft"


def test_nothing_is_suggested_in_comments_unless_asked(
    used_server: LiveServer, enter: PageOpener
) -> None:
    desk = open_at(used_server, enter, "softmaxes = 1\n")
    desk.page.keyboard.type("# torch.soft")
    desk.page.wait_for_timeout(500)
    expect(entries(desk.page)).to_have_count(0)
    desk.page.keyboard.press("Control+Space")
    expect(entries(desk.page).first).to_be_visible()
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("Alt+/")
    expect(entries(desk.page).first).to_be_visible()


@pytest.mark.parametrize("keys", ["vim", "emacs"])
def test_vim_and_emacs_keep_their_keys(
    used_server: LiveServer, enter: PageOpener, keys: str
) -> None:
    page = enter(used_server)
    page.goto(f"{used_server.url}/en/settings")
    page.get_by_role("radio", name=re.compile(keys, re.IGNORECASE)).check(force=True)
    desk = Desk(page=page).open()
    desk.editor.click()
    if keys == "vim":
        page.keyboard.type("ggdGi")
    else:
        page.keyboard.press("Control+x")
        page.keyboard.press("h")
        page.keyboard.press("Control+w")
    page.keyboard.type("torch.softm")
    expect(entries(page).first).to_be_visible()
    if keys == "vim":
        # One Escape closes the list and ends the insert mode.
        page.keyboard.press("Escape")
        expect(entries(page)).to_have_count(0)
        page.keyboard.type("x")
        assert desk.text == "torch.soft"
        page.keyboard.type("am")
    else:
        page.keyboard.press("Control+g")
        page.keyboard.press("Alt+/")
    expect(entries(page).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert re.search(r"torch\.soft[a-z]+", desk.text)


def test_the_list_of_names_is_loaded_on_demand(used_server: LiveServer, enter: PageOpener) -> None:
    asked: list[str] = []
    page = enter(used_server)
    page.on("request", lambda request: asked.append(request.url))
    desk = Desk(page=page).open()
    desk.write("import torch\n")
    manifest = Bundle().manifest
    torch, cuda = (
        f"{used_server.url}/{manifest[f'src/lib/editor/names/{name}.ts']['file']}"
        for name in ("torch", "cuda")
    )
    assert not {torch, cuda} & {*asked}
    page.keyboard.type("torch.so")
    expect(entries(page).first).to_be_visible()
    assert torch in asked
    assert cuda not in asked

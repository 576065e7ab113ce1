"""A package is written as files, and what is stored and submitted is the one text."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.web.browser.conftest import PageOpener
from tests.web.browser.desk import CONTENT, PATIENCE_MS, Desk
from tests.web.live import LiveServer
from torchstone.core.bundle import read_bundle

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

PAGE = CONTENT.parent / "web/page"
PACKAGE = CONTENT / "problems/50_pip_package"
STARTER = (PACKAGE / "starter.bundle").read_text()
FILES = read_bundle(STARTER)
SAY = {
    "en": {
        "tabs": "Files of the package",
        "menu": "Files",
        "add": "New file…",
        "rename": "Rename…",
        "remove": "Delete…",
        "yes": "Delete",
        "go add": "Add",
        "go rename": "Rename",
        "undo": "Undo",
        "whole": "Show as one text",
        "apart": "Show as files",
        "download": "Download as zip",
        "new path": "Path of the new file",
        "other path": "New path of notes.txt",
        "outside": "is not inside the package",
        "taken": "is taken",
        "binary": "a.so is not UTF-8 text",
        "safe": "Your text is as it was.",
        "got": "1 file added, 1 replaced. 1 file left out: hidden ones and build products.",
        "head": "begins with “=== ”",
        "split": "Show it as a file",
    },
    "zh": {
        "tabs": "包里的文件",
        "menu": "文件",
        "add": "新建文件…",
        "rename": "重命名…",
        "remove": "删除…",
        "yes": "删除",
        "go add": "添加",
        "go rename": "重命名",
        "undo": "撤销",
        "whole": "显示为一段文本",
        "apart": "显示为多个文件",
        "download": "下载为 zip",
        "new path": "新文件的路径",
        "other path": "notes.txt 的新路径",
        "outside": "不在包里",
        "taken": "已被占用",
        "binary": "a.so 不是 UTF-8 文本",
        "safe": "你的代码没有变动。",
        "got": "新增 1 个文件，替换 1 个。略过 1 个：隐藏文件和构建产物。",
        "head": "以“=== ”开头",
        "split": "显示为文件",
    },
}
# Puts files into a drop as the browser does; there is no other way to a folder from a test.
DROP = """([files]) => {
  const data = new DataTransfer();
  for (const [name, bytes] of files) data.items.add(new File([Uint8Array.from(bytes)], name));
  const target = document.querySelector(".package .cm-content");
  for (const kind of ["dragover", "drop"])
    target.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""


def _is_package_chunk(url: str) -> bool:
    manifest = json.loads((PAGE / "manifest.json").read_text())
    return url.endswith(manifest["src/parts/package/PackageEditor.svelte"]["file"])


PACKAGE_CHUNK = _is_package_chunk


class Pack:
    """The package on the page, and its file in the workspace."""

    def __init__(self, server: LiveServer, page: Page, lang: str) -> None:
        self.page, self.say = page, SAY[lang]
        self.desk = Desk(page=page, lang=lang)
        self.file = server.folder / "workspace/50_pip_package.bundle"

    def open(self) -> Pack:
        self.desk.open("50")
        return self

    @property
    def tabs(self) -> Locator:
        return self.page.get_by_role("tablist", name=self.say["tabs"]).get_by_role("tab")

    @property
    def chosen(self) -> Locator:
        return self.page.get_by_role("tablist", name=self.say["tabs"]).locator(
            "[aria-selected=true]"
        )

    def choose(self, path: str) -> None:
        self.tabs.get_by_text(path, exact=True).click()
        expect(self.desk.editor).to_be_visible()

    def menu(self, key: str) -> None:
        self.page.locator(".package summary").click()
        self.page.get_by_role("button", name=self.say[key], exact=True).click()

    def button(self, key: str) -> Locator:
        inside = self.page.locator(".package, dialog[open]")
        return inside.get_by_role("button", name=self.say[key], exact=True)

    def expect_stored(self, text: str) -> None:
        """Wait until the workspace has this text, byte for byte."""
        expect(self.page.locator(".head .state")).to_contain_text(
            self.desk.say("saved"), timeout=PATIENCE_MS
        )
        for _ in range(100):
            if self.file.exists() and self.file.read_bytes() == text.encode():
                return
            self.page.wait_for_timeout(50)
        assert self.file.read_bytes().decode() == text

    def drop(self, files: dict[str, bytes]) -> None:
        self.page.evaluate(DROP, [[[name, [*data]] for name, data in files.items()]])


@pytest.fixture(params=["en", "zh"])
def pack(own_server: LiveServer, enter: PageOpener, request: pytest.FixtureRequest) -> Pack:
    """Return the package of a new learner in each language."""
    page = enter(own_server.start(), request.param)
    return Pack(own_server, page, request.param).open()


def test_a_file_is_written_and_the_others_stay(pack: Pack) -> None:
    expect(pack.tabs).to_have_text([*FILES])
    expect(pack.chosen).to_have_text("pyproject.toml")
    pack.desk.expect_text(FILES["pyproject.toml"])
    # Each language has its colours.
    expect(pack.desk.editor.locator(".cm-line").first.locator(".fn").last).to_have_text(
        re.compile("build-system|]")
    )
    expect(pack.desk.editor.locator(".s").first).to_have_text('"setuptools>=77"')
    pack.choose("csrc/operators.cpp")
    expect(pack.desk.editor.locator(".k").first).to_have_text("#include")
    pack.choose("setup.py")
    expect(pack.desk.editor.locator(".k").first).to_have_text("from")
    pack.desk.write("x = 1\n")
    pack.expect_stored(STARTER.replace(FILES["setup.py"], "x = 1\n"))
    # The last line of a file in the middle has an end, though none is written.
    pack.desk.write("x = 2")
    pack.expect_stored(STARTER.replace(FILES["setup.py"], "x = 2\n"))
    pack.desk.expect_text("x = 2")
    # Each file has an undo of its own.
    pack.choose("pyproject.toml")
    pack.desk.editor.press("Control+z")
    pack.choose("setup.py")
    pack.desk.editor.press("Control+z")
    pack.expect_stored(STARTER.replace(FILES["setup.py"], "x = 1\n"))
    pack.page.reload()
    pack.desk.expect_ready()
    expect(pack.tabs).to_have_text([*FILES])


def test_the_tabs_are_worked_by_keys(pack: Pack) -> None:
    pack.chosen.focus()
    pack.page.keyboard.press("ArrowRight")
    expect(pack.chosen).to_have_text("setup.py")
    expect(pack.chosen).to_be_focused()
    pack.page.keyboard.press("End")
    expect(pack.chosen).to_have_text("ts_leaky_bias/__init__.py")
    pack.page.keyboard.press("ArrowRight")
    expect(pack.chosen).to_have_text("pyproject.toml")
    panel = pack.page.get_by_role("tabpanel", name="pyproject.toml", exact=True)
    expect(panel.locator(".cm-editor")).to_be_visible()
    assert pack.tabs.evaluate_all("(all) => all.map((each) => each.tabIndex)") == [0, -1, -1, -1]
    pack.page.keyboard.press("End")
    pack.page.keyboard.press("Delete")
    pack.button("yes").click()
    expect(pack.tabs).to_have_count(3)
    expect(pack.chosen).to_be_focused()
    pack.page.keyboard.press("F2")
    expect(pack.page.locator(".package form input")).to_be_focused()
    pack.page.keyboard.press("Escape")
    expect(pack.page.locator(".package form")).to_have_count(0)
    expect(pack.chosen).to_be_focused()


def test_files_are_added_renamed_and_deleted(pack: Pack) -> None:
    page, say = pack.page, pack.say
    pack.menu("add")
    field = page.get_by_role("textbox", name=say["new path"])
    for path, why in (("../a.py", say["outside"]), ("setup.py/b", say["taken"])):
        field.fill(path)
        pack.button("go add").click()
        expect(page.get_by_role("alert").filter(has_text=why)).to_be_visible()
    field.fill("notes.txt")
    field.press("Enter")
    expect(pack.chosen).to_have_text("notes.txt")
    pack.desk.write("one\n")
    pack.expect_stored(f"{STARTER}=== notes.txt\none\n")
    pack.menu("rename")
    page.get_by_role("textbox", name=say["other path"]).fill("csrc/notes.h")
    pack.button("go rename").click()
    pack.expect_stored(f"{STARTER}=== csrc/notes.h\none\n")
    pack.desk.expect_text("one\n")
    pack.menu("remove")
    pack.button("yes").click()
    expect(pack.tabs).to_have_text([*FILES])
    # The starter again, as it was.
    for _ in range(100):
        if pack.file.read_text() == STARTER:
            break
        page.wait_for_timeout(50)
    else:
        raise AssertionError("the file still has the removed one")
    pack.button("undo").click()
    pack.expect_stored(f"{STARTER}=== csrc/notes.h\none\n")


def test_what_was_typed_is_undone_under_another_name(pack: Pack) -> None:
    page, say = pack.page, pack.say
    pack.menu("add")
    page.get_by_role("textbox", name=say["new path"]).fill("notes.txt")
    pack.button("go add").click()
    pack.desk.write("one\n")
    pack.expect_stored(f"{STARTER}=== notes.txt\none\n")
    pack.menu("rename")
    page.get_by_role("textbox", name=say["other path"]).fill("more.txt")
    pack.button("go rename").click()
    pack.expect_stored(f"{STARTER}=== more.txt\none\n")
    expect(pack.desk.editor).to_have_attribute("aria-label", re.compile(r"more\.txt"))
    pack.desk.editor.press("Control+z")
    pack.desk.expect_text("")


def test_a_dropped_file_keeps_its_first_bytes(pack: Pack) -> None:
    pack.drop({"b.py": b"\xef\xbb\xbfx = 1\n"})
    pack.expect_stored(f"{STARTER}=== b.py\n\ufeffx = 1\n")


def test_files_that_are_dropped_are_taken_or_refused(pack: Pack, tmp_path: Path) -> None:
    archive = tmp_path / "it.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for path in ("top/setup.py", "top/new.cu", "top/.hidden"):
            written.writestr(path, path)
    pack.choose("setup.py")
    pack.desk.write("typed = 1\n")
    typed = STARTER.replace(FILES["setup.py"], "typed = 1\n")
    for files in ({"a.so": b"\x7fELF\xff"}, {"b.py": b"1\n", "a.so": b"\0"}):
        pack.drop(files)
        expect(pack.page.locator(".package .said")).to_contain_text(pack.say["binary"])
        expect(pack.page.locator(".package .said")).to_contain_text(pack.say["safe"])
        expect(pack.tabs).to_have_text([*FILES])
    pack.expect_stored(typed)
    pack.drop({"it.zip": archive.read_bytes()})
    expect(pack.page.locator(".package .said")).to_contain_text(pack.say["got"])
    changed = STARTER.replace(FILES["setup.py"], "top/setup.py\n") + "=== new.cu\ntop/new.cu"
    pack.expect_stored(changed)
    expect(pack.chosen).to_have_text("setup.py")
    pack.button("undo").click()
    pack.expect_stored(typed)
    pack.desk.expect_text("typed = 1\n")


def test_a_folder_is_added_and_a_zip_is_taken_home(pack: Pack, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "csrc").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[project]\n")
    (folder / "csrc/a.cpp").write_text("int a;\n")
    pack.page.locator("input[webkitdirectory]").set_input_files(folder)
    expect(pack.tabs).to_have_text([*FILES, "csrc/a.cpp"])
    whole = STARTER.replace(FILES["pyproject.toml"], "[project]\n") + "=== csrc/a.cpp\nint a;\n"
    pack.expect_stored(whole)
    with pack.page.expect_download() as found:
        pack.menu("download")
    assert found.value.suggested_filename == "50_pip_package.zip"
    with zipfile.ZipFile(found.value.path()) as archive:
        home = {name: archive.read(name).decode() for name in archive.namelist()}
    assert home == {f"50_pip_package/{path}": text for path, text in read_bundle(whole).items()}


def test_the_whole_text_is_shown_and_a_header_line_is_said(pack: Pack) -> None:
    pack.choose("setup.py")
    pack.desk.write("x\n=== y.py\nz\n")
    expect(pack.page.locator(".package .said")).to_contain_text(pack.say["head"])
    pack.desk.expect_text("x\n=== y.py\nz\n")
    whole = STARTER.replace(FILES["setup.py"], "x\n=== y.py\nz\n")
    pack.expect_stored(whole)
    pack.button("split").click()
    expect(pack.tabs).to_have_text(["pyproject.toml", "setup.py", "y.py", *[*FILES][2:]])
    pack.menu("whole")
    expect(pack.tabs).to_have_count(0)
    pack.desk.write("import torch\n")
    expect(pack.page.locator(".package .said")).to_be_visible()
    pack.expect_stored("import torch\n")
    pack.desk.write("=== a.py\n1\n")
    pack.menu("apart")
    expect(pack.tabs).to_have_text(["a.py"])


def test_two_tabs_see_one_text(pack: Pack) -> None:
    second = Pack.__new__(Pack)
    second.__dict__ = pack.__dict__ | {"page": pack.page.context.new_page()}
    second.desk = Desk(page=second.page, lang=pack.desk.lang)
    second.page.goto(pack.page.url)
    second.desk.expect_ready()
    second.choose("setup.py")
    pack.choose("setup.py")
    pack.desk.write("first = 1\n")
    pack.expect_stored(STARTER.replace(FILES["setup.py"], "first = 1\n"))
    second.desk.expect_text("first = 1\n")
    expect(second.chosen).to_have_text("setup.py")


def test_a_package_fits_a_narrow_page(own_server: LiveServer, enter: PageOpener) -> None:
    page = enter(own_server.start(), viewport={"width": 320, "height": 640})
    pack = Pack(own_server, page, "en").open()
    pack.page.locator(".package summary").click()
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= 320
    boxes = page.locator(".package li button").evaluate_all(
        "(all) => all.map((it) => it.getBoundingClientRect())"
        ".map((b) => [b.left, b.right, b.height])"
    )
    assert boxes
    assert all(left >= 0 and right <= 320 and height >= 32 for left, right, height in boxes)
    pack.page.keyboard.press("Escape")
    pack.menu("add")
    assert page.evaluate(width) <= 320
    name = page.get_by_role("textbox", name=re.compile("Path of"))
    expect(name).to_be_visible()


# A file over the page outside of the package; whether the page kept the browser from opening it.
DROP_BESIDE = """() => {
  const data = new DataTransfer();
  data.items.add(new File(["x"], "a.zip"));
  const target = document.querySelector("#statement");
  return ["dragover", "drop"].map((kind) => !target.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })));
}"""


def test_the_text_is_seen_at_once_and_one_file_is_marked(
    own_server: LiveServer, enter: PageOpener
) -> None:
    page = enter(own_server.start())
    held: list[Route] = []
    page.route(PACKAGE_CHUNK, lambda route: held.append(route))
    page.goto(f"{own_server.url}/en/problems/50")
    expect(page.locator("pre.waiting")).to_contain_text("=== ")
    for route in held:
        route.continue_()
    pack = Pack(own_server, page, "en")
    expect(pack.tabs.first).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("pre.waiting")).to_have_count(0)
    pack.desk.expect_ready()

    assert page.evaluate(DROP_BESIDE) == [True, True]
    expect(pack.tabs).to_have_count(len(FILES))

    # An error in one file marks this file alone.
    path = next(path for path in FILES if path.endswith(".py"))
    pack.choose(path)
    pack.desk.editor.locator("visible=true").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\ndef broken(:")
    marked = page.get_by_role("tab").filter(has_text="error in line")
    expect(marked).to_have_count(1, timeout=PATIENCE_MS)
    expect(marked).to_contain_text(path)

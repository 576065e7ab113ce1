"""Take screenshots of a wrong answer on the page, in both languages: ``docs/pictures/page.*.png``.

Server, judge and verdict are real: a temporary learner submits a known wrong answer to problem 07.
The program needs Chromium and a judge, so it is run by hand.

Usage: ``python tools/page_pictures.py [--quick]``
"""

from __future__ import annotations

import argparse
import base64
import struct
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright

from torchstone.app.home import find_home
from torchstone.core.i18n import LANGS, Lang

# The tests are not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import need_chromium
from tests.web.chromium import ARGUMENTS, find_chromium
from tests.web.live import LiveServer

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PROBLEM, WRONG = "07", "eps_outside_root"
WIDTH, HEIGHT = 1440, 900
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
# How many of the 256 palette colours are the most frequent ones; the others are for rare hues.
NUM_FREQUENT, HUE_WIDTH = 128, 32
MAX_BYTES = 200_000
MAGIC = b"\x89PNG\r\n\x1a\n"
PATIENCE_MS = 60_000
# The browser decodes its own PNG files, so no library is needed.
DECODE = """
async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}
"""


def source_of_mistake() -> str:
    """Return the program to submit."""
    wrong = find_home().problem(PROBLEM).wrong
    return next(variant.source for variant in wrong if variant.name == WRONG)


def photograph(browser: Browser, server: LiveServer, lang: Lang, path: Path) -> None:
    """Submit on the page of the problem, as a learner does, and save an image of the verdict."""
    page = browser.new_page(
        locale=LOCALES[lang],
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="light",
        reduced_motion="reduce",
    )
    page.set_default_timeout(PATIENCE_MS)
    page.goto(str(server.announced["link"]))
    page.wait_for_url(f"{server.url}/{lang}/")
    page.goto(f"{server.url}/{lang}/problems/{PROBLEM}")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source_of_mistake())
    page.keyboard.press("Control+Enter")
    # The title: the mark of the verdict, then the name of the problem.
    page.wait_for_function("() => document.title.startsWith('✗')")
    page.locator("#tab-submissions .count").wait_for()
    path.write_bytes(with_palette(page.screenshot(), browser))
    page.close()


def with_palette(png: bytes, browser: Browser) -> bytes:
    """Return a picture with 256 colours: a third of the bytes, and no visible difference."""
    page = browser.new_page()
    pixels = base64.b64decode(page.evaluate(DECODE, base64.b64encode(png).decode()))
    page.close()
    packed = np.frombuffer(pixels, ">u4") >> 8
    colours, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    channels = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int64)
    palette = channels[_choose(channels, counts)]
    # The other colours are at the edges of letters; each is replaced by the nearest one.
    distances = ((channels[:, None] - palette[None]) ** 2).sum(axis=2)
    rows = distances.argmin(axis=1)[places].reshape(HEIGHT, WIDTH)
    # Each row begins with the number of its filter: none.
    filtered = np.pad(rows, ((0, 0), (1, 0))).astype(np.uint8)
    return MAGIC + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", palette.astype(np.uint8).tobytes()),
            _chunk(b"IDAT", zlib.compress(filtered.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _choose(channels: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose the palette: the most frequent colours, then the most frequent of each rare hue."""
    by_count = np.argsort(-counts, kind="stable")
    _, first_of_hue = np.unique(channels[by_count] // HUE_WIDTH, axis=0, return_index=True)
    rank = np.arange(len(counts), dtype=float)
    rank[first_of_hue] = np.minimum(rank[first_of_hue], NUM_FREQUENT - 0.5)
    return by_count[np.argsort(rank, kind="stable")[:256]]


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def main() -> int:
    """Take both screenshots; return 1 if a picture is larger than the limit."""
    status = 0
    # The quick form takes one screenshot and keeps no file.
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="take one picture and do not keep it")
    is_quick = parser.parse_args().quick
    need_chromium()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(),
            args=ARGUMENTS,
            # As a reader sees the page: with scrollbars.
            ignore_default_args=["--hide-scrollbars"],
        )
        for lang in LANGS[:1] if is_quick else LANGS:
            home = Path(folder, lang)
            home.mkdir()
            server = LiveServer(folder=home).start()
            path = (Path(folder) if is_quick else PICTURES) / f"page.{lang}.png"
            try:
                photograph(browser, server, lang, path)
            finally:
                server.stop()
            size = path.stat().st_size
            print(f"wrote {path.name}: {size} bytes")
            status |= size > MAX_BYTES
        browser.close()
    return status


if __name__ == "__main__":
    sys.exit(main())

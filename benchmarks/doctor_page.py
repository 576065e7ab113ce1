"""Measure the doctor's page with a large trace in Chromium: when its first picture is there.

    python benchmarks/doctor_page.py --json [--megabytes 224] [--runs 5]

A trace of the simulator is chosen on the page of a new server, again and again. The object has
``trace_mb``, and with median and extremes, in seconds,

- ``picture_s``: from the choice of the file until the timeline is drawn and the accounting stands
  above it;
- ``findings_s``: from the choice until the findings are there;
- ``json_s``: what ``json.loads`` of the file takes in a process of its own, in the same turns;
- ``picture_ratio``: the first over the last, turn by turn.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.doctor import LARGE, READ, run, spread
from benchmarks.machine import describe, need_chromium
from tests.web.chromium import ARGUMENTS, find_chromium
from tests.web.live import LiveServer
from torchstone.doctor.simulate import PATIENTS, write_trace

# The canvas has more than the colours of an empty one. The accounting is part of the same view.
DRAWN = """() => {
    const canvas = document.querySelector(".plot canvas");
    if (!canvas?.width) return false;
    const {width, height} = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
    copy.drawImage(canvas, 0, 0);
    const pixels = copy.getImageData(0, 0, width, height).data;
    const seen = new Set();
    for (let at = 0; at < pixels.length; at += 404) seen.add(pixels.slice(at, at + 3).join());
    return seen.size > 8;
}"""
PATIENCE_MS = 300_000


def open_once(page: Page, url: str, trace: Path) -> tuple[float, float]:
    """Choose the trace on a new page; return the seconds to its picture and to its findings."""
    page.goto(f"{url}/en/doctor", wait_until="networkidle")
    begun = time.perf_counter()
    page.locator("input[type=file]").set_input_files(str(trace))
    page.wait_for_function(DRAWN, timeout=PATIENCE_MS)
    picture = time.perf_counter() - begun
    page.locator(".findings > li").first.wait_for(timeout=PATIENCE_MS)
    return picture, time.perf_counter() - begun


def measure(megabytes: float, runs: int, folder: Path) -> dict[str, Any]:
    """Open the trace and read it as JSON, in turns."""
    patient, path = PATIENTS[LARGE], folder / "large.json"
    (recording, *_) = patient.record()
    write_trace(recording, path, patient.form, num_bytes=int(megabytes * 1e6))
    server = LiveServer(folder=folder / "server")
    server.folder.mkdir()
    server.start()
    server.enter()
    server.wait_warm()
    try:
        measured = measure_turns(server, path, runs)
    finally:
        server.stop()
    return {"trace_mb": path.stat().st_size / 1e6, **measured}


def measure_turns(server: LiveServer, path: Path, runs: int) -> dict[str, Any]:
    """Open a trace in a browser and read it as JSON, in turns."""
    pictures, findings, reading = [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 1800})
        name, _, value = server.cookie.partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": server.url}])
        for _ in range(runs):
            picture, found = open_once(page, server.url, path)
            pictures.append(picture)
            findings.append(found)
            page.goto("about:blank")
            reading.append(run([sys.executable, "-c", READ, str(path)])[0])
        browser.close()
    return {
        "picture_s": spread(pictures),
        "findings_s": spread(findings),
        "json_s": spread(reading),
        "picture_ratio": spread([a / b for a, b in zip(pictures, reading, strict=True)]),
    }


def main() -> None:
    """Measure, and print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object and nothing else")
    parser.add_argument("--megabytes", type=float, default=224.0)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    need_chromium()
    with tempfile.TemporaryDirectory() as name:
        found = measure(given.megabytes, given.runs, Path(name))
    told = {**found, "machine": describe()}
    sys.stdout.write(json.dumps(told, indent=None if given.json else 2) + "\n")


if __name__ == "__main__":
    main()

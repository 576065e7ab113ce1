"""Lighthouse's own measure of the pages, one page at a time.

Where it gives up it is asked again. Its score of performance is that of the machine at hand.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.live import LiveServer
from tests.web.node import WITH_NODE

pytestmark = [pytest.mark.web, pytest.mark.browser, pytest.mark.full]

FOLDER = Path(__file__).parent / "lighthouse"
LOCK = FOLDER / "package-lock.json"
PROGRAM = FOLDER / "node_modules" / "lighthouse" / "cli" / "index.js"
CATEGORIES = ("accessibility", "best-practices", "seo")
WANTED = 0.95
ATTEMPTS = 3
MINUTES = 60


@contextmanager
def alone() -> Iterator[None]:
    """Keep the other processes of a run of tests from installing and measuring meanwhile."""
    with LOCK.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def lighthouse() -> str:
    """Install Lighthouse at its first use; a user's build does without it."""
    node, npm = (shutil.which(each, path=WITH_NODE["PATH"]) for each in ("node", "npm"))
    if node is None or npm is None:
        pytest.skip("no Node here, which Lighthouse runs on")
    with alone():
        lock = LOCK.read_bytes()
        stamp = FOLDER / "node_modules" / "torchstone.stamp"
        if not stamp.is_file() or stamp.read_bytes() != lock:
            # Puppeteer is among what it brings, and would download a browser.
            quiet = WITH_NODE | {"PUPPETEER_SKIP_DOWNLOAD": "1"}
            command = [npm, "ci", "--silent", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=FOLDER, env=quiet, check=True, timeout=5 * MINUTES)
            stamp.write_bytes(lock)
    return node


@pytest.mark.timeout(30 * MINUTES)
@pytest.mark.parametrize("address", ["/en/", "/en/problems", "/en/problems/01", "/zh/problems/01"])
def test_lighthouse_gives_95_or_more(
    practised: LiveServer, lighthouse: str, chromium: str, tmp_path: Path, address: str
) -> None:
    practised.wait_warm()
    complaints = []
    for _ in range(ATTEMPTS):
        try:
            with alone():
                report = _measure(lighthouse, chromium, practised, address, tmp_path)
        except subprocess.CalledProcessError as error:
            complaints.append(error.stderr)
            continue
        scores = {name: report["categories"][name]["score"] for name in CATEGORIES}
        low = {name for name, score in scores.items() if score is None or score < WANTED}
        if not low:
            return
        complaints.append("\n".join([str(scores), *_costs(report, low)]))
        break
    pytest.fail("\n".join(complaints))


def _measure(
    node: str, chromium: str, server: LiveServer, address: str, folder: Path
) -> dict[str, Any]:
    # In a file: a command line can be read by every user of the machine.
    headers, output = folder / "headers.json", folder / "report.json"
    headers.write_text(json.dumps({"Cookie": server.cookie}))
    flags = ["--headless=new", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    command = [
        *(node, str(PROGRAM), f"{server.url}{address}"),
        *("--preset=desktop", "--quiet", "--output=json", f"--output-path={output}"),
        *(f"--only-categories={','.join(CATEGORIES)}", f"--extra-headers={headers}"),
        f"--chrome-flags={' '.join(flags)}",
        "--no-enable-error-reporting",
    ]
    # Chromium listens on a socket in it, whose path a folder of pytest would make too long.
    with tempfile.TemporaryDirectory(prefix="lighthouse-", ignore_cleanup_errors=True) as short:
        subprocess.run(
            command,
            cwd=folder,
            env=WITH_NODE | {"CHROME_PATH": chromium, "TMPDIR": short},
            check=True,
            capture_output=True,
            text=True,
            timeout=5 * MINUTES,
        )
    report: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return report


def _costs(report: dict[str, Any], categories: set[str]) -> Iterator[str]:
    """List what costs points, the most expensive first."""
    for name in sorted(categories):
        refs = report["categories"][name]["auditRefs"]
        for ref in sorted(refs, key=lambda each: -each["weight"]):
            audit = report["audits"][ref["id"]]
            if ref["weight"] and audit["score"] is not None and audit["score"] < 1:
                shown = audit.get("displayValue", "")
                details = json.dumps(audit.get("details", {}).get("items", []))[:500]
                yield f"{name}: {audit['id']} {audit['score']} {shown} {details}"

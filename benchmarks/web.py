"""Measure the page: start, weight, time to a verdict, search, requests a second, a soak.

``python benchmarks/web.py --json`` prints one object; without ``--json`` a table with the goals.
Everything is real: ``torchstone serve`` in a process of its own, its judge host, and Chromium where
a reader waits. ``--soak SECONDS`` besides reads and submits for that long and compares the memory
of server and host at its end with that after a tenth of it.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from torchstone.bank.loader import CONTENT

# The tests are not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe, need_chromium
from tests.web.chromium import ARGUMENTS, find_chromium
from tests.web.live import LiveServer

SOLUTION = (CONTENT / "problems/01_softmax/solution.py").read_text(encoding="utf-8")
WRONG = (CONTENT / "problems/01_softmax/wrong/no_shift.py").read_text(encoding="utf-8")
ROUTES = ("/", "/problems", "/problems/01", "/review", "/settings")
READS = ("/api/overview", "/api/problems", "/api/problems/01?lang=zh", "/api/search?q=softmax")
CLIENTS, WARM_UP = 32, 3
# What --quick takes in their place.
QUICK_CLIENTS, QUICK_WARM_UP = 2, 0
# Key of the result -> its goal, where there is one; all are upper bounds.
GOALS = {
    "start_s": 1.5,
    "first_case_ms": 200,
    "verdict_ms": 300,
    "search_ms_p95": 20,
    "soak_growth": 0.05,
}

# Runs in the page: from the click to the first case that is judged, and to the verdict.
WATCH = """
() => {
  window.seen = {};
  addEventListener("click", (event) => {
    if (!event.target.closest(".btn.main")) return;
    window.seen = { begun: performance.now() };
    new MutationObserver((_, observer) => {
      const { seen } = window, now = performance.now() - seen.begun;
      const verdict = document.querySelector(".verdict .v.big");
      if (!verdict || verdict.classList.contains("todo")) seen.reset = true;
      if (!seen.reset) return;
      if (document.querySelector(".verdict .fig circle")) seen.first ??= now;
      if (verdict?.matches(".ac, .wa")) { seen.verdict = now; observer.disconnect(); }
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
  }, true);
}
"""


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values: list[float]) -> dict[str, float]:
    """Summarise times in milliseconds."""
    return {
        "median": round(statistics.median(values), 1),
        "p95": round(percentile(values, 0.95), 1),
        "min": round(min(values), 1),
        "max": round(max(values), 1),
    }


def new_server(folder: Path) -> LiveServer:
    """Make a server with empty folders."""
    folder.mkdir(parents=True, exist_ok=True)
    return LiveServer(folder=folder)


def measure_start(folder: Path, runs: int) -> float:
    """Time from starting the command to the first answer, in seconds; the median."""
    times = []
    for run in range(runs):
        server = new_server(folder / str(run))
        times.append(start(server))
        server.stop()
    return round(statistics.median(times), 2)


def start(server: LiveServer) -> float:
    """Start a server; return the seconds to its first answer."""
    begun = time.perf_counter()
    server.start()
    assert server.ask("GET", "/en/").status == 200
    return time.perf_counter() - begun


def weigh_pages(page: Page, server: LiveServer) -> dict[str, float]:
    """Weigh the script that each route loads by itself, gzipped file by file, in kB."""
    found: dict[str, float] = {}
    for route in ROUTES:
        scripts: dict[str, int] = {}

        def note(response: Any, scripts: dict[str, int] = scripts) -> None:
            if response.request.resource_type == "script":
                scripts[response.url] = len(gzip.compress(response.body(), 9))

        page.context.clear_cookies(name="torchstone_lang")
        page.on("response", note)
        page.goto(f"{server.url}/zh{route}", wait_until="networkidle")
        page.wait_for_timeout(500)
        page.remove_listener("response", note)
        found[route] = round(sum(scripts.values()) / 1000, 1)
    return found


def measure_verdicts(page: Page, server: LiveServer, runs: int, warm_up: int) -> dict[str, Any]:
    """Click Submit on problem 01, warm, and time the first case and the verdict on the screen."""
    page.goto(f"{server.url}/en/problems/01")
    page.wait_for_selector(".cm-content")
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(SOLUTION)
    page.wait_for_timeout(1000)
    page.evaluate(WATCH)
    first, verdict = [], []
    for run in range(runs + warm_up):
        page.click(".btn.main")
        # Asked again and again: to wait inside the page its policy would have to allow eval.
        while "verdict" not in (seen := page.evaluate("window.seen")):
            page.wait_for_timeout(20)
        page.wait_for_timeout(150)
        # The first ones start the zygote of the problem.
        if run >= warm_up:
            first.append(seen["first"])
            verdict.append(seen["verdict"])
    return {"first_case_ms": spread(first), "verdict_ms": spread(verdict)}


class Reader:
    """A client that keeps its connection, as a browser does."""

    def __init__(self, server: LiveServer) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def read(self, path: str) -> None:
        """Ask for one thing and read the whole answer."""
        headers = {
            name: value
            for name, value in self._server.page_headers().items()
            if value is not None and name != "Host"
        }
        self._connection.request("GET", path, headers=headers)
        response = self._connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:200])


def per_second(clients: int, seconds: float, make: Callable[[], Callable[[], None]]) -> float:
    """Let clients work at once and count what they finish in a second."""
    counts = [0] * clients
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        act = make()
        while time.monotonic() < end:
            act()
            counts[number] += 1

    begun = time.monotonic()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(work, range(clients)))
    return round(sum(counts) / (time.monotonic() - begun), 1)


def measure_load(server: LiveServer, clients: int, seconds: float) -> dict[str, float]:
    """Read and submit with many clients at once; the clients have the same two cores."""

    def reading() -> Callable[[], None]:
        reader, drawn = Reader(server), random.Random(0)
        return lambda: reader.read(drawn.choice(READS))

    def submitting() -> Callable[[], None]:
        return lambda: judge(server, SOLUTION)

    return {
        "read_rps": per_second(clients, seconds, reading),
        "submit_rps": per_second(clients, seconds, submitting),
    }


def judge(server: LiveServer, source: str) -> None:
    """Submit and follow to the end."""
    events = server.events(server.submit("01", source))
    assert events[-1]["type"] == "done", events[-1]


def proportional_kib(pid: int, *, with_children: bool) -> int:
    """Read the proportional set size of a process, alone or with all below it."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        if int(folder.name) == pid or (with_children and pid in _ancestors(folder)):
            try:
                rollup = (folder / "smaps_rollup").read_text()
            except OSError:
                continue
            total += int(next(line for line in rollup.splitlines() if "Pss:" in line).split()[1])
    return total


def _ancestors(folder: Path) -> set[int]:
    found: set[int] = set()
    pid = int(folder.name)
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        pid = int(stat.rpartition(")")[2].split()[1])
        found.add(pid)
    return found


def soak(server: LiveServer, seconds: float) -> dict[str, Any]:
    """Read and submit for a long time, at a pace that leaves room, and watch the memory."""
    status = server.ask("GET", "/api/status").json
    assert status["host"]["ready"]
    pids = {"server": server.process.pid if server.process else 0, "host": host_pid(server)}
    begun, samples, num_done = time.monotonic(), [], 0
    stop = threading.Event()

    def read() -> None:
        reader, drawn = Reader(server), random.Random(1)
        while not stop.wait(0.1):
            reader.read(drawn.choice(READS))

    reading = threading.Thread(target=read)
    reading.start()
    while (elapsed := time.monotonic() - begun) < seconds:
        judge(server, (SOLUTION if num_done % 3 else WRONG) + f"# {num_done}\n")
        num_done += 1
        if len(samples) <= elapsed / seconds * 60:
            # The host is a child of the server that started it.
            samples.append(
                {
                    name: proportional_kib(pid, with_children=name == "host")
                    for name, pid in pids.items()
                }
            )
        stop.wait(0.25)
    stop.set()
    reading.join()
    early, late = samples[6:12], samples[-6:]
    growth = {
        name: statistics.median(each[name] for each in late)
        / statistics.median(each[name] for each in early)
        - 1
        for name in pids
    }
    sums = [sum(each.values()) for each in samples]
    return {
        "soak_growth": round(statistics.median(sums[-6:]) / statistics.median(sums[6:12]) - 1, 4),
        "soak": {
            "seconds": round(seconds),
            "verdicts": num_done,
            "growth": {name: round(value, 4) for name, value in growth.items()},
            "kib": samples,
        },
    }


def measure_search() -> float:
    """Take the time of a search over 10,000 documents from the script that measures it."""
    script = Path(__file__).with_name("search_corpus.py")
    done = subprocess.run(
        [sys.executable, str(script), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        # It is 1 where the search misses its goal.
        check=False,
    )
    return round(json.loads(done.stdout)["search"]["wall"]["p95_us"] / 1000, 1)


def host_pid(server: LiveServer) -> int:
    """Ask the judge host for its number."""
    done = subprocess.run(
        [server.python, "-m", "torchstone", "host", "status", "--json"],
        env=server.environment,
        cwd=server.folder,
        capture_output=True,
        check=True,
    )
    return int(json.loads(done.stdout)["pid"])


def measure_screen(server: LiveServer, runs: int, warm_up: int) -> dict[str, Any]:
    """Measure what needs a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page()
        name, _, value = server.cookie.partition("=")
        page.context.add_cookies([{"name": name, "value": value, "url": server.url}])
        found = {"page_kb": weigh_pages(page, server)}
        found |= measure_verdicts(page, server, runs, warm_up)
        browser.close()
    return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure what is asked for, one after the other."""
    result: dict[str, Any] = {
        "machine": describe(threads=1),
        "load_before": round(os.getloadavg()[0], 1),
    }
    clients, warm_up = (QUICK_CLIENTS, QUICK_WARM_UP) if options.quick else (CLIENTS, WARM_UP)
    with tempfile.TemporaryDirectory(prefix="torchstone-web-") as name:
        folder = Path(name)
        if not (options.only_soak or options.quick):
            result["start_s"] = measure_start(folder / "start", 5)
        server = new_server(folder / "main")
        try:
            seconds = start(server)
            if options.quick:
                result["start_s"] = round(seconds, 2)
            server.enter()
            server.wait_warm()
            if not options.only_soak:
                result |= measure_screen(server, options.runs, warm_up)
                # The quick form leaves the search to the quick form of its own script.
                result["search_ms_p95"] = None if options.quick else measure_search()
                result |= measure_load(server, clients, options.seconds)
            result["soak_growth"] = None
            if options.soak:
                result |= soak(server, options.soak)
        finally:
            server.stop()
    return result | {"load_after": round(os.getloadavg()[0], 1)}


def print_table(result: dict[str, Any]) -> None:
    """Print every number, with its goal where it has one."""
    for key, value in result.items():
        if key == "soak":
            continue
        goal = f"  [{GOALS[key]}]" if key in GOALS else ""
        sys.stdout.write(f"{key:16} {value}{goal}\n")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--runs", type=int, default=50, help="verdicts that are timed")
    parser.add_argument("--seconds", type=float, default=10, help="length of each load")
    parser.add_argument("--soak", type=float, default=0, metavar="SECONDS", help="soak this long")
    parser.add_argument("--only-soak", action="store_true", help="measure nothing else")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    need_chromium()
    if options.quick:
        options.runs, options.seconds = 1, 0.2
    result = measure(options)
    if options.json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        print_table(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())

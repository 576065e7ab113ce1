"""Calibration: measure the peak performance of this machine, and store it for its traces."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from torchstone.doctor.capture.counting import num_cores
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.calibrate import calibrate
from torchstone.doctor.roofline.kept_peaks import KeptPeaks, write_peaks

PRODUCTS = "torchstone.doctor.capture.products"
_LIMIT_SECONDS = 300


def calibrate_machine(out: Path | None) -> dict[str, Any]:
    """Measure the peak performance of this processor and store it.

    Args:
        out: Output file; by default the peaks are only returned.

    Raises:
        Refusal: The file cannot be written, or the measurement ends without a result.
    """
    name = _processor()
    peaks = calibrate(name=name)
    more = _products()
    flops = {**peaks.flops, **more.get("flops", {})}
    kept = KeptPeaks(
        name=name,
        host=platform.node(),
        threads=int(more.get("threads", num_cores())),
        flops=flops,
        bandwidth=peaks.bandwidth,
    )
    if out is not None:
        write_peaks(kept, out)
    return {
        "ok": True,
        "name": name,
        "threads": kept.threads,
        "flops": flops,
        "bandwidth": kept.bandwidth,
        "ridge": flops["float32"] / kept.bandwidth,
        "file": None if out is None else str(out),
    }


def _products() -> dict[str, Any]:
    """Return the throughput of products in torch; empty if torch is not installed."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", PRODUCTS],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Refusal("calibration_slow", limit=_LIMIT_SECONDS) from error
    if done.returncode == 0:
        found: dict[str, Any] = json.loads(done.stdout)
        return found
    words = done.stderr.decode(errors="replace").strip().splitlines()
    if words and words[-1].startswith("ModuleNotFoundError: No module named 'torch'"):
        return {}
    raise Refusal("calibration_failed", status=done.returncode, words=words[-1] if words else "-")


def _processor() -> str:
    """Return the name of the processor, as far as the system provides it."""
    path = Path("/proc/cpuinfo")
    words = path.read_text(errors="replace") if path.is_file() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", words, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine() or "CPU"

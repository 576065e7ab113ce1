"""Command line of the studies: arguments, progress and JSON output."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

# Results for JSON, and a text table of them.
Study = tuple[dict[str, Any], str]


def machine() -> dict[str, Any]:
    """Return a description of the machine.

    ``instruction_set`` is that of PyTorch's own loops; ``load`` is the one-minute load average.
    """
    return {
        "processor": platform.machine(),
        "instruction_set": torch.backends.cpu.get_cpu_capability(),
        "num_cpus": os.cpu_count(),
        "num_threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
        "date": time.strftime("%Y-%m-%d"),
    }


def summary(host: dict[str, Any]) -> str:
    """Format the description of the machine as one line."""
    return (
        f"{host['processor']}, instruction set {host['instruction_set']}, "
        f"{host['num_cpus']} cores, {host['num_threads']} threads; "
        f"torch {host['torch']}, Python {host['python']}; load {host['load']}"
    )


def say(line: str) -> None:
    """Write a line of progress to standard error."""
    sys.stderr.write(f"{line}\n")


def run(arguments: Sequence[str] | None, about: str, study: Callable[[bool], Study]) -> int:
    """Parse the arguments of a study, run it with one thread, and write its results.

    Args:
        arguments: The command-line arguments; those of the process by default.
        about: The description of the study.
        study: Runs the study, short or long.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--short", action="store_true", help="seconds in place of minutes")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write all results here")
    options = parser.parse_args(arguments)
    if options.json is not None and (options.json.is_dir() or not options.json.parent.is_dir()):
        parser.error(f"--json: {options.json} is a folder, or is in none")
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        host = machine()
        found, table = study(options.short)
    finally:
        torch.set_num_threads(num_threads)
    sys.stdout.write(f"{summary(host)}\n{table}\n")
    if options.json is not None:
        whole = {"machine": host, **found}
        options.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return 0

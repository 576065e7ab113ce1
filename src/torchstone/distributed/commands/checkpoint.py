"""``checkpoint``: show the contents of a folder of checkpoints, or rewrite one for other ranks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from torchstone.distributed.refusal import Refusal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("verb", choices=("show", "reshard"))
    parser.add_argument("folder", type=Path, metavar="DIR", help="of all steps, or of one of them")
    parser.add_argument("--world", type=int, metavar="N", help="ranks of the new checkpoint")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the new checkpoint")


def events(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the summary of the folder, or of the new checkpoint; nothing is overwritten.

    Raises:
        Refusal: There is no checkpoint, all are damaged, or the new one cannot be written.
    """
    from torchstone.distributed.checkpoint import inspect, reshard

    folder = given.folder
    if given.verb == "reshard":
        for name in ("world", "out"):
            if getattr(given, name) is None:
                raise Refusal("option_missing", name=f"--{name}")
        folder = reshard(folder, given.out, given.world)
    summary = inspect(folder)
    yield {
        "ok": summary.step is not None,
        "step": summary.step,
        "world": summary.world_size,
        "complete": summary.complete,
        "single": summary.is_single,
        "tensors": summary.num_tensors,
        "bytes": summary.num_bytes,
        "damaged": [fault.told(given.lang) for fault in summary.damaged],
    }

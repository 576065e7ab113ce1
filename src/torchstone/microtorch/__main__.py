"""Command line: train an image classifier and print its progress as lines of JSON.

Usage: ``python -m torchstone.microtorch train [mlp|cnn|transformer] [--data DIR]``
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path

from torchstone.core.interruption import interrupt_once
from torchstone.microtorch.training.images import load_digits, load_mnist, synthetic
from torchstone.microtorch.training.models import MODELS
from torchstone.microtorch.training.refusal import Refusal
from torchstone.microtorch.training.train import Event, Plan, train

# As shells have it of a program that Ctrl-C ended.
INTERRUPTED = 128 + signal.SIGINT


def main(arguments: list[str] | None = None) -> int:
    """Train; return 0 on success and 2 for an invalid request."""
    given = _parser().parse_args(arguments)
    try:
        plan = Plan(
            model=given.model,
            epochs=given.epochs,
            batch_size=given.batch_size,
            lr=given.lr,
            seed=given.seed,
            folder=given.out or Path("runs", "microtorch", given.model),
        )
        if given.data is not None:
            images = load_mnist(given.data)
        else:
            images = load_digits() if given.synthetic is None else synthetic(given.synthetic)
        for event in train(plan, images, resume=given.resume):
            _tell(event)
    except Refusal as refusal:
        values = {name: str(value) for name, value in refusal.values.items()}
        _tell({"event": "error", "code": refusal.code, "message": str(refusal), "values": values})
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe. Send what Python flushes at exit to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m torchstone.microtorch", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("train", help="train a network on images")
    command.add_argument("model", nargs="?", default="mlp", help=f"one of {', '.join(MODELS)}")
    data = command.add_mutually_exclusive_group()
    data.add_argument("--data", metavar="DIR", help="a folder with MNIST's four files")
    data.add_argument("--synthetic", type=int, metavar="N", help="N images of noise instead")
    command.add_argument("--epochs", type=int, default=10)
    command.add_argument("--batch-size", type=int, default=64)
    command.add_argument("--lr", type=float, default=1e-3)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="runs/microtorch/MODEL if not given"
    )
    command.add_argument("--resume", action="store_true", help="go on from the checkpoint there")
    return parser


def _tell(event: Event) -> None:
    # In ASCII: a path may hold what no encoding of the terminal can say.
    sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())

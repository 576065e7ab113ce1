"""Command line: train an image classifier and print its progress as lines of JSON.

Usage: ``python -m torchstone.microtorch train [mlp|cnn|transformer] [--data DIR]``
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from torchstone.core.event_program import run_to_end, write_event
from torchstone.core.interruption import interrupt_once
from torchstone.microtorch.training.images import load_digits, load_mnist, synthetic
from torchstone.microtorch.training.models import MODELS
from torchstone.microtorch.training.refusal import Refusal
from torchstone.microtorch.training.train import Plan, train


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 on success and 2 for an invalid request."""
    given = _parser().parse_args(arguments)
    return run_to_end(lambda: _train(given))


def _train(given: argparse.Namespace) -> int:
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
            write_event(event)
    except Refusal as refusal:
        values = {name: str(value) for name, value in refusal.values.items()}
        event = {"code": refusal.code, "message": str(refusal), "values": values}
        write_event({"event": "error", **event})
        return 2
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


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())

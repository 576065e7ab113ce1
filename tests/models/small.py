"""A small training of the language model, and what tests ask of it."""

from itertools import takewhile
from pathlib import Path
from typing import Any

import torch

from torchstone.models.text import Text, read_text
from torchstone.models.training.loop import train
from torchstone.models.training.plan import Plan
from torchstone.models.training.restore import restore

SMALL = Plan(
    steps=6, batch_size=4, context=16, width=16, depth=2, heads=2, key_heads=1, warm_up=2,
    save_every=2, dropout=0.1,
)  # fmt: skip


def make_text(folder: Path) -> Text:
    """Write a text to a folder, and read it."""
    path = folder / "text.txt"
    path.write_text("the cat sat on the mat; the dog sat on the log. " * 60, encoding="utf-8")
    return read_text(path, SMALL.context)


def events(plan: Plan, text: Text, *, resume: bool = False) -> list[dict[str, Any]]:
    """Train, and return all events."""
    return list(train(plan, text, resume=resume))


def weights(plan: Plan) -> dict[str, torch.Tensor]:
    """Return the parameters of the newest checkpoint of a training."""
    return restore(plan.folder)[0].state_dict()


def files(plan: Plan) -> dict[str, bytes]:
    """Return all files of the checkpoints of a training."""
    return {str(each): each.read_bytes() for each in plan.checkpoint.rglob("*") if each.is_file()}


def stop_after(plan: Plan, text: Text, step: int, *, resume: bool = False) -> None:
    """Train, and close the iterator when a step is saved."""
    running = train(plan, text, resume=resume)
    for _ in takewhile(lambda each: each.get("held_loss") is None or each["step"] < step, running):
        pass
    running.close()

"""Train a network with MicroTorch in a child process, and follow its events.

MicroTorch computes with NumPy, which no command should wait for that does not train.
"""

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.programs.program import follow

PROGRAM = "torchstone.microtorch"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What to train, and how; what is not given is as the program has it.

    Args:
        model: The network: mlp, cnn or transformer.
        data: A folder with MNIST's four files; the digits that come along when not given.
        epochs: How often all images are seen.
        batch_size: How many at a time.
        lr: The learning rate.
        seed: Of weights and order.
        out: Where checkpoint and curve are written.
        resume: Go on from the checkpoint that is there.
    """

    model: str | None = None
    data: Path | None = None
    epochs: int | None = None
    batch_size: int | None = None
    lr: float | None = None
    seed: int | None = None
    out: Path | None = None
    resume: bool = False


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="begin"):
    """The program has its images and its network.

    Attributes:
        model: The name of the network.
        data: The name of the images.
        train: How many there are to train with.
        test: How many there are to test with.
        parameters: How many the network has.
        done: How many epochs a checkpoint brought along.
        epochs: How many are wanted.
        checkpoint: The file that each epoch replaces.
        was_there: Whether it existed.
    """

    model: str
    data: str
    train: int
    test: int
    parameters: int
    done: int
    epochs: int
    checkpoint: str
    was_there: bool


class BatchDone(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="batch"):
    """Something of a long epoch, now and then."""

    epoch: int
    epochs: int
    batch: int
    batches: int
    loss: float


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an epoch: the mean loss, the share of test images told right, the time."""

    loss: float
    accuracy: float
    seconds: float


class EpochDone(Measured, frozen=True, kw_only=True, tag_field="event", tag="epoch"):
    """An epoch is over, and the checkpoint holds it."""

    epoch: int
    epochs: int


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """All epochs are done, those before a resumption among them."""

    accuracy: float
    history: list[Measured]
    checkpoint: str
    curve: str


TrainingEvent = Begun | BatchDone | EpochDone | Ended


def train(plan: TrainingPlan) -> Generator[TrainingEvent, None, None]:
    """Train, and yield what happens; closing the iterator ends the training.

    Raises:
        BadInput: The program refused the plan, or gave the training up as hopeless.
        TorchstoneError: It ended without a word, or said what nobody understands.
    """
    words = ["train", *_arguments(plan)]
    return follow(PROGRAM, words, kinds=TrainingEvent, last=Ended, errors="app.training")


def sum_up(begun: Begun, ended: Ended) -> dict[str, Any]:
    """Return what a training came to as one JSON object."""
    what = {name: getattr(begun, name) for name in ("model", "data", "train", "test", "parameters")}
    came = {name: getattr(ended, name) for name in ("accuracy", "checkpoint", "curve")}
    return (
        what | came | {"epochs": len(ended.history), "history": msgspec.to_builtins(ended.history)}
    )


def _arguments(plan: TrainingPlan) -> Iterator[str]:
    """Yield the arguments, each value behind its own ``=``, so that none looks like an option."""
    options = asdict(plan)
    model, resume = options.pop("model"), options.pop("resume")
    for name, value in options.items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={value}"
    if resume:
        yield "--resume"
    if model is not None:
        yield from ("--", model)

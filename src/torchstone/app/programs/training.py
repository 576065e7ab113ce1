"""Train a network with MicroTorch in a child process, and follow its events.

MicroTorch imports NumPy, which takes time; a command that does not train does not need it.
"""

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.programs.child_program import follow

PROGRAM = "torchstone.microtorch"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """The options of a training; the program has a default for each missing option.

    Args:
        model: The network: mlp, cnn or transformer.
        data: A folder with the four files of MNIST; the digits of the package by default.
        epochs: The number of epochs.
        batch_size: The number of images in a batch.
        lr: The learning rate.
        seed: The seed of weights and order.
        out: The folder for checkpoint and curve.
        resume: Continue from the existing checkpoint.
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
    """The start of a training: images and network are loaded.

    Attributes:
        model: The name of the network.
        data: The name of the images.
        train: The number of training images.
        test: The number of test images.
        parameters: The number of parameters.
        done: The number of epochs in the checkpoint.
        epochs: The number of epochs to train.
        checkpoint: The file of the checkpoint, which each epoch replaces.
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
    """The progress within a long epoch, from time to time."""

    epoch: int
    epochs: int
    batch: int
    batches: int
    loss: float


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an epoch: the mean loss, the accuracy on the test images, the time."""

    loss: float
    accuracy: float
    seconds: float


class EpochDone(Measured, frozen=True, kw_only=True, tag_field="event", tag="epoch"):
    """The end of an epoch; the checkpoint contains it."""

    epoch: int
    epochs: int


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The end of a training; the epochs include those before a resumption."""

    accuracy: float
    history: list[Measured]
    checkpoint: str
    curve: str


TrainingEvent = Begun | BatchDone | EpochDone | Ended


def train(plan: TrainingPlan) -> Generator[TrainingEvent, None, None]:
    """Train a network and yield its events; closing the iterator ends the training.

    Raises:
        BadInput: The program rejected the plan, or stopped a diverging training.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    words = ["train", *_arguments(plan)]
    return follow(PROGRAM, words, kinds=TrainingEvent, last=Ended, errors="app.training")


def sum_up(begun: Begun, ended: Ended) -> dict[str, Any]:
    """Return the results of a training as one JSON object."""
    what = {name: getattr(begun, name) for name in ("model", "data", "train", "test", "parameters")}
    came = {name: getattr(ended, name) for name in ("accuracy", "checkpoint", "curve")}
    return (
        what | came | {"epochs": len(ended.history), "history": msgspec.to_builtins(ended.history)}
    )


def _arguments(plan: TrainingPlan) -> Iterator[str]:
    """Yield the options as ``--name=value``, so that no value looks like an option."""
    options = asdict(plan)
    model, resume = options.pop("model"), options.pop("resume")
    for name, value in options.items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={value}"
    if resume:
        yield "--resume"
    if model is not None:
        yield from ("--", model)

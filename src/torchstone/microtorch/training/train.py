"""Training loop: epochs, evaluation, checkpoints and resuming."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torchstone.microtorch import nn, optim
from torchstone.microtorch.generator import default_generator
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.ops.seeds import manual_seed
from torchstone.microtorch.serialization import LoadError, load, save
from torchstone.microtorch.tensor import Tensor
from torchstone.microtorch.training.curve import draw_curve
from torchstone.microtorch.training.images import Images, reason_of
from torchstone.microtorch.training.models import MODELS
from torchstone.microtorch.training.refusal import Refusal
from torchstone.microtorch.utils.data import DataLoader, TensorDataset

Event = dict[str, Any]
EVAL_BATCH = 500
# Interval of progress events within an epoch, in seconds.
PROGRESS_SECONDS = 0.5
MAX_SEED = 2**63 - 1
MEASURES = ("loss", "accuracy", "seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Training configuration of an image classifier.

    Attributes:
        model: One of MODELS.
        epochs: Number of passes over the data.
        batch_size: Number of images per batch.
        lr: The learning rate.
        seed: The seed of weights and shuffling.
        folder: Where checkpoint and curve are written.

    Raises:
        Refusal: The model is unknown, or a number is out of range.
    """

    model: str
    epochs: int
    batch_size: int
    lr: float
    seed: int
    folder: Path

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise Refusal("model_unknown", name=self.model, known=", ".join(MODELS))
        for name, is_right, wanted in (
            ("epochs", self.epochs >= 1, "≥ 1"),
            ("batch_size", self.batch_size >= 1, "≥ 1"),
            # Written so that NaN is rejected as well.
            ("lr", 0 < self.lr < math.inf, "> 0"),
            ("seed", 0 <= self.seed <= MAX_SEED, "0 … 2^63 - 1"),
        ):
            if not is_right:
                raise Refusal("number", name=name, came=getattr(self, name), wanted=wanted)

    @property
    def checkpoint(self) -> Path:
        """Return the path of the checkpoint, written after each completed epoch."""
        return self.folder / "checkpoint.safetensors"

    @property
    def curve(self) -> Path:
        """Return the path of the plot."""
        return self.folder / "loss.svg"


def train(plan: Plan, images: Images, *, resume: bool) -> Iterator[Event]:
    """Train, and yield events.

    Random numbers are drawn as in a plain PyTorch script: one seed, then the weights, then the
    order of each epoch. A checkpoint contains the state of the generator, so a resumed training is
    bit-identical to an uninterrupted one.

    Raises:
        Refusal: The checkpoint to resume from is invalid or of another plan, the folder can't be
            written, or the training diverges.
    """
    training = Training(plan, images)
    try:
        was_there = plan.checkpoint.exists()
        if resume and was_there:
            training.resume()
        plan.folder.mkdir(parents=True, exist_ok=True)
        yield training.begin_event(was_there)
        for epoch in range(len(training.history), plan.epochs):
            yield from training.run_epoch(epoch)
        draw_curve(training.history, plan.curve)
    except OSError as error:
        raise Refusal("unwritable", path=plan.folder, reason=reason_of(error)) from error
    yield {
        "event": "end",
        "accuracy": training.history[-1]["accuracy"],
        "history": training.history,
        "checkpoint": str(plan.checkpoint),
        "curve": str(plan.curve),
    }


class Training:
    """State of a training run.

    Attributes:
        plan: The configuration of the run.
        images: The data set.
        model: The network.
        optimizer: The optimizer of its weights.
        history: The loss, accuracy and seconds of each completed epoch.
    """

    def __init__(self, plan: Plan, images: Images) -> None:
        manual_seed(plan.seed)
        self.plan, self.images = plan, images
        self.model: nn.Module = MODELS[plan.model](images.train_images.shape[-1])
        self.optimizer = optim.Adam(self.model.parameters(), lr=plan.lr)
        self.history: list[dict[str, float]] = []
        # These must match those of the checkpoint; the number of epochs may increase.
        self.terms = {
            "model": plan.model,
            "batch_size": plan.batch_size,
            "lr": plan.lr,
            "seed": plan.seed,
            "data": images.fingerprint(),
        }

    def begin_event(self, was_there: bool) -> Event:
        """Return the event that describes model, data and progress."""
        return {
            "event": "begin",
            "model": self.plan.model,
            "data": self.images.name,
            "train": len(self.images.train_images),
            "test": len(self.images.test_images),
            "parameters": sum(each.numel() for each in self.model.parameters()),
            "done": len(self.history),
            "epochs": self.plan.epochs,
            "checkpoint": str(self.plan.checkpoint),
            "was_there": was_there,
        }

    def run_epoch(self, epoch: int) -> Iterator[Event]:
        """Train for an epoch, evaluate, and write the checkpoint."""
        began = time.perf_counter()
        loss = yield from self._see_all(epoch)
        seconds = time.perf_counter() - began
        weights = (each.detach().array for each in self.model.parameters())
        # The weights are checked as well, because the loss does not show the last update.
        if not (math.isfinite(loss) and all(np.isfinite(each).all() for each in weights)):
            raise Refusal("diverged", epoch=epoch + 1, lr=self.plan.lr)
        accuracy = evaluate(self.model, self.images.test_images, self.images.test_labels)
        self.history.append({"loss": loss, "accuracy": accuracy, "seconds": seconds})
        self._save()
        draw_curve(self.history, self.plan.curve)
        yield {
            "event": "epoch",
            "epoch": epoch + 1,
            "epochs": self.plan.epochs,
            **self.history[-1],
        }

    def _see_all(self, epoch: int) -> Generator[Event, None, float]:
        """Train one epoch; return the mean loss."""
        self.model.train()
        data = TensorDataset(self.images.train_images, self.images.train_labels)
        loader: DataLoader[Any] = DataLoader(data, self.plan.batch_size, shuffle=True)
        total, told = 0.0, time.monotonic()
        for number, (x, y) in enumerate(loader, 1):
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            value = loss.item()
            if not math.isfinite(value):
                raise Refusal("diverged", epoch=epoch + 1, lr=self.plan.lr)
            total += value * len(x)
            if time.monotonic() - told > PROGRESS_SECONDS:
                told = time.monotonic()
                yield {
                    "event": "batch",
                    "epoch": epoch + 1,
                    "epochs": self.plan.epochs,
                    "batch": number,
                    "batches": len(loader),
                    "loss": value,
                }
        return total / len(data)

    def _save(self) -> None:
        save(
            {
                "plan": self.terms,
                "model": dict(self.model.state_dict()),
                "optimizer": self.optimizer.state_dict(),
                "random": default_generator.get_state(),
                "history": self.history,
            },
            self.plan.checkpoint,
        )

    def resume(self) -> None:
        """Restore the state at the end of the last completed epoch.

        Raises:
            Refusal: The checkpoint is invalid, or of another plan.
        """
        path = self.plan.checkpoint
        try:
            state = load(path)
            before = {name: state["plan"][name] for name in self.terms}
        except OSError as error:
            raise Refusal("unreadable", path=path, reason=reason_of(error)) from error
        except _SIGNS_OF_BREAKAGE as error:
            raise Refusal("checkpoint_broken", path=path) from error
        differing = [name for name in self.terms if before[name] != self.terms[name]]
        if differing:
            said = (
                ", ".join(f"{name} {each[name]}" for name in differing)
                for each in (before, self.terms)
            )
            raise Refusal("checkpoint_other", path=path, before=next(said), wanted=next(said))
        try:
            self._restore(state)
        except _SIGNS_OF_BREAKAGE as error:
            raise Refusal("checkpoint_broken", path=path) from error

    def _restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        if state["optimizer"]["param_groups"] != self.optimizer.state_dict()["param_groups"]:
            raise LoadError("the optimiser has other options")
        self.optimizer.load_state_dict(state["optimizer"])
        history = [{name: float(each[name]) for name in MEASURES} for each in state["history"]]
        if not history or not all(math.isfinite(each[name]) for each in history for name in each):
            raise LoadError("the history is none")
        num_steps = len(history) * -(-len(self.images.train_images) // self.plan.batch_size)
        for each in self.model.parameters():
            known = self.optimizer.state[each]
            if not known["exp_avg"].shape == known["exp_avg_sq"].shape == each.shape:
                raise LoadError("the optimiser's state does not fit the weights")
            if float(known["step"]) != num_steps:
                raise LoadError("the optimiser has not made the steps of these epochs")
        default_generator.set_state(state["random"])
        self.history = history


# Errors raised for a file that is not a checkpoint; load_state_dict raises RuntimeError.
_SIGNS_OF_BREAKAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


def evaluate(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Return the accuracy on images."""
    model.eval()
    right = 0
    with no_grad():
        for first in range(0, len(images), EVAL_BATCH):
            found = model(images[first : first + EVAL_BATCH]).argmax(1)
            right += int((found == labels[first : first + EVAL_BATCH]).sum().item())
    return right / len(images)

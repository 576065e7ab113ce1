"""Training loop of the diffusion Transformer: events, checkpoints and resuming."""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from functools import partial
from typing import Any

import torch

from torchstone.microtorch.training.images import NUM_CLASSES
from torchstone.models import training_checkpoint
from torchstone.models.diffusion import digits
from torchstone.models.diffusion.average import Average
from torchstone.models.diffusion.drawing import draw, write_picture
from torchstone.models.diffusion.plan import KIND, Plan
from torchstone.models.diffusion.process import denoising_loss, drop_labels
from torchstone.models.refusal import Refusal
from torchstone.models.training.curve import draw_curve

Event = dict[str, Any]
# Interval of progress events, in seconds.
PROGRESS_SECONDS = 0.5
# Warm-up of the learning rate, while the optimizer's moments are inaccurate.
WARM_UP_STEPS = 100
MAX_GRAD_NORM = 1.0
# Number of final samples per digit; half of them are shown.
DRAWN_OF_EACH = 20


def train(plan: Plan, *, resume: bool = False) -> Generator[Event]:
    """Train, and yield the events ``begin``, ``step``, ``measured`` and ``end``.

    A checkpoint contains all that the next step depends on, including the state of the generator,
    so a resumed training is bit-identical to an uninterrupted one.

    Args:
        plan: The configuration of the run.
        resume: Whether to resume from an existing checkpoint instead of replacing it.

    Raises:
        Refusal: The checkpoint to resume from is invalid or of another plan, a file can't be
            written, or the training diverges. The last checkpoint stays intact.
    """
    training = Training(plan)
    was_there = plan.checkpoint.exists()
    if resume and was_there:
        training.resume()
    yield {
        "event": "begin",
        "parameters": sum(each.numel() for each in training.model.parameters()),
        "step": training.done,
        "steps": plan.steps,
        "checkpoint": str(plan.checkpoint),
        "was_there": was_there,
    }
    yield from training.run()
    labels = torch.arange(NUM_CLASSES).repeat(DRAWN_OF_EACH)
    with training.average.swapped():
        drawn = draw(training.model, plan, labels)
    write_picture(plan.picture, drawn[: len(drawn) // 2])
    judge = digits.train_judge(training.digits)
    yield {
        "event": "end",
        "history": training.history,
        "recognised": digits.recognised_share(judge, drawn, labels),
        "checkpoint": str(plan.checkpoint),
        "curve": str(plan.curve),
        "picture": str(plan.picture),
    }


def plan_to_go_on(given: dict[str, Any]) -> Plan:
    """Complete a plan with the values of the checkpoint in its folder.

    Args:
        given: The requested values, by field name; the start of the training checks that they match
            the checkpoint.

    Raises:
        Refusal: The checkpoint is invalid, or a value is out of range.
    """
    plan = Plan(**given)
    if not plan.checkpoint.exists():
        return plan
    terms, state = training_checkpoint.load(plan.checkpoint, KIND)
    with training_checkpoint.putting_back(plan.checkpoint):
        return Plan(**({"steps": state["steps"]} | terms | given))


class Training:
    """State of a training run.

    Attributes:
        plan: The configuration of the run.
        digits: The data set.
        schedule: The noise schedule.
        model: The Transformer.
        average: The average of its weights.
        optimizer: The optimizer.
        generator: The generator of all random numbers.
        done: The number of completed steps.
        history: For each checkpoint: step, mean loss since the previous one, and seconds.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.digits = plan, digits.load()
        self.schedule, self.model = plan.make_schedule(), plan.make_model()
        self.average = Average(self.model, plan.ema_decay)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=plan.lr, weight_decay=0.0)
        self.generator = torch.Generator().manual_seed(plan.seed)
        self.done = 0
        self.history: list[dict[str, float]] = []

    def run(self) -> Generator[Event]:
        """Make the remaining steps, saving and evaluating at intervals."""
        began = told = time.monotonic()
        losses: list[float] = []
        while self.done < self.plan.steps:
            losses.append(self.step())
            if time.monotonic() - told > PROGRESS_SECONDS:
                told = time.monotonic()
                yield self._event("step", loss=losses[-1])
            if self.done % self.plan.save_every == 0 or self.done == self.plan.steps:
                seconds, began = time.monotonic() - began, time.monotonic()
                mean = sum(losses) / len(losses)
                losses.clear()
                self.history.append({"step": self.done, "loss": mean, "seconds": seconds})
                self._save()
                yield self._event("measured", loss=mean, seconds=seconds)

    def _event(self, event: str, **values: float) -> Event:
        return {"event": event, "step": self.done, "steps": self.plan.steps, **values}

    def step(self) -> float:
        """Train on one batch, and return the loss.

        Raises:
            Refusal: The loss is not finite.
        """
        count, shape = len(self.digits.train_images), (self.plan.batch_size,)
        chosen = torch.randint(count, shape, generator=self.generator)
        labels = drop_labels(
            self.digits.train_labels[chosen],
            self.model.null_label,
            self.plan.label_drop,
            generator=self.generator,
        )
        loss = denoising_loss(
            partial(self.model, labels=labels),
            self.digits.train_images[chosen],
            self.schedule,
            self.plan.prediction,
            generator=self.generator,
        )
        value = loss.item()
        if not math.isfinite(value):
            raise Refusal("diverged", step=self.done + 1, lr=self.plan.lr)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRAD_NORM)
        self.done += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.plan.lr * min(1.0, self.done / WARM_UP_STEPS)
        self.optimizer.step()
        self.average.update()
        return value

    def _save(self) -> None:
        # The weights are checked, because the loss does not show the last update.
        if not all(bool(each.isfinite().all()) for each in self.model.parameters()):
            raise Refusal("diverged", step=self.done, lr=self.plan.lr)
        state = {
            "done": self.done,
            "steps": self.plan.steps,
            "history": self.history,
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": self.generator.get_state(),
        }
        training_checkpoint.save(self.plan.checkpoint, KIND, self.plan.terms, state)
        draw_curve(self.history, self.plan.curve)

    def resume(self) -> None:
        """Restore the state of the checkpoint.

        Raises:
            Refusal: The checkpoint is invalid, of another plan, or beyond the planned steps.
        """
        path = self.plan.checkpoint
        before, state = training_checkpoint.load(path, KIND)
        training_checkpoint.require_same_plan(path, before, self.plan.terms)
        with training_checkpoint.putting_back(path):
            self._restore(state)
        if self.done > self.plan.steps:
            training_checkpoint.require_same_plan(
                path, {"steps": self.done}, {"steps": self.plan.steps}
            )

    def _restore(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["random"])
        self.done, self.history = int(state["done"]), list(state["history"])
        if self.history[-1]["step"] != self.done:
            raise ValueError("what was measured does not end at this step")
        for each in self.model.parameters():
            known = self.optimizer.state[each]
            if not known["exp_avg"].shape == known["exp_avg_sq"].shape == each.shape:
                raise ValueError("the optimizer's state does not fit the weights")
            if int(known["step"]) != self.done:
                raise ValueError("the optimizer has not made these steps")

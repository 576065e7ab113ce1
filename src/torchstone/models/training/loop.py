"""Training loop of the language model: events, checkpoints, resuming and sampling."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_

from torchstone.kernels import AdamW, cross_entropy
from torchstone.models import training_checkpoint
from torchstone.models.language import LanguageModel
from torchstone.models.refusal import Refusal
from torchstone.models.text import NUM_BYTES, Text, decode, encode
from torchstone.models.training.curve import draw_curve
from torchstone.models.training.plan import Plan, build

Event = dict[str, Any]
KIND = "transformer"
# So often, in seconds, something is heard of the steps.
PROGRESS_SECONDS = 0.5
MAX_GRADIENT_NORM = 1.0
SAMPLE_LENGTH = 240


class Objective(nn.Module):
    """The loss of a model, as one module: so it is compiled and spread over processes."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy, in nats for a token."""
        return cross_entropy(self.model(tokens), targets)


class Processes:
    """The processes that train together: those of ``torchrun``, or this one alone.

    Each takes a card; where there are more of them than cards, several share one.
    """

    def __init__(self) -> None:
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.is_first = self.rank == 0
        self.device = torch.device("cpu")
        num_cards = torch.cuda.device_count()
        if num_cards:
            local_rank = int(os.environ.get("LOCAL_RANK", "0"))
            self.device = torch.device("cuda", local_rank % num_cards)
            torch.cuda.set_device(self.device)
        self._is_mine = self.count > 1 and not dist.is_initialized()
        if self._is_mine:
            # NCCL refuses two processes on one card; gloo exchanges through the host.
            has_own_card = int(os.environ.get("LOCAL_WORLD_SIZE", self.count)) <= num_cards
            dist.init_process_group("nccl" if has_own_card else "gloo")

    def mean(self, value: Tensor) -> float:
        """Average a number over all processes."""
        if self.count > 1:
            dist.all_reduce(value)
            value /= self.count
        return value.item()

    def close(self) -> None:
        """Take leave of the others."""
        if self._is_mine:
            dist.destroy_process_group()


def train(plan: Plan, text: Text, *, resume: bool = False) -> Generator[Event, None, None]:
    """Train, and yield events; closing the iterator ends the training.

    What is computed depends on the plan, the text and the number of processes and threads alone: a
    training that goes on where another one stopped gives the same bits as one that never did.

    Args:
        plan: What is trained, and how.
        text: What with, in windows of ``plan.context``.
        resume: Go on from the checkpoint that is there.

    Raises:
        Refusal: The checkpoint is of another plan or broken, a file cannot be written, or the loss
            is no number any more. What was saved before is as it was.
    """
    processes = Processes()
    try:
        yield from _Training(plan, text, processes).events(resume=resume)
    finally:
        processes.close()


class _Training:
    """A training between two of its steps."""

    def __init__(self, plan: Plan, text: Text, processes: Processes) -> None:
        self.plan, self.text, self.processes = plan, text, processes
        parts = plan.accumulate * processes.count
        if plan.batch_size % parts:
            wanted = f"n × {parts} (accumulate × processes)"
            raise Refusal("number", name="batch_size", came=plan.batch_size, wanted=wanted)
        self.model = build(plan).to(processes.device)
        matrices = [each for each in self.model.parameters() if each.dim() > 1]
        vectors = [each for each in self.model.parameters() if each.dim() <= 1]
        groups = [
            {"params": matrices, "weight_decay": plan.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ]
        self.optimizer = AdamW(groups, lr=plan.lr, betas=(0.9, 0.95))
        self.objective: nn.Module = Objective(self.model)
        if plan.is_compiled:
            self.objective.compile()
        if processes.count > 1:
            self.objective = DistributedDataParallel(self.objective)
        self.step = 0
        self.history: list[dict[str, float]] = []

    def events(self, *, resume: bool) -> Iterator[Event]:
        plan = self.plan
        was_there = plan.checkpoint.exists()
        if resume and was_there:
            self._take_over()
        yield from self._tell(
            event="begin",
            text=self.text.name,
            tokens=len(self.text.tokens),
            held_tokens=len(self.text.held),
            parameters=sum(each.numel() for each in self.model.parameters()),
            step=self.step,
            steps=plan.steps,
            processes=self.processes.count,
            checkpoint=str(plan.checkpoint),
            was_there=was_there,
        )
        while self.step < plan.steps:
            yield from self._run_to(min(plan.steps, self.step + plan.save_every))
        sample = self._sample() if self.processes.is_first else ""
        yield from self._tell(
            event="end",
            held_loss=self.history[-1]["held_loss"],
            history=self.history,
            sample=sample,
            checkpoint=str(plan.checkpoint),
            curve=str(plan.curve),
        )

    def _tell(self, **event: object) -> Iterator[Event]:
        if self.processes.is_first:
            yield event

    def _run_to(self, end: int) -> Iterator[Event]:
        """Train to a step, measure, and save."""
        begun = told = time.perf_counter()
        first, total = self.step, 0.0
        while self.step < end:
            loss = self._advance()
            total += loss
            now = time.perf_counter()
            if now - told >= PROGRESS_SECONDS:
                told = now
                yield from self._tell(
                    event="step",
                    step=self.step,
                    steps=self.plan.steps,
                    loss=loss,
                    tokens_per_second=self._num_tokens(self.step - first) / (now - begun),
                )
        seconds = time.perf_counter() - begun
        self.history.append(
            {
                "step": self.step,
                "loss": total / (self.step - first),
                "held_loss": self._measure(),
                "seconds": seconds,
                "tokens_per_second": self._num_tokens(self.step - first) / seconds,
            }
        )
        if self.processes.is_first:
            self._save()
        yield from self._tell(event="measured", steps=self.plan.steps, **self.history[-1])

    def _num_tokens(self, steps: int) -> int:
        return steps * self.plan.batch_size * self.plan.context

    def _advance(self) -> float:
        """Take one step; its loss, on all processes together."""
        plan, processes = self.plan, self.processes
        # All that is left to chance in a step comes of its number.
        seed = plan.seed + self.step * 1_000_003
        torch.manual_seed((seed * processes.count + processes.rank) % 2**63)
        tokens, targets = self.text.batch(plan.batch_size, plan.context, seed % 2**63)
        share = slice(processes.rank, None, processes.count)
        loss = torch.zeros((), device=processes.device)
        parts = [each[share].chunk(plan.accumulate) for each in (tokens, targets)]
        for number, (some, answers) in enumerate(zip(*parts, strict=True)):
            is_last = number == plan.accumulate - 1
            with self._without_exchange(is_last), self._autocast():
                part = self.objective(some.to(loss.device), answers.to(loss.device))
                part = part / plan.accumulate
                part.backward()
            loss += part.detach()
        mean = processes.mean(loss)
        if not math.isfinite(mean):
            raise Refusal("diverged", step=self.step + 1, lr=plan.lr)
        clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM)
        for group in self.optimizer.param_groups:
            group["lr"] = plan.lr_at(self.step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return mean

    def _without_exchange(self, is_last: bool) -> AbstractContextManager[None]:
        # Gradients are exchanged once a step, when the last part of them is there.
        if isinstance(self.objective, DistributedDataParallel) and not is_last:
            return self.objective.no_sync()
        return nullcontext()

    def _autocast(self) -> torch.autocast:
        is_half = self.plan.precision == "bfloat16"
        return torch.autocast(self.processes.device.type, torch.bfloat16, enabled=is_half)

    @torch.no_grad()
    def _measure(self) -> float:
        """Measure the mean loss on all that was held back."""
        plan, device = self.plan, self.processes.device
        total, count = 0.0, 0
        self.model.eval()
        for tokens, targets in self.text.held_batches(plan.batch_size, plan.context):
            with self._autocast():
                scores = self.model(tokens.to(device))
                loss = cross_entropy(scores, targets.to(device), reduction="sum")
            total += loss.item()
            count += targets.numel()
        self.model.train()
        return total / count

    def _sample(self) -> str:
        return sample(self.model, self.plan, "The ", SAMPLE_LENGTH, seed=self.plan.seed)

    def _save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "history": self.history,
            # Where to look for it; what it must be is in the plan.
            "text": None if self.plan.text is None else str(self.plan.text.absolute()),
        }
        training_checkpoint.save(
            self.plan.checkpoint, KIND, self.plan.binding(self.text.digest), state
        )
        draw_curve(self.history, self.plan.curve)

    def _take_over(self) -> None:
        path = self.plan.checkpoint
        before, state = training_checkpoint.load(path, KIND)
        training_checkpoint.require_same_plan(path, before, self.plan.binding(self.text.digest))
        with training_checkpoint.putting_back(path):
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.history = int(state["step"]), list(state["history"])


def sample(
    model: LanguageModel,
    plan: Plan,
    prompt: str,
    count: int,
    *,
    temperature: float = 0.8,
    top_k: int | None = 40,
    seed: int = 0,
) -> str:
    """Continue a text.

    Args:
        model: What was trained.
        plan: How.
        prompt: The text, one byte at least.
        count: How many tokens are drawn.
        temperature: As for ``LanguageModel.generate``.
        top_k: The same.
        seed: Of what is drawn.

    Returns:
        The prompt, and what follows.
    """
    device = next(model.parameters()).device
    chance = torch.Generator(device).manual_seed(seed)
    model.eval()
    tokens = model.generate(
        encode(prompt).to(device),
        count,
        temperature=temperature,
        top_k=None if top_k is None else min(top_k, NUM_BYTES),
        limit=max(2, plan.context),
        generator=chance,
    )
    model.train()
    return decode(tokens[0])

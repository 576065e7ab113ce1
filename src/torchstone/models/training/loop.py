"""Training loop of the language model: events, checkpoints, resuming and sampling."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from torchstone.distributed import MicroBatches, World, Zero, init
from torchstone.distributed.agreement import require_equal_values
from torchstone.distributed.order import advance
from torchstone.kernels import AdamW, cross_entropy
from torchstone.models import training_checkpoint
from torchstone.models.language import LanguageModel
from torchstone.models.refusal import Refusal
from torchstone.models.text import NUM_BYTES, Text, decode, encode
from torchstone.models.training import saved
from torchstone.models.training.curve import draw_curve
from torchstone.models.training.plan import Plan, build

Event = dict[str, Any]
# Interval of progress events, in seconds.
PROGRESS_SECONDS = 0.5
MAX_GRADIENT_NORM = 1.0
SAMPLE_LENGTH = 240


class Objective(nn.Module):
    """Loss of a model as one module, which can be compiled."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Return the mean cross-entropy, in nats per token."""
        return cross_entropy(self.model(tokens), targets)


def train(plan: Plan, text: Text, *, resume: bool = False) -> Generator[Event, None, None]:
    """Train, and yield events; closing the iterator ends the training.

    The result depends only on the plan, the text and the number of threads. A resumed training is
    bit-identical to an uninterrupted one, and any number of ranks gives the bits of one process.

    Args:
        plan: The configuration of the run.
        text: The data, in windows of ``plan.context``.
        resume: Resume from the existing checkpoint. A run restarted by a launcher always resumes.

    Raises:
        Refusal: The checkpoint is of another plan or invalid, a file cannot be written, or the loss
            is not finite. Earlier checkpoints stay intact.
        torchstone.distributed.Refusal: Ranks are missing.
    """
    with init(backend=plan.comm_backend, timeout_s=plan.timeout) as world:
        yield from _Training(plan, text, world).events(resume=resume)


def make_optimizer(plan: Plan, parameters: list[Parameter]) -> AdamW:
    """Create the optimizer of parameters, or of shards of them; only matrices have weight decay."""
    matrices, vectors = list[Parameter](), list[Parameter]()
    for each in parameters:
        shape = getattr(each, "whole_shape", each.shape)
        (matrices if len(shape) > 1 else vectors).append(each)
    groups = [
        {"params": matrices, "weight_decay": plan.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=plan.lr, betas=(0.9, 0.95))


class _Training:
    """State of a training on one rank."""

    def __init__(self, plan: Plan, text: Text, world: World) -> None:
        self.plan, self.text, self.world = plan, text, world
        self.order = MicroBatches(
            num_samples=plan.batch_size,
            batch_size=plan.batch_size,
            micro_batch_size=plan.micro_batch_size,
            seed=plan.seed,
        )
        self.model = build(plan).to(world.device)
        self.num_parameters = sum(each.numel() for each in self.model.parameters())
        self.objective = Objective(self.model)
        if plan.is_compiled:
            self.objective.compile()
        self.zero = Zero(
            self.model,
            partial(make_optimizer, plan),
            stage=plan.stage,
            comm=world.comm(),
            order=plan.order,
            divide_by=self.order.num_micro_batches,
        )
        # A launched run also reports checkpoints, restarts and bytes.
        self.is_launched = plan.parallel is not None or world.world_size > 1
        self.step, self.num_collectives = 0, 0
        self.history: list[dict[str, float]] = []

    def events(self, *, resume: bool) -> Iterator[Event]:
        plan, world = self.plan, self.world
        is_first_start = not resume and not world.restart
        was_there = self._agree(resume=resume)
        if not is_first_start and was_there:
            self._take_over()
        yield from self._tell(
            event="begin",
            text=self.text.name,
            tokens=len(self.text.tokens),
            held_tokens=len(self.text.held),
            parameters=self.num_parameters,
            step=self.step,
            steps=plan.steps,
            processes=world.world_size,
            parallel=plan.parallel,
            order=plan.order,
            micro_batch=plan.micro_batch_size,
            idle_ranks=max(0, world.world_size - self.order.num_micro_batches),
            checkpoint=str(plan.checkpoint),
            was_there=was_there,
        )
        if world.restart:
            yield from self._tell_ranks(event="restart", restart=world.restart, step=self.step)
        with saved.replacing(plan.checkpoint, world, is_new=is_first_start):
            while self.step < plan.steps:
                yield from self._run_to(min(plan.steps, self.step + plan.save_every))
        sample = self._sample()
        yield from self._tell(
            event="end",
            held_loss=self.history[-1]["held_loss"],
            history=self.history,
            sample=sample,
            checkpoint=str(plan.checkpoint),
            curve=str(plan.curve),
        )

    def _tell(self, **event: object) -> Iterator[Event]:
        if self.world.rank == 0:
            yield event

    def _tell_ranks(self, **event: object) -> Iterator[Event]:
        if self.is_launched:
            yield from self._tell(**event)

    def _run_to(self, end: int) -> Iterator[Event]:
        """Train up to a step, evaluate, and save."""
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
        self._save()
        yield from self._tell_ranks(event="saved", step=self.step)
        yield from self._tell_ranks(
            event="collective", step=self.step, bytes_sent=self._bytes_sent()
        )
        yield from self._tell(event="measured", steps=self.plan.steps, **self.history[-1])

    def _num_tokens(self, steps: int) -> int:
        return steps * self.plan.batch_size * self.plan.context

    def _advance(self) -> float:
        """Make one step; return its loss over all ranks."""
        plan, device = self.plan, self.world.device
        # All random numbers of a step are derived from its number.
        seed = (plan.seed + self.step * 1_000_003) % 2**63
        batch = self.text.batch(plan.batch_size, plan.context, seed)
        tokens, targets = (each.to(device) for each in batch)

        def loss_of(samples: list[int]) -> Tensor:
            with self._autocast():
                loss: Tensor = self.objective(tokens[samples], targets[samples])
            return loss

        for group in self.zero.optimizer.param_groups:
            group["lr"] = plan.lr_at(self.step)
        loss = advance(
            self.world, self.zero, self.order, loss_of, self.step, max_norm=MAX_GRADIENT_NORM
        )
        self.step += 1
        if not math.isfinite(loss):
            raise Refusal("diverged", step=self.step, lr=plan.lr)
        return loss

    def _autocast(self) -> torch.autocast:
        is_half = self.plan.precision == "bfloat16"
        return torch.autocast(self.world.device.type, torch.bfloat16, enabled=is_half)

    @torch.no_grad()
    def _measure(self) -> float:
        """Compute the mean held-out loss; each rank evaluates some of the batches."""
        plan, world = self.plan, self.world
        batches = list(self.text.held_batches(plan.batch_size, plan.context))
        losses = torch.zeros(len(batches), dtype=torch.float64)
        self.model.eval()
        with self.zero.full_parameters():
            for number in range(world.rank, len(batches), world.world_size):
                tokens, targets = (each.to(world.device) for each in batches[number])
                with self._autocast():
                    scores = self.model(tokens)
                    losses[number] = cross_entropy(scores, targets, reduction="sum")
        self.model.train()
        # For each batch one rank has the loss, and the others have zero.
        world.comm().all_reduce(losses).wait()
        return math.fsum(losses.tolist()) / sum(targets.numel() for _, targets in batches)

    def _sample(self) -> str:
        with self.zero.full_parameters():
            if self.world.rank:
                return ""
            return sample(self.model, self.plan, "The ", SAMPLE_LENGTH, seed=self.plan.seed)

    def _save(self) -> None:
        plan = self.plan
        values = {
            "plan": plan.binding(self.text.digest),
            "history": self.history,
            # A hint where to find the text; its digest is in the plan.
            "text": None if plan.text is None else str(plan.text.absolute()),
        }
        saved.save(plan.checkpoint, self.zero, self.world, values)
        if self.world.rank == 0:
            draw_curve(self.history, plan.curve)

    def _bytes_sent(self) -> dict[str, int]:
        """Return the bytes that this rank has sent since the last call, by operation."""
        entries = self.world.comm().ledger.entries
        found: dict[str, int] = {}
        for each in entries[self.num_collectives :]:
            found[each.op] = found.get(each.op, 0) + each.bytes_sent
        self.num_collectives = len(entries)
        return found

    def _agree(self, *, resume: bool) -> bool:
        """Check that all ranks train the same; return whether a checkpoint exists."""
        plan, comm = self.plan, self.world.comm()
        shared = plan.binding(self.text.digest)
        shared |= {"save_every": plan.save_every, "parallel": plan.parallel, "resume": resume}
        require_equal_values(comm, **{name: str(value) for name, value in shared.items()})
        is_there = torch.tensor(saved.is_saved(plan.checkpoint))
        comm.all_reduce(is_there, op="max").wait()
        if resume and not is_there and saved.old_of(plan.checkpoint).exists():
            raise Refusal("checkpoint_old", path=saved.old_of(plan.checkpoint))
        return bool(is_there)

    def _take_over(self) -> None:
        path = self.plan.checkpoint
        wanted = self.plan.binding(self.text.digest)
        training_checkpoint.require_same_plan(path, saved.read_values(path)["plan"], wanted)
        self.step, values = saved.load(path, self.zero, self.world)
        training_checkpoint.require_same_plan(path, values["plan"], wanted)
        with training_checkpoint.putting_back(path):
            self.history = [dict(each) for each in values["history"]]


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
        model: The trained model.
        plan: Its configuration.
        prompt: The text, at least one byte.
        count: The number of tokens to generate.
        temperature: As for ``LanguageModel.generate``.
        top_k: As for ``LanguageModel.generate``.
        seed: The seed of the sampling.

    Returns:
        The prompt and its continuation.
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

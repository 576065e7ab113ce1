"""Study of activation checkpointing: saved memory, peak memory, arithmetic and time.

A language model runs a training step, forward and backward, in several variants that differ in what
is saved between the two. The gradients are bit-identical in all of them.

Run it: ``python -m torchstone.models.studies.checkpointing [--short] [--json PATH]``.

Source:
    Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016; Korthikanti et al.,
    "Reducing Activation Recomputation in Large Transformer Models", 2022 (the choice by operator).
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils import checkpoint as theirs

from torchstone.models import LanguageModel, Layer, Mask, Sinusoidal
from torchstone.models.activation_checkpoint import Keep, checkpoint
from torchstone.models.layers import LayerNorm
from torchstone.models.studies.measuring import follow_step, processor_ms, spread_of
from torchstone.models.studies.program import Study, run, say

ATEN, OURS = torch.ops.aten, torch.ops.torchstone
ATTENTION = frozenset({OURS.flash_attention.default})
PRODUCTS = ATTENTION | {ATEN.mm.default, ATEN.addmm.default, ATEN.bmm.default}

Part = Callable[[Tensor], Tensor]
Wrap = Callable[[Part, Tensor], Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Model configuration, and number of timings."""

    num_layers: int
    width: int
    num_heads: int
    batch: int
    seq_len: int
    num_rounds: int
    num_tokens: int = 256
    dropout: float = 0.0


SHORT = Plan(num_layers=4, width=32, num_heads=2, batch=2, seq_len=32, num_rounds=2)
LONG = Plan(num_layers=16, width=256, num_heads=4, batch=1, seq_len=512, num_rounds=9)


@dataclass(frozen=True, slots=True)
class Variant:
    """Checkpointing variant: which layers are checkpointed together, and how.

    Attributes:
        name: The name in the table.
        size: The number of layers wrapped together; 0 for the square root of their number.
        wrap: Calls a part of the model.
        inner: Calls a layer within the part.
    """

    name: str
    size: int
    wrap: Wrap
    inner: Wrap


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Cost of a variant.

    Attributes:
        name: The name of the variant.
        held_bytes: Memory kept alive after forward, including the loss but not parameters and
            gradients.
        peak_bytes: Peak memory, forward and backward, likewise.
        flops: FLOPs of matrix products, forward and backward.
        median_ms: CPU time of forward and backward.
        spread_ms: Interquartile range over the rounds.
        ratio: Median over the rounds of its time divided by that of the first variant.
        has_same_gradients: Whether loss and gradients are bit-identical to the first variant's.
    """

    name: str
    held_bytes: int
    peak_bytes: int
    flops: int
    median_ms: float
    spread_ms: float
    ratio: float
    has_same_gradients: bool


def _call(function: Part, x: Tensor) -> Tensor:
    return function(x)


def _ours(keep: Keep | None = None) -> Wrap:
    def wrap(function: Part, x: Tensor) -> Tensor:
        out: Tensor = checkpoint(function, x, keep=keep)
        return out

    return wrap


def _theirs(kept: frozenset[Any] = frozenset()) -> Wrap:
    def policy(_: object, operator: Any, *args: Any, **kwargs: Any) -> theirs.CheckpointPolicy:
        is_kept = operator in kept
        which = theirs.CheckpointPolicy
        return which.MUST_SAVE if is_kept else which.PREFER_RECOMPUTE

    options: dict[str, Any] = {"use_reentrant": False}
    if kept:
        options["context_fn"] = partial(theirs.create_selective_checkpoint_contexts, policy)

    def wrap(function: Part, x: Tensor) -> Tensor:
        out: Tensor = theirs.checkpoint(function, x, **options)
        return out

    return wrap


VARIANTS = (
    Variant("nothing", 1, _call, _call),
    Variant("products kept", 1, _ours(PRODUCTS.__contains__), _call),
    Variant("attention kept", 1, _ours(ATTENTION.__contains__), _call),
    Variant("each layer", 1, _ours(), _call),
    Variant("two layers", 2, _ours(), _call),
    Variant("root of all", 0, _ours(), _call),
    Variant("root, and each layer", 0, _ours(), _ours()),
    Variant("torch: products kept", 1, _theirs(PRODUCTS), _call),
    Variant("torch: attention kept", 1, _theirs(ATTENTION), _call),
    Variant("torch: each layer", 1, _theirs(), _call),
    Variant("torch: root of all", 0, _theirs(), _call),
)


def build(plan: Plan) -> tuple[LanguageModel, Tensor]:
    """Create the model, with zero gradients, and texts with one token more than its input."""
    torch.manual_seed(0)
    layers = [
        Layer(plan.width, plan.num_heads, dropout=plan.dropout) for _ in range(plan.num_layers)
    ]
    model = LanguageModel(
        plan.num_tokens, layers, norm=LayerNorm(plan.width), position=Sinusoidal(plan.width)
    )
    clear(model)
    return model, torch.randint(plan.num_tokens, (plan.batch, plan.seq_len + 1))


def clear(model: nn.Module) -> None:
    """Set all gradients to zero tensors, so that they occupy memory as in gradient accumulation."""
    for each in model.parameters():
        each.grad = torch.zeros_like(each)


def loss_of(model: LanguageModel, text: Tensor, variant: Variant) -> Tensor:
    """Compute the loss, with the layers wrapped according to the variant."""
    x = model.dropout(model.tokens(text[:, :-1]))
    if model.position is not None:
        x = model.position(x)
    layers = list(model.stack.layers)
    size = variant.size or round(len(layers) ** 0.5)
    for first in range(0, len(layers), size):
        x = variant.wrap(partial(_through, layers[first : first + size], variant.inner), x)
    scores = model.scores(x if model.stack.norm is None else model.stack.norm(x))
    return F.cross_entropy(scores.flatten(0, 1), text[:, 1:].flatten())


def _through(layers: Sequence[nn.Module], wrap: Wrap, x: Tensor) -> Tensor:
    for layer in layers:
        x = wrap(partial(layer, mask=Mask(is_causal=True)), x)
    return x


def measure(plan: Plan, variants: Sequence[Variant] = VARIANTS) -> list[Result]:
    """Measure all variants on one model; the first one is the baseline."""
    model, text = build(plan)

    def forward(variant: Variant) -> Tensor:
        # With dropout, all variants draw the same random numbers.
        torch.manual_seed(1)
        return loss_of(model, text, variant)

    def step(variant: Variant) -> Tensor:
        loss = forward(variant)
        loss.backward()
        return loss.detach()

    def found(variant: Variant) -> list[Tensor]:
        clear(model)
        return [step(variant), *(each.grad for each in model.parameters() if each.grad is not None)]

    want = found(variants[0])
    same, followed = [], []
    for variant in variants:
        say(f"bytes and gradients of {variant.name}")
        same.append(all(map(torch.equal, found(variant), want)))
        followed.append(follow_step(partial(forward, variant), Tensor.backward))
    times = processor_ms([partial(step, variant) for variant in variants], plan.num_rounds)
    return [
        Result(
            name=variant.name,
            held_bytes=alive.held_bytes,
            peak_bytes=alive.peak_bytes,
            flops=alive.flops,
            median_ms=statistics.median(own),
            spread_ms=spread_of(own),
            ratio=statistics.median(a / b for a, b in zip(own, times[0], strict=True)),
            has_same_gradients=is_same,
        )
        for variant, alive, own, is_same in zip(variants, followed, times, same, strict=True)
    ]


def table(results: Sequence[Result]) -> str:
    """Format the results as a text table."""
    lines = [
        f"{'variant':22} {'MiB held':>9} {'MiB peak':>9} {'GFLOP':>8} {'ms':>9} {'spread':>8} "
        f"{'ratio':>6}  gradients"
    ]
    for each in results:
        lines.append(
            f"{each.name:22} {each.held_bytes / 2**20:9.2f} {each.peak_bytes / 2**20:9.2f} "
            f"{each.flops / 1e9:8.3f} {each.median_ms:9.2f} {each.spread_ms:8.2f} "
            f"{each.ratio:6.2f}  {'the same' if each.has_same_gradients else 'OTHERS'}"
        )
    return "\n".join(lines)


def study(is_short: bool) -> Study:
    """Run the measurements, short or long."""
    plan = SHORT if is_short else LONG
    results = measure(plan)
    found = {"plan": asdict(plan), "results": [asdict(each) for each in results]}
    return found, table(results)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study from the command line."""
    return run(arguments, "Measure what checkpointing costs and gives.", study)


if __name__ == "__main__":
    sys.exit(main())

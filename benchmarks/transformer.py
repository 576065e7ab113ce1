"""Measure the Transformer by hand beside the same model from torch's own modules.

    python benchmarks/transformer.py --json

The model is GPT-2's: LayerNorm before each part, GELU by tanh, biases, a tied table of tokens.
Torch has it twice: from ``nn.TransformerEncoderLayer``, and from ``nn.Linear``, ``nn.LayerNorm``
and ``F.scaled_dot_product_attention``; each is measured eager and compiled, with
``torch.optim.AdamW`` fused. All start from the same weights, and after some steps on the same
windows of text their losses are compared before anything is timed. Everything runs in one process,
interleaved, in another order each round; with one thread a time is CPU time of the process, with
several wall time.

Beside training stand the products of its linear layers alone, forward and backward, which nobody
can leave out: ``limit_ratio`` is what the ratio would be if all else took no time.

- ``train_ratio_best_torch``: our tokens a second in training, over those of the fastest of torch's.
- ``inference_ratio``: the same in forward alone, in ``eval``.
- ``cache_ratio``: our tokens a second in generation with a cache, over those without one.
- ``checkpoint_memory_ratio``: the most a step allocates, over that with each layer checkpointed.

The default allocator gives large memory back at once, so that a call pays for new pages; the script
starts itself again with thresholds that keep it, for all alike, as ``benchmarks/kernels.py`` does.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.kernels import TUNABLES, describe_machine
from torchstone.kernels import AdamW, cross_entropy
from torchstone.models import LanguageModel, Layer, Learned
from torchstone.models.activation_checkpoint import checkpoint
from torchstone.models.layers import LayerNorm
from torchstone.models.profile import peak_bytes
from torchstone.models.text import NUM_BYTES, read_text

WIDTH, HEADS, DEPTH, CONTEXT, BATCH = 384, 6, 4, 1024, 2
WAYS = ["eager", "compiled"]
LR, NUM_EQUAL_STEPS = 3e-4, 3
GELU = functools.partial(F.gelu, approximate="tanh")
Step = Callable[[], float]
PRODUCTS = "products alone"


class EncoderLayers(nn.Module):
    """GPT-2 from ``nn.TransformerEncoderLayer``."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(NUM_BYTES, WIDTH)
        self.places = nn.Parameter(torch.zeros(CONTEXT, WIDTH))
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, 0.0, GELU, batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, DEPTH, nn.LayerNorm(WIDTH), False)
        mask = nn.Transformer.generate_square_subsequent_mask(CONTEXT)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the scores of the next token."""
        length = tokens.shape[1]
        x = self.tokens(tokens) + self.places[:length]
        x = self.layers(x, self.mask[:length, :length], is_causal=True)
        return F.linear(x, self.tokens.weight)


class Block(nn.Module):
    """A layer of GPT-2 from torch's smaller modules."""

    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.feed_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inputs, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's result."""
        heads = self.inputs(self.attention_norm(x)).unflatten(-1, (3, HEADS, WIDTH // HEADS))
        query, key, value = heads.transpose(1, 3).unbind(2)
        found = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(found.transpose(1, 2).flatten(2))
        return x + self.down(GELU(self.up(self.feed_norm(x))))


class Blocks(nn.Module):
    """GPT-2 from such layers."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(NUM_BYTES, WIDTH)
        self.places = nn.Parameter(torch.zeros(CONTEXT, WIDTH))
        self.layers = nn.Sequential(*(Block() for _ in range(DEPTH)), nn.LayerNorm(WIDTH))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the scores of the next token."""
        x = self.tokens(tokens) + self.places[: tokens.shape[1]]
        return F.linear(self.layers(x), self.tokens.weight)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _progress(line: str) -> None:
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


def ours() -> LanguageModel:
    """Make the model of the package."""
    layers = [Layer(WIDTH, HEADS, activation="gelu_tanh") for _ in range(DEPTH)]
    return LanguageModel(NUM_BYTES, layers, norm=LayerNorm(WIDTH), position=Learned(WIDTH, CONTEXT))


def share_weights(model: LanguageModel, encoder: EncoderLayers, blocks: Blocks) -> None:
    """Return both of torch's models the weights of ours."""
    for other in (encoder, blocks):
        other.tokens.weight.data.copy_(model.tokens.weight)
        assert isinstance(model.position, Learned)
        other.places.data.copy_(model.position.weight)
    layers = model.stack.layers, encoder.layers.layers, blocks.layers
    for mine, theirs, block in zip(*layers, strict=False):
        attention, feed = mine.attention, mine.feed_forward
        inputs = (attention.query, attention.key, attention.value)
        weight = torch.cat([each.weight for each in inputs])
        bias = torch.cat([each.bias for each in inputs])
        theirs.self_attn.in_proj_weight.data.copy_(weight)
        theirs.self_attn.in_proj_bias.data.copy_(bias)
        block.inputs.weight.data.copy_(weight)
        block.inputs.bias.data.copy_(bias)
        for source, targets in (
            (attention.out, (theirs.self_attn.out_proj, block.out)),
            (feed.up, (theirs.linear1, block.up)),
            (feed.down, (theirs.linear2, block.down)),
        ):
            for target in targets:
                target.load_state_dict(source.state_dict())


def make_step(model: nn.Module, is_ours: bool, dtype: torch.dtype) -> Step:
    """Make a function that takes one step of training, and returns its loss."""
    text = read_text(None, CONTEXT)
    make = AdamW if is_ours else functools.partial(torch.optim.AdamW, fused=True)
    optimizer = make(model.parameters(), LR)
    count = 0

    def step() -> float:
        nonlocal count
        tokens, targets = text.batch(BATCH, CONTEXT, count)
        count += 1
        with torch.autocast("cpu", torch.bfloat16, enabled=dtype == torch.bfloat16):
            scores = model(tokens)
            if is_ours:
                loss = cross_entropy(scores, targets)
            else:
                loss = F.cross_entropy(scores.flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


def make_forward(model: nn.Module, dtype: torch.dtype) -> Step:
    """Make a function that runs the model forward, as for inference."""
    tokens, _ = read_text(None, CONTEXT).batch(BATCH, CONTEXT, 0)

    @torch.no_grad()
    def forward() -> float:
        with torch.autocast("cpu", torch.bfloat16, enabled=dtype == torch.bfloat16):
            return float(model(tokens)[0, 0, 0])

    return forward


def make_products(dtype: torch.dtype) -> Step:
    """Make a function that does the products of the linear layers of a step, and nothing else."""
    rows = BATCH * CONTEXT
    shapes = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    shapes = shapes * DEPTH + [(WIDTH, NUM_BYTES)]
    sizes = {size for shape in shapes for size in shape}
    inputs = {size: torch.randn(rows, size, dtype=dtype) for size in sizes}
    weights = [torch.randn(out, width, dtype=dtype) for width, out in shapes]

    @torch.no_grad()
    def products() -> float:
        for (width, out), weight in zip(shapes, weights, strict=True):
            x, grad = inputs[width], inputs[out]
            _ = x @ weight.T, grad @ weight, grad.T @ x
        return 0.0

    return products


def take_turns(calls: dict[str, Step], rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Time everything in each round, in an order that is drawn: medians and spreads in seconds."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for number in range(rounds):
        for name in random.sample(sorted(calls), len(calls)):
            _progress(f"round {number + 1} of {rounds}: {name}")
            begun = clock()
            calls[name]()
            times[name].append(clock() - begun)
    _progress("")
    found = {}
    for name, each in times.items():
        lower, middle, upper = statistics.quantiles(each, n=4)
        found[name] = {"seconds": middle, "spread": (upper - lower) / middle}
    return found


def models_of(seed: int) -> dict[str, tuple[nn.Module, bool]]:
    """Make all models, eager and compiled, of the same weights."""
    made: dict[str, tuple[nn.Module, bool]] = {}
    for way in WAYS:
        torch.manual_seed(seed)
        mine, encoder, blocks = ours(), EncoderLayers(), Blocks()
        share_weights(mine, encoder, blocks)
        for name, model in (("ours", mine), ("encoder layers", encoder), ("sdpa", blocks)):
            if way == "compiled":
                model.compile()
            made[f"{name}, {way}"] = (model, name == "ours")
    return made


def shortest(found: dict[str, Any], *, is_ours: bool) -> float:
    """Return the shortest time of ours, or of torch's."""
    return min(each["seconds"] for name, each in found.items() if ("ours" in name) == is_ours)


def ratio_to_best(found: dict[str, Any]) -> float:
    """Divide the shortest time of torch's by the shortest of ours."""
    return shortest(found, is_ours=False) / shortest(found, is_ours=True)


def measure_dtype(dtype: torch.dtype, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure training and inference in a dtype."""
    models = models_of(0)
    steps = {name: make_step(model, mine, dtype) for name, (model, mine) in models.items()}
    losses: dict[str, float] = {}
    for name, step in steps.items():
        _progress(f"{dtype}: first steps of {name}")
        for _ in range(NUM_EQUAL_STEPS):
            losses[name] = step()
    spread = max(losses.values()) - min(losses.values())
    if spread > (1e-3 if dtype == torch.float32 else 5e-2):
        raise SystemExit(f"the losses differ, so these are not the same model: {losses}")
    training = take_turns(steps | {PRODUCTS: make_products(dtype)}, rounds, clock)
    products = training.pop(PRODUCTS)
    for model, _ in models.values():
        model.eval()
    forwards = {name: make_forward(model, dtype) for name, (model, _) in models.items()}
    inference = take_turns(forwards, rounds, clock)
    return {
        "losses": losses,
        "training": training,
        "products": products,
        "limit_ratio": shortest(training, is_ours=False) / products["seconds"],
        "inference": inference,
        "train_ratio_best_torch": ratio_to_best(training),
        "inference_ratio": ratio_to_best(inference),
    }


def measure_cache(rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure generation with a cache and without one."""
    torch.manual_seed(0)
    model, start, count = ours().eval(), torch.randint(NUM_BYTES, (1, 16)), min(240, CONTEXT - 16)

    def with_cache() -> float:
        return float(model.generate(start, count, temperature=0)[0, -1])

    @torch.no_grad()
    def without() -> float:
        tokens = start
        for _ in range(count):
            tokens = torch.cat([tokens, model(tokens)[:, -1].argmax(-1, keepdim=True)], 1)
        return float(tokens[0, -1])

    found = take_turns({"cache": with_cache, "without": without}, max(3, rounds // 3), clock)
    slow, fast = (found[name]["seconds"] for name in ("without", "cache"))
    return {"generation": found, "cache_ratio": slow / fast}


def measure_checkpoint(rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure memory and time of a step with and without checkpoints."""
    from torch.utils.checkpoint import checkpoint as torchs

    torch.manual_seed(0)
    tokens, targets = read_text(None, CONTEXT).batch(BATCH, CONTEXT, 0)
    ways: dict[str, Callable[..., Tensor] | None] = {
        "none": None,
        "ours": checkpoint,
        "torch's": functools.partial(torchs, use_reentrant=False),
    }
    calls: dict[str, Step] = {}
    for name, way in ways.items():
        model = ours()
        for layer in model.stack.layers if way else ():
            layer.forward = functools.partial(_checkpointed, way, layer.forward)

        def call(model: LanguageModel = model) -> float:
            loss = cross_entropy(model(tokens), targets)
            loss.backward()
            model.zero_grad()
            return loss.item()

        calls[name] = call
    times = take_turns(calls, rounds, clock)
    peaks = {name: peak_bytes(call) for name, call in calls.items()}
    return {
        "checkpoint": {name: {**times[name], "peak_bytes": peaks[name]} for name in calls},
        "checkpoint_memory_ratio": peaks["none"] / peaks["ours"],
    }


def _checkpointed(
    way: Callable[..., Tensor], forward: Callable[..., Tensor], x: Tensor, *rest: Any, **named: Any
) -> Tensor:
    return way(lambda x: forward(x, *rest, **named), x)


def main() -> None:
    """Measure, and print a table or one JSON object."""
    global WIDTH, HEADS, DEPTH, CONTEXT, WAYS
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="a model too small to say anything")
    parser.add_argument("--default-allocator", action="store_true")
    given = parser.parse_args()
    keeps_memory = not (given.default_allocator or given.quick)
    if keeps_memory and os.environ.get("GLIBC_TUNABLES") != TUNABLES:
        os.environ["GLIBC_TUNABLES"] = TUNABLES
        os.execv(sys.executable, [sys.executable, *sys.argv])
    if given.quick:
        WIDTH, HEADS, DEPTH, CONTEXT, WAYS, given.rounds = 32, 2, 1, 32, ["eager"], 2
    torch.set_num_threads(given.threads)
    clock = time.process_time if given.threads == 1 else time.perf_counter
    random.seed(0)
    by_dtype = {
        str(dtype).removeprefix("torch."): measure_dtype(dtype, given.rounds, clock)
        for dtype in (torch.float32, torch.bfloat16)
    }
    result: dict[str, Any] = {
        "machine": describe_machine(keeps_memory=keeps_memory),
        "threads": given.threads,
        "model": f"width {WIDTH}, heads {HEADS}, depth {DEPTH}, context {CONTEXT}, batch {BATCH}",
        # The top of the object is float32; bfloat16 stands beside it.
        "train_ratio_best_torch": by_dtype["float32"]["train_ratio_best_torch"],
        "inference_ratio": by_dtype["float32"]["inference_ratio"],
        **measure_cache(given.rounds, clock),
        **measure_checkpoint(given.rounds, clock),
        **by_dtype,
    }
    if given.json:
        _say(json.dumps(result))
        return
    _say(" ".join(f"{key}={value}" for key, value in result["machine"].items()))
    _say(f"threads={result['threads']}, {result['model']}")
    for name, found in by_dtype.items():
        for part in ("training", "inference"):
            for way, each in found[part].items():
                speed = BATCH * CONTEXT / each["seconds"]
                _say(f"{name:9} {part:9} {way:24} {speed:8.0f} tokens/s  ±{each['spread']:.1%}")
        _say(
            f"{name:9} train_ratio_best_torch {found['train_ratio_best_torch']:.2f}, "
            f"inference_ratio {found['inference_ratio']:.2f}; products alone "
            f"{found['products']['seconds']:.3f} s, limit_ratio {found['limit_ratio']:.2f}"
        )
    for name, each in result["checkpoint"].items():
        _say(f"checkpoint {name:8} {each['peak_bytes'] / 1e6:7.1f} MB {each['seconds']:.3f} s")
    for name in ("cache_ratio", "checkpoint_memory_ratio"):
        _say(f"{name} {result[name]:.2f}")


if __name__ == "__main__":
    main()

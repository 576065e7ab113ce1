"""Study of pre-norm and post-norm Transformers: gradients and convergence of small models.

Usage: ``python -m torchstone.models.studies.pre_norm [--short] [--json PATH]``. A table goes to
standard output, progress to standard error. The chapter is ``docs/handbook/en/pre-norm.md``.

The choices, in addition to those of ``Plan`` and ``Language``:

- Layers have 32 features per position, two heads, a hidden width of 128 and ReLU. Pre-norm models
  have a norm after the last layer; post-norm models end with one anyway.
- Weights are initialized by Xavier's normal distribution and biases with 0, as in the paper; token
  embeddings have variance 1, and the output projection has a weight of its own.
- Adam with betas of 0.9 and 0.98, as in the paper, and an epsilon of 1e-8. No weight decay, no
  dropout, no clipping, which could hide steps that are too large.
- With warm-up the learning rate rises linearly to its full value; it never falls.
- Both kinds start from the same weights and see the same texts for equal seed and depth.

Source:
    Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.models import LanguageModel, Layer, Mask, Sinusoidal
from torchstone.models.studies import program
from torchstone.models.studies.program import Study, say

WIDTH, NUM_HEADS, NUM_PLACES, NUM_TEXTS = 32, 2, 32, 16
# Numbers of texts and of initializations over which gradients are averaged.
NUM_GRADIENT_TEXTS, NUM_GRADIENT_SEEDS = 32, 10
# The final loss, like every loss in the results, is a mean over this many steps.
WINDOW = 10


@dataclass(frozen=True, kw_only=True)
class Language:
    """Artificial language: each token from the third on depends on the token two positions before.

    A permutation of the tokens determines the next one; sometimes a random token comes instead. A
    model that does not look back can only learn that all tokens are equally frequent.

    Attributes:
        num_tokens: The vocabulary size.
        noise: The probability of a random token, which may be the regular one.
        seed: The seed of the permutation.
    """

    num_tokens: int = 16
    noise: float = 0.1
    seed: int = 0

    @property
    def unigram_loss(self) -> float:
        """Return the minimum mean loss, in nats, of a model that knows only token frequencies."""
        return math.log(self.num_tokens)

    @property
    def least_loss(self) -> float:
        """Return the entropy of the next token, in nats, which is the minimum loss."""
        other = self.noise / self.num_tokens
        shares = [1 - self.noise + other] + [other] * (self.num_tokens - 1)
        return sum(-share * math.log(share) for share in shares if share)

    def draw(self, num_texts: int, num_places: int, generator: torch.Generator) -> Tensor:
        """Sample texts: shape ``(num_texts, num_places)``, int64."""
        own = torch.Generator().manual_seed(self.seed)
        follower = torch.randperm(self.num_tokens, generator=own)
        shape = (num_texts, num_places)
        text = torch.randint(self.num_tokens, shape, generator=generator)
        is_noise = torch.rand(shape, generator=generator) < self.noise
        for place in range(2, num_places):
            drawn, known = text[:, place], follower[text[:, place - 2]]
            text[:, place] = torch.where(is_noise[:, place], drawn, known)
        return text


LANGUAGE = Language()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Grid of trainings: every depth, learning rate, warm-up, seed and kind.

    Attributes:
        depths: Numbers of layers.
        lrs: Learning rates.
        warmups: Numbers of warm-up steps; 0 for none.
        seeds: Seeds of the weights and of the texts.
        num_steps: Number of steps of each training.
        gradient_depths: Numbers of layers of the models whose initial gradients are measured.
    """

    depths: tuple[int, ...] = (2, 6, 12)
    lrs: tuple[float, ...] = (1e-3, 2e-3, 4e-3, 8e-3)
    warmups: tuple[int, ...] = (0, 80)
    seeds: tuple[int, ...] = (0, 1, 2)
    num_steps: int = 160
    gradient_depths: tuple[int, ...] = (2, 6, 12, 24)


LONG = Plan()
SHORT = Plan(
    depths=(6,), lrs=(8e-3,), warmups=(0,), seeds=(0,), num_steps=50, gradient_depths=(2, 6)
)


def build_model(num_layers: int, *, is_pre_norm: bool, seed: int) -> LanguageModel:
    """Create an untrained model, seeding the global generator.

    With the same seed both kinds have the same weights.
    """
    torch.manual_seed(seed)
    layers = [
        Layer(WIDTH, NUM_HEADS, activation="relu", is_pre_norm=is_pre_norm, backend="sdpa")
        for _ in range(num_layers)
    ]
    model = LanguageModel(
        LANGUAGE.num_tokens,
        layers,
        norm=nn.LayerNorm(WIDTH) if is_pre_norm else None,
        position=Sinusoidal(WIDTH, NUM_PLACES),
        is_tied=False,
    )
    nn.init.normal_(model.tokens.weight)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_normal_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    return model


def loss_of(model: nn.Module, text: Tensor) -> Tensor:
    """Return the mean loss, in nats, over the predictable tokens.

    Args:
        model: Returns logits of the next token at each position.
        text: Shape ``(batch, positions)``, int64, with at least three positions.
    """
    scores = model(text[:, :-1])[:, 1:]
    return F.cross_entropy(scores.flatten(0, 1), text[:, 2:].flatten())


@dataclass(frozen=True, kw_only=True)
class Gradients:
    """Gradients and outputs of the layers of an untrained model, each a mean over seeds.

    Attributes:
        num_layers: Number of layers.
        is_pre_norm: Pre-norm or post-norm.
        norms: For each layer, the gradient norm of the second weight of the feed-forward network.
        sizes: For each layer, the root mean square of its output.
    """

    num_layers: int
    is_pre_norm: bool
    norms: list[float]
    sizes: list[float]


def measure_gradients(num_layers: int, *, is_pre_norm: bool, num_seeds: int) -> Gradients:
    """Measure gradients and output sizes by layer, at initialization.

    Source:
        Xiong et al., 2020, theorem 1 (the gradient of the last layer's matrix) and lemma 2 (sizes).
    """
    norms, sizes = torch.zeros(num_layers), torch.zeros(num_layers)
    for seed in range(num_seeds):
        model = build_model(num_layers, is_pre_norm=is_pre_norm, seed=seed)
        generator = torch.Generator().manual_seed(seed)
        text = LANGUAGE.draw(NUM_GRADIENT_TEXTS, NUM_PLACES, generator)
        matrices = [each for name, each in model.named_parameters() if name.endswith("down.weight")]
        grads = torch.autograd.grad(loss_of(model, text), matrices)
        given = stream_of(model, text)[1:]
        norms += torch.stack([grad.norm() for grad in grads]) / num_seeds
        sizes += torch.stack([out.square().mean().sqrt() for out in given]) / num_seeds
    return Gradients(
        num_layers=num_layers,
        is_pre_norm=is_pre_norm,
        norms=_rounded(norms.tolist()),
        sizes=_rounded(sizes.tolist()),
    )


@torch.no_grad()
def stream_of(model: LanguageModel, text: Tensor) -> list[Tensor]:
    """Return the input of the first layer, followed by the output of each layer.

    The text has shape ``(batch, positions)``, each tensor ``(batch, positions, width)``.
    """
    x = model.tokens(text)
    stream = [x if model.position is None else model.position(x)]
    for layer in model.stack.layers:
        stream.append(layer(stream[-1], mask=Mask(is_causal=True)))
    return stream


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(number, 4) for number in numbers]


@dataclass(frozen=True, kw_only=True)
class Run:
    """Result of one training.

    Attributes:
        num_layers: Number of layers.
        is_pre_norm: Pre-norm or post-norm.
        lr: The full learning rate.
        warmup: Number of warm-up steps.
        seed: Seed of weights and texts.
        losses: In nats, means over each ``WINDOW`` steps; none after a step with a non-finite loss.
        is_finite: Whether the loss was finite in all steps, and the spread as well.
        has_failed: See ``has_failed``.
        spread: See ``spread_of``, at the end; 0 if a value was not finite.
    """

    num_layers: int
    is_pre_norm: bool
    lr: float
    warmup: int
    seed: int
    losses: list[float]
    is_finite: bool
    has_failed: bool
    spread: float


def train(
    num_layers: int, *, is_pre_norm: bool, lr: float, warmup: int, seed: int, num_steps: int
) -> Run:
    """Train a model, and return the result.

    Raises:
        ValueError: ``num_steps`` is not a positive multiple of ``WINDOW``.
    """
    if num_steps < WINDOW or num_steps % WINDOW:
        raise ValueError(f"train: num_steps is {num_steps}; expected a multiple of {WINDOW}")
    model = build_model(num_layers, is_pre_norm=is_pre_norm, seed=seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-8)
    generator = torch.Generator().manual_seed(seed)
    losses: list[float] = []
    is_finite = True
    for step in range(num_steps):
        optimizer.param_groups[0]["lr"] = lr * min(1.0, (step + 1) / max(warmup, 1))
        loss = loss_of(model, LANGUAGE.draw(NUM_TEXTS, NUM_PLACES, generator))
        if not (is_finite := math.isfinite(loss.item())):
            break
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    means = torch.tensor(losses[: len(losses) // WINDOW * WINDOW]).view(-1, WINDOW).mean(1)
    spread = spread_of(model, LANGUAGE.draw(NUM_TEXTS, NUM_PLACES, generator))
    # The loss does not show the effect of the last step.
    is_finite = is_finite and math.isfinite(spread)
    return Run(
        num_layers=num_layers,
        is_pre_norm=is_pre_norm,
        lr=lr,
        warmup=warmup,
        seed=seed,
        losses=_rounded(means.tolist()),
        is_finite=is_finite,
        has_failed=not is_finite or has_failed(means[-1].item()),
        spread=round(spread, 6) if is_finite else 0.0,
    )


def has_failed(loss: float) -> bool:
    """Return whether the model has learned next to nothing.

    A model has learned if it gains at least a tenth of the difference between the unigram loss and
    the language's entropy. Without learning, the loss fluctuates around the unigram loss, so a
    threshold there would be a matter of chance.
    """
    # NaN <= limit is False, so NaN has failed.
    unigram = LANGUAGE.unigram_loss
    return not loss <= unigram - 0.1 * (unigram - LANGUAGE.least_loss)


@torch.no_grad()
def spread_of(model: LanguageModel, text: Tensor) -> float:
    """Return how much the outputs of the stack differ between positions, from 0 to 1.

    It is the norm after subtracting the mean over all positions of all texts, divided by the norm
    before. The text has shape ``(batch, positions)``.
    """
    x = stream_of(model, text)[-1]
    x = x if model.stack.norm is None else model.stack.norm(x)
    return float((x - x.mean((0, 1))).norm() / x.norm())


def study(plan: Plan) -> dict[str, Any]:
    """Run all of a plan; return language, plan and measurements for JSON."""
    start = time.process_time()
    gradients = [
        asdict(measure_gradients(depth, is_pre_norm=kind, num_seeds=NUM_GRADIENT_SEEDS))
        for depth, kind in itertools.product(plan.gradient_depths, (False, True))
    ]
    say("gradients measured")
    runs = []
    grid = itertools.product(plan.depths, plan.lrs, plan.warmups, plan.seeds, (False, True))
    steps = plan.num_steps
    for depth, lr, warmup, seed, kind in grid:
        run = train(depth, is_pre_norm=kind, lr=lr, warmup=warmup, seed=seed, num_steps=steps)
        runs.append(asdict(run))
        name = f"{_kind(kind)}, {depth} layers, lr {lr:g}, warm-up {warmup}, seed {seed}"
        say(f"{name}: {run.losses[-1:]}")
    return {
        "language": asdict(LANGUAGE)
        | {"unigram_loss": LANGUAGE.unigram_loss, "least_loss": LANGUAGE.least_loss},
        "plan": asdict(plan) | {"num_gradient_seeds": NUM_GRADIENT_SEEDS},
        "gradients": gradients,
        "runs": runs,
        "cpu_seconds": round(time.process_time() - start),
    }


def _kind(is_pre_norm: bool) -> str:
    return "pre-norm" if is_pre_norm else "post-norm"


def table_of(results: dict[str, Any]) -> str:
    """Format the results as a text table: failed trainings and mean final losses."""
    plan, lines = results["plan"], ["gradient of the last layer, untrained; size of what it gives"]
    for each in results["gradients"]:
        name = f"  {_kind(each['is_pre_norm']):9} {each['num_layers']:3} layers"
        lines.append(f"{name}  {each['norms'][-1]:6.3f}  {each['sizes'][-1]:6.3f}")
    lines.append("failed trainings of all (mean of their last losses), by learning rate")
    lines.append(" " * 33 + "".join(f"{lr:>15g}" for lr in plan["lrs"]))
    for kind, warmup, depth in itertools.product((False, True), plan["warmups"], plan["depths"]):
        cells = [_cell(results["runs"], kind, warmup, depth, lr) for lr in plan["lrs"]]
        name = f"  {_kind(kind):9} {depth:3} layers, warm-up {warmup:3}"
        lines.append(f"{name:33}" + "".join(f"{cell:>15}" for cell in cells))
    return "\n".join(lines)


def _cell(runs: list[dict[str, Any]], kind: bool, warmup: int, depth: int, lr: float) -> str:
    wanted = {"is_pre_norm": kind, "warmup": warmup, "num_layers": depth, "lr": lr}
    own = [run for run in runs if wanted.items() <= run.items()]
    last = [run["losses"][-1] for run in own if run["is_finite"]]
    mean = f"{sum(last) / len(last):.2f}" if last else "-"
    return f"{sum(run['has_failed'] for run in own)}/{len(own)} ({mean})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study from the command line."""

    def measure(is_short: bool) -> Study:
        found = study(SHORT if is_short else LONG)
        return found, table_of(found)

    about = "Train small models with the norm before each part, and behind each sum."
    return program.run(arguments, about, measure)


if __name__ == "__main__":
    sys.exit(main())

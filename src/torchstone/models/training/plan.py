"""Training configuration of the language model."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from torchstone.kernels.gpu import can_run_triton
from torchstone.models.language import LanguageModel
from torchstone.models.layers import ACTIVATIONS, NORMS, Layer
from torchstone.models.positions import Alibi, Learned, Rotary, Sinusoidal
from torchstone.models.refusal import Refusal
from torchstone.models.text import NUM_BYTES

POSITIONS = ("rotary", "alibi", "sinusoidal", "learned")
BACKENDS = ("flash", "math", "sdpa", "triton")
PRECISIONS = ("float32", "bfloat16")
MAX_SEED = 2**63 - 1
# Parallelism of the ranks -> stage of ``Zero``.
PARALLEL = {"ddp": 0, "zero1": 1, "zero2": 2, "zero3": 3}
ORDERS = ("float64", "rank", "fast")
COMM_BACKENDS = ("gloo", "nccl")
# Fields that may change when a training is resumed, because they do not affect the results.
FREE = ("folder", "save_every", "parallel", "timeout", "comm_backend")
# Target number of tokens per micro-batch: with smaller ones the summation of gradients takes
# noticeable time. A step has at least _NUM_PARTS micro-batches, to distribute over ranks. Neither
# depends on the number of ranks, so that the bits do not either.
_PART_TOKENS = 1024
_NUM_PARTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Training configuration of the language model.

    Attributes:
        text: A text file; None for the bundled text.
        steps: Number of optimizer steps.
        batch_size: Number of windows per step, over all processes.
        context: Context length: tokens per window.
        width: Number of features per position.
        depth: Number of layers.
        heads: Number of query heads.
        key_heads: Number of key heads, each shared by several query heads if there are fewer;
            ``heads`` by default.
        norm: ``layer`` or ``rms``.
        activation: ``relu``, ``gelu``, ``gelu_tanh`` or ``swiglu``.
        position: ``rotary``, ``alibi``, ``sinusoidal`` or ``learned``.
        backend: The attention backend.
        dropout: Dropout probability in training.
        lr: Peak learning rate.
        warm_up: Number of warm-up steps, followed by cosine decay to a tenth of ``lr``.
        weight_decay: Weight decay of matrices; vectors have none.
        accumulate: Number of micro-batches per step; an alternative to ``micro_batch``.
        micro_batch: Number of windows computed at a time. The ranks share the micro-batches of a
            step; the bits depend on the micro-batches, not on the ranks. By default a micro-batch
            has about 1,024 tokens, and a step at least eight micro-batches, if it has enough
            windows. Ranks beyond their number keep their shards of the state and compute nothing.
        precision: ``float32``, or ``bfloat16`` for autocast.
        is_compiled: Whether to use ``torch.compile``.
        seed: Seed of weights, windows and dropout.
        save_every: Number of steps between checkpoints and evaluations.
        parallel: ``ddp``, ``zero1``, ``zero2`` or ``zero3``, all with the same bits; ``ddp`` by
            default.
        order: The order in which the gradients of the micro-batches are summed. ``float64`` has the
            same bits for any number of ranks. ``rank`` and ``fast`` send half the bytes; the bits
            of ``rank`` are those of one process if each rank has one micro-batch.
        timeout: Seconds that a rank waits for the others.
        comm_backend: ``gloo`` or ``nccl``; by default NCCL if there is a GPU.
        folder: Where checkpoint and curve are written.

    Raises:
        Refusal: A number is out of range, or a name is unknown.
    """

    text: Path | None = None
    steps: int = 600
    batch_size: int = 16
    context: int = 128
    width: int = 192
    depth: int = 4
    heads: int = 6
    key_heads: int | None = None
    norm: str = "rms"
    activation: str = "swiglu"
    position: str = "rotary"
    backend: str = "flash"
    dropout: float = 0.0
    lr: float = 2e-3
    warm_up: int = 50
    weight_decay: float = 0.1
    accumulate: int = 1
    micro_batch: int | None = None
    precision: str = "float32"
    is_compiled: bool = False
    seed: int = 0
    save_every: int = 100
    parallel: str | None = None
    order: str = "float64"
    timeout: float = 60.0
    comm_backend: str | None = None
    folder: Path = Path("runs", "transformer")

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "context", "width", "depth", "heads"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "≥ 1")
        for name in ("accumulate", "save_every"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "≥ 1")
        _require("width", self.width, self.width % self.heads == 0, f"n × {self.heads} (heads)")
        head_dim = self.width // self.heads
        if self.position == "rotary":
            wanted = f"2 × n × {self.heads} (heads)"
            _require("width", self.width, head_dim % 2 == 0, wanted)
        if self.position == "sinusoidal":
            _require("width", self.width, self.width % 2 == 0, "2 × n")
        if self.backend in ("flash", "triton"):
            _require("width", self.width, head_dim <= 256, f"≤ 256 × {self.heads} (heads)")
        shared = f"n, {self.heads} (heads) = n × m"
        if (count := self.key_heads) is not None:
            _require("key_heads", count, count >= 1 and self.heads % count == 0, shared)
        parts = f"n × {self.accumulate} (accumulate)"
        _require("batch_size", self.batch_size, self.batch_size % self.accumulate == 0, parts)
        self._require_parallel()
        _require("warm_up", self.warm_up, 0 <= self.warm_up <= self.steps, f"0 … {self.steps}")
        # Written so that NaN is rejected as well.
        _require("lr", self.lr, 0 < self.lr < math.inf, "> 0")
        _require("weight_decay", self.weight_decay, 0 <= self.weight_decay < math.inf, "≥ 0")
        _require("dropout", self.dropout, 0 <= self.dropout < 1, "0 … 1")
        _require("seed", self.seed, 0 <= self.seed <= MAX_SEED, "0 … 2^63 - 1")
        for name, known in (
            ("norm", tuple(NORMS)),
            ("activation", (*ACTIVATIONS, "swiglu")),
            ("position", POSITIONS),
            ("backend", BACKENDS),
            ("precision", PRECISIONS),
            ("order", ORDERS),
            ("parallel", (None, *PARALLEL)),
            ("comm_backend", (None, *COMM_BACKENDS)),
        ):
            if getattr(self, name) not in known:
                names = ", ".join(each for each in known if each is not None)
                raise Refusal("choice", name=name, came=getattr(self, name), wanted=names)

    @property
    def checkpoint(self) -> Path:
        """Return the folder of the checkpoints."""
        return checkpoint_in(self.folder)

    @property
    def stage(self) -> int:
        """Return the stage of ``Zero``."""
        return PARALLEL[self.parallel or "ddp"]

    @property
    def micro_batch_size(self) -> int:
        """Return the number of windows per micro-batch."""
        if self.micro_batch is not None:
            return self.micro_batch
        if self.accumulate > 1:
            return self.batch_size // self.accumulate
        fit = self.batch_size * self.context // _PART_TOKENS
        return self._size_of(max(fit, _NUM_PARTS))

    @property
    def curve(self) -> Path:
        """Return the path of the loss plot."""
        return self.folder / "loss.svg"

    def binding(self, digest: str) -> dict[str, Any]:
        """Return the values that must not change on resumption, with the digest of the text."""
        # The micro-batch size counts, however it was specified.
        parts = {"accumulate": 1, "micro_batch": self.micro_batch_size}
        values = asdict(self) | parts | {"text": digest}
        return {name: value for name, value in values.items() if name not in FREE}

    def _size_of(self, num_parts: int) -> int:
        """Return the micro-batch size for ``num_parts`` micro-batches per step, or a few more."""
        counts = range(min(num_parts, self.batch_size), self.batch_size + 1)
        return self.batch_size // next(each for each in counts if self.batch_size % each == 0)

    def _require_parallel(self) -> None:
        size = self.micro_batch
        if size is not None:
            wanted = f"n, {self.batch_size} (batch_size) = n × m"
            _require("micro_batch", size, size >= 1 and self.batch_size % size == 0, wanted)
            parts = self.batch_size // size
            is_one = self.accumulate in (1, parts)
            _require("accumulate", self.accumulate, is_one, f"{parts} (batch_size / micro_batch)")
        _require("timeout", self.timeout, 0 < self.timeout < math.inf, "> 0")
        if self.is_compiled and self.stage == 3:
            raise Refusal("compile_sharded")

    def lr_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        if step < self.warm_up:
            return self.lr * (step + 1) / self.warm_up
        share = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * share)))


def checkpoint_in(folder: Path) -> Path:
    """Return the folder of checkpoints in the folder of a training."""
    return folder / "checkpoint"


def _require(name: str, came: object, is_right: bool, wanted: str) -> None:
    if not is_right:
        raise Refusal("number", name=name, came=came, wanted=wanted)


def build(plan: Plan) -> LanguageModel:
    """Create the model of a plan, with weights from its seed.

    Raises:
        Refusal: Its backend is not available on this machine.
    """
    if plan.backend == "triton":
        _require_triton()
    head_dim = plan.width // plan.heads
    position = {
        "rotary": lambda: Rotary(head_dim, plan.context),
        "alibi": lambda: Alibi(plan.heads),
    }.get(plan.position, lambda: None)
    places: Sinusoidal | Learned | None = None
    if plan.position == "sinusoidal":
        places = Sinusoidal(plan.width, plan.context)
    with torch.random.fork_rng([]):
        torch.manual_seed(plan.seed)
        if plan.position == "learned":
            places = Learned(plan.width, plan.context)
        # A third linear map, with about the same total number of parameters.
        hidden_width = 8 * plan.width // 3 if plan.activation == "swiglu" else 4 * plan.width
        layers = [
            Layer(
                plan.width,
                plan.heads,
                hidden_width,
                num_key_heads=plan.key_heads,
                norm=plan.norm,
                activation=plan.activation,
                bias=False,
                dropout=plan.dropout,
                position=position(),
                backend=plan.backend,
            )
            for _ in range(plan.depth)
        ]
        for layer in layers:
            _begin_small(layer, plan.depth)
        norm = NORMS[plan.norm](plan.width)
        return LanguageModel(NUM_BYTES, layers, norm=norm, position=places, dropout=plan.dropout)


def _require_triton() -> None:
    what = "backend triton"
    if importlib.util.find_spec("triton") is None:
        raise Refusal("part_missing", name="triton", what=what)
    if not can_run_triton():
        raise Refusal("card_missing", what=what)


def _begin_small(layer: Layer, depth: int) -> None:
    # As in GPT-2 (Radford et al., 2019, section 2.3): the weights of the 2 * depth projections into
    # the residual stream are scaled by 1 / sqrt(2 * depth).
    for module in layer.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)
    for last in (layer.attention.out, layer.feed_forward.down):
        nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * depth))

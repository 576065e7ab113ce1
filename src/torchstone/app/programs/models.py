"""Train, sample and profile models in a child process that imports torch."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from torchstone.app.programs.program import follow

PROGRAM = "torchstone.models"
Value = str | int | float | bool | None
Model = Literal["transformer", "diffusion"]


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    pass


class Begun(_Event, frozen=True, kw_only=True, tag="begin"):
    """A model is there to be trained.

    Attributes:
        parameters: How many it has.
        step: How many steps a checkpoint brought along.
        steps: How many are wanted.
        checkpoint: The file that is replaced now and then.
        was_there: Whether it existed.
        text: The name of a text, if it is trained on one.
        tokens: How many of it there are to train with.
        held_tokens: How many are held back to measure with.
        processes: How many train together.
    """

    parameters: int
    step: int
    steps: int
    checkpoint: str
    was_there: bool
    text: str | None = None
    tokens: int = 0
    held_tokens: int = 0
    processes: int = 1


class Stepped(_Event, frozen=True, kw_only=True, tag="step"):
    """Something of the steps, now and then."""

    step: int
    steps: int
    loss: float
    tokens_per_second: float | None = None


class Measures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of the steps since the last measurement.

    Attributes:
        step: The last of them.
        loss: Their mean loss.
        seconds: What they took.
        held_loss: The loss on what is held back, in nats for a token.
        tokens_per_second: How many tokens were trained on.
    """

    step: int
    loss: float
    seconds: float
    held_loss: float | None = None
    tokens_per_second: float | None = None


class Measured(Measures, frozen=True, kw_only=True, tag_field="event", tag="measured"):
    """Some steps are done, and the checkpoint holds them."""

    steps: int


class Ended(_Event, frozen=True, kw_only=True, tag="end", omit_defaults=True):
    """All steps are done.

    Attributes:
        history: What was measured, from the first step on.
        checkpoint: Where the model lies.
        curve: Where the losses are drawn.
        held_loss: The last one.
        sample: What the model writes.
        recognised: The share of drawn digits that a classifier takes for what was asked for.
        picture: Where drawn digits are shown.
    """

    history: list[Measures]
    checkpoint: str
    curve: str | None = None
    held_loss: float | None = None
    sample: str | None = None
    recognised: float | None = None
    picture: str | None = None


class Sampled(_Event, frozen=True, kw_only=True, tag="sample", omit_defaults=True):
    """What a trained model writes, or where what it draws is shown.

    Attributes:
        text: What it writes.
        picture: Where what it draws is shown.
        count: How many digits were drawn.
        seconds: What that took.
        recognised: The share of them that a classifier takes for what was asked for; None if any
            digit might come.
    """

    text: str | None = None
    picture: str | None = None
    count: int = 0
    seconds: float = 0.0
    recognised: float | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What a module costs in forward, as ``torchstone.models.profile.Cost`` has it."""

    name: str
    label: str
    kind: str
    level: int
    calls: int
    flops: int
    bytes: int
    saved_bytes: int
    peak_bytes: int
    seconds: float
    roofline_share: float


class Profiled(_Event, frozen=True, kw_only=True, tag="profile"):
    """What a model costs, module by module.

    Attributes:
        parameters: How many it has.
        threads: What it was measured with.
        flops_per_second: What the machine reaches with products.
        bytes_per_second: What it reaches with a copy.
        training_peak_bytes: The most that forward and backward allocate at once.
        rows: The modules, each behind the one that holds it.
        chart: Where they are drawn.
        cuda: What the allocator of a card says of a step, and where its history lies.
    """

    parameters: int
    threads: int
    flops_per_second: float
    bytes_per_second: float
    training_peak_bytes: int
    rows: list[Row]
    chart: str | None
    cuda: dict[str, str] | None


TrainingEvent = Begun | Stepped | Measured | Ended


def train(model: Model, options: Mapping[str, Value]) -> Generator[TrainingEvent, None, None]:
    """Train, and yield what happens; closing the iterator ends the training.

    Args:
        model: What is trained.
        options: What the program is told, by its options' names; what is None is not told.

    Raises:
        BadInput: The program refused, or gave the training up as hopeless.
        TorchstoneError: It ended without a word, or said what nobody understands.
    """
    return _run(model, "train", options, kinds=TrainingEvent, last=Ended)


def sample(model: Model, options: Mapping[str, Value], words: Sequence[str] = ()) -> Sampled:
    """Let a trained model write or draw.

    Args:
        model: What was trained.
        options: As for ``train``.
        words: What is not an option, such as the text that is gone on with.

    Raises:
        BadInput: As for ``train``.
        TorchstoneError: As for ``train``.
    """
    (sampled,) = _run(model, "sample", options, words, kinds=Sampled, last=Sampled)
    return sampled  # type: ignore[no-any-return]


def profile(options: Mapping[str, Value]) -> Profiled:
    """Measure what a Transformer costs.

    Args:
        options: As for ``train``.

    Raises:
        BadInput: As for ``train``.
        TorchstoneError: As for ``train``.
    """
    (profiled,) = _run("transformer", "profile", options, kinds=Profiled, last=Profiled)
    return profiled  # type: ignore[no-any-return]


def _run(
    model: Model,
    verb: str,
    options: Mapping[str, Value],
    words: Sequence[str] = (),
    *,
    kinds: Any,
    last: type,
) -> Generator[Any, None, None]:
    command = [model, verb, *_arguments(options)]
    if words:
        command += ["--", *words]
    return follow(PROGRAM, command, kinds=kinds, last=last, errors="app.models")


def _arguments(options: Mapping[str, Value]) -> Iterator[str]:
    """Yield the options, each value behind its own ``=``, so that none looks like an option."""
    for name, value in options.items():
        if value is True:
            yield f"--{name.replace('_', '-')}"
        elif value is not None and value is not False:
            yield f"--{name.replace('_', '-')}={value}"

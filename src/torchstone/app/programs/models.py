"""Train, sample and profile models in a child process that imports torch."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from torchstone.app.programs.child_program import follow

PROGRAM = "torchstone.models"
Value = str | int | float | bool | None
Model = Literal["transformer", "diffusion"]


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    pass


class Begun(_Event, frozen=True, kw_only=True, tag="begin"):
    """The start of a training.

    Attributes:
        parameters: The number of parameters.
        step: The number of steps in the checkpoint.
        steps: The number of steps to train.
        checkpoint: The file of the checkpoint, which is replaced from time to time.
        was_there: Whether it existed.
        text: The name of the text of a language model.
        tokens: The number of tokens for training.
        held_tokens: The number of held-out tokens.
        processes: The number of processes.
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
    """The progress within the steps, from time to time."""

    step: int
    steps: int
    loss: float
    tokens_per_second: float | None = None


class Measures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The results of the steps since the last measurement.

    Attributes:
        step: The last of these steps.
        loss: Their mean loss.
        seconds: Their time.
        held_loss: The loss on the held-out tokens, in nats per token.
        tokens_per_second: The number of trained tokens per second.
    """

    step: int
    loss: float
    seconds: float
    held_loss: float | None = None
    tokens_per_second: float | None = None


class Measured(Measures, frozen=True, kw_only=True, tag_field="event", tag="measured"):
    """A measurement; the checkpoint contains its steps."""

    steps: int


class Ended(_Event, frozen=True, kw_only=True, tag="end", omit_defaults=True):
    """The end of a training.

    Attributes:
        history: All measurements, from the first step on.
        checkpoint: The file of the model.
        curve: The picture of the losses.
        held_loss: The last held-out loss.
        sample: A text that the model writes.
        recognised: The share of drawn digits that a classifier recognises as the requested one.
        picture: The picture of the drawn digits.
    """

    history: list[Measures]
    checkpoint: str
    curve: str | None = None
    held_loss: float | None = None
    sample: str | None = None
    recognised: float | None = None
    picture: str | None = None


class Sampled(_Event, frozen=True, kw_only=True, tag="sample", omit_defaults=True):
    """A sample of a trained model: a text, or a picture of digits.

    Attributes:
        text: The text.
        picture: The file of the picture.
        count: The number of drawn digits.
        seconds: The time for drawing.
        recognised: The share of digits that a classifier recognises as the requested one; None if
            no digit was requested.
    """

    text: str | None = None
    picture: str | None = None
    count: int = 0
    seconds: float = 0.0
    recognised: float | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a module in forward, as in ``torchstone.models.profile.Cost``."""

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
    """The cost of a model, module by module.

    Attributes:
        parameters: The number of parameters.
        threads: The number of threads of the measurement.
        flops_per_second: The speed of this machine in matrix products.
        bytes_per_second: The speed of this machine in copies.
        training_peak_bytes: The peak of the allocated memory in forward and backward.
        rows: The modules, each after its parent.
        chart: The picture of the costs.
        cuda: The memory summary of the CUDA allocator for a step, and the file of its history.
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
    """Train a model and yield its events; closing the iterator ends the training.

    Args:
        model: The model.
        options: The options of the program by name; None leaves an option out.

    Raises:
        BadInput: The program rejected its options, or stopped a diverging training.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    return _run(model, "train", options, kinds=TrainingEvent, last=Ended)


def sample(model: Model, options: Mapping[str, Value], words: Sequence[str] = ()) -> Sampled:
    """Run a trained model: write a text or draw digits.

    Args:
        model: The model.
        options: As for ``train``.
        words: Positional arguments, such as the beginning of the text.

    Raises:
        BadInput: As for ``train``.
        TorchstoneError: As for ``train``.
    """
    (sampled,) = _run(model, "sample", options, words, kinds=Sampled, last=Sampled)
    return sampled  # type: ignore[no-any-return]


def profile(options: Mapping[str, Value]) -> Profiled:
    """Measure the cost of a Transformer.

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
    """Yield the options as ``--name=value``, so that no value looks like an option."""
    for name, value in options.items():
        if value is True:
            yield f"--{name.replace('_', '-')}"
        elif value is not None and value is not False:
            yield f"--{name.replace('_', '-')}={value}"

"""Commands of models: transformer train, sample and profile; diffusion train and sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.programs.models import Model, Value


def _number(name: str, mark: str = "N", group: str = "model") -> typer.models.OptionInfo:
    key = f"option.{group}_{name.replace('-', '_')}"
    option: typer.models.OptionInfo = typer.Option(f"--{name}", metavar=mark, help=key)
    return option


# The program has a default for each missing option.
Text = Annotated[Path | None, _number("text", "FILE")]
Steps = Annotated[int | None, _number("steps")]
BatchSize = Annotated[int | None, _number("batch-size")]
Context = Annotated[int | None, _number("context")]
Width = Annotated[int | None, _number("width")]
Depth = Annotated[int | None, _number("depth")]
Heads = Annotated[int | None, _number("heads")]
KeyHeads = Annotated[int | None, _number("key-heads")]
Norm = Annotated[str | None, _number("norm", "layer|rms")]
Activation = Annotated[str | None, _number("activation", "NAME")]
Position = Annotated[str | None, _number("position", "NAME")]
Backend = Annotated[str | None, _number("backend", "NAME")]
Dropout = Annotated[float | None, _number("dropout", "P")]
Lr = Annotated[float | None, _number("lr", "X")]
WarmUp = Annotated[int | None, _number("warm-up")]
WeightDecay = Annotated[float | None, _number("weight-decay", "X")]
Accumulate = Annotated[int | None, _number("accumulate")]
MicroBatch = Annotated[int | None, _number("micro-batch")]
Precision = Annotated[str | None, _number("precision", "DTYPE")]
Compile = Annotated[bool, typer.Option("--compile", help="option.model_compile")]
Seed = Annotated[int | None, _number("seed")]
SaveEvery = Annotated[int | None, _number("save-every")]
Out = Annotated[Path | None, _number("out", "DIR")]
Resume = Annotated[bool, typer.Option("--resume", help="option.resume")]
Prompt = Annotated[str, typer.Argument(metavar="TEXT", help="argument.prompt")]
Count = Annotated[int | None, _number("count")]
Temperature = Annotated[float | None, _number("temperature", "X")]
TopK = Annotated[int | None, _number("top-k")]
Levels = Annotated[int | None, _number("levels")]
Chart = Annotated[Path | None, _number("chart", "FILE")]

# The options of diffusion with other defaults.
DiffusionSteps = Annotated[int | None, _number("steps", "N", "diffusion")]
DiffusionBatchSize = Annotated[int | None, _number("batch-size", "N", "diffusion")]
DiffusionLr = Annotated[float | None, _number("lr", "X", "diffusion")]
Schedule = Annotated[str | None, _number("schedule", "linear|cosine", "diffusion")]
Prediction = Annotated[str | None, _number("prediction", "NAME", "diffusion")]
NoiseSteps = Annotated[int | None, _number("noise-steps", "N", "diffusion")]
DiffusionWidth = Annotated[int | None, _number("width", "N", "diffusion")]
DiffusionDepth = Annotated[int | None, _number("depth", "N", "diffusion")]
DiffusionHeads = Annotated[int | None, _number("heads", "N", "diffusion")]
LabelDrop = Annotated[float | None, _number("label-drop", "P", "diffusion")]
EmaDecay = Annotated[float | None, _number("ema-decay", "X", "diffusion")]
DiffusionOut = Annotated[Path | None, _number("out", "DIR", "diffusion")]
Digits = Annotated[str | None, _number("digits", "DIGITS", "diffusion")]
Picture = Annotated[Path | None, _number("picture", "FILE", "diffusion")]
Scale = Annotated[float | None, _number("scale", "X", "diffusion")]
DrawSteps = Annotated[int | None, _number("num-steps", "N", "diffusion")]
Eta = Annotated[float | None, _number("eta", "X", "diffusion")]


def add_commands(app: typer.Typer) -> None:
    """Add the groups of commands to the application."""
    transformer = add_group(app, "transformer")
    command(transformer, "train")(train_transformer)
    command(transformer, "sample")(sample_transformer)
    command(transformer, "profile")(profile_transformer)
    diffusion = add_group(app, "diffusion")
    command(diffusion, "train")(train_diffusion)
    command(diffusion, "sample")(sample_diffusion)


def train_transformer(
    screen: Screen,
    text: Text = None,
    steps: Steps = None,
    batch_size: BatchSize = None,
    context: Context = None,
    width: Width = None,
    depth: Depth = None,
    heads: Heads = None,
    key_heads: KeyHeads = None,
    norm: Norm = None,
    activation: Activation = None,
    position: Position = None,
    backend: Backend = None,
    dropout: Dropout = None,
    lr: Lr = None,
    warm_up: WarmUp = None,
    weight_decay: WeightDecay = None,
    accumulate: Accumulate = None,
    micro_batch: MicroBatch = None,
    precision: Precision = None,
    is_compiled: Compile = False,
    seed: Seed = None,
    save_every: SaveEvery = None,
    out: Out = None,
    resume: Resume = False,
) -> ExitCode:
    """Train a language model on a text."""
    options = locals()
    return _train(options.pop("screen"), "transformer", options)


def sample_transformer(
    screen: Screen,
    prompt: Prompt,
    count: Count = None,
    temperature: Temperature = None,
    top_k: TopK = None,
    seed: Seed = None,
    out: Out = None,
) -> ExitCode:
    """Continue a text with a trained model."""
    from torchstone.app.programs import models

    options = {"count": count, "temperature": temperature, "top_k": top_k, "seed": seed}
    result = models.sample("transformer", options | _program_options({"out": out}), [prompt])
    if screen.as_json:
        screen.answer({"ok": True, "text": result.text})
    else:
        # Unchanged: the text of a model is not markup, and keeps its lines.
        screen.out.print(result.text, soft_wrap=True)
    return ExitCode.ACCEPTED


def profile_transformer(
    screen: Screen,
    batch_size: BatchSize = None,
    context: Context = None,
    width: Width = None,
    depth: Depth = None,
    heads: Heads = None,
    key_heads: KeyHeads = None,
    norm: Norm = None,
    activation: Activation = None,
    position: Position = None,
    backend: Backend = None,
    precision: Precision = None,
    seed: Seed = None,
    levels: Levels = None,
    chart: Chart = None,
) -> ExitCode:
    """Print the cost of a model, module by module."""
    options = locals()
    screen = options.pop("screen")
    from torchstone.app.programs import models
    from torchstone.cli.modelling import answer_profile, draw_profile
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        progress.show(screen.say("models.measuring"))
        result = models.profile(_program_options(options) | {"lang": screen.lang})
    if screen.as_json:
        screen.answer(answer_profile(result))
    else:
        for line in draw_profile(screen, result):
            screen.out.print(line, soft_wrap=True)
    return ExitCode.ACCEPTED


def train_diffusion(
    screen: Screen,
    steps: DiffusionSteps = None,
    batch_size: DiffusionBatchSize = None,
    lr: DiffusionLr = None,
    schedule: Schedule = None,
    prediction: Prediction = None,
    noise_steps: NoiseSteps = None,
    width: DiffusionWidth = None,
    depth: DiffusionDepth = None,
    heads: DiffusionHeads = None,
    label_drop: LabelDrop = None,
    ema_decay: EmaDecay = None,
    seed: Seed = None,
    save_every: SaveEvery = None,
    out: DiffusionOut = None,
    resume: Resume = False,
) -> ExitCode:
    """Train a transformer to draw digits."""
    options = locals()
    return _train(options.pop("screen"), "diffusion", options)


def sample_diffusion(
    screen: Screen,
    digits: Digits = None,
    scale: Scale = None,
    num_steps: DrawSteps = None,
    eta: Eta = None,
    seed: Seed = None,
    out: DiffusionOut = None,
    picture: Picture = None,
) -> ExitCode:
    """Draw digits with a trained model."""
    options = locals()
    screen = options.pop("screen")
    from torchstone.app.programs import models
    from torchstone.cli.modelling import answer_drawn, draw_drawn
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        progress.show(screen.say("models.drawing"))
        drawn = models.sample("diffusion", _program_options(options))
    if screen.as_json:
        screen.answer(answer_drawn(drawn))
    else:
        for line in draw_drawn(screen, drawn):
            screen.out.print(line, soft_wrap=True)
    return ExitCode.ACCEPTED


def _train(screen: Screen, model: Model, options: dict[str, Value | Path]) -> ExitCode:
    from torchstone.cli.modelling import Watch

    watch = Watch(screen)
    try:
        watch.follow(model, _program_options(options))
    except KeyboardInterrupt:
        screen.note(watch.describe_interruption())
        return ExitCode.NOT_ACCEPTED
    return ExitCode.ACCEPTED


def _program_options(options: dict[str, Value | Path]) -> dict[str, Value]:
    """Return the options by the names that the program uses."""
    names = {"out": "folder"}
    return {
        names.get(name, name): str(value) if isinstance(value, Path) else value
        for name, value in options.items()
    }

"""Distributed training in a child process that may import torch: simulate, and checkpoints."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from torchstone.app.programs.child_program import follow

PROGRAM = "torchstone.distributed"
ERRORS, REFUSALS = "app.distributed", "distributed.refusal"
Value = str | int | float | None


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """Line printed by the program."""


class End(Event, frozen=True, kw_only=True):
    """Last line of a program; ``ok`` tells whether the result is correct."""

    ok: bool


class Begun(Event, frozen=True, kw_only=True, tag="begin"):
    """Start of a simulation: number of ranks, parallelism, and number of steps."""

    world: int
    parallel: str
    steps: int


class Stepped(Event, frozen=True, kw_only=True, tag="step"):
    """Step of a simulation.

    Attributes:
        step: Number of the step, from 1.
        loss: Mean loss over all ranks.
        ms: Duration.
    """

    step: int
    loss: float
    ms: float


class Simulated(End, frozen=True, kw_only=True, tag="end"):
    """The result of a simulation.

    Attributes:
        world: Number of ranks.
        parallel: Kind of parallelism.
        equal: Whether all parameters are bit-equal to those of one process.
        bytes: Bytes sent in all steps by the rank that sent the most, by operation.
        bytes_ratio: Ratio of these to the bytes of a ring all-reduce of the parameters.
        memory: Peak memory of the rank that held the most, by kind.
        step_ms: Mean duration of a step.
        bubble: Share of time in which ranks do not compute; None if computation is not simulated.
        timeline: Picture of the collectives.
    """

    world: int
    parallel: str
    equal: bool
    bytes: dict[str, int]
    bytes_ratio: float | None
    memory: dict[str, int]
    step_ms: float
    bubble: float | None
    timeline: str | None


class Shown(End, frozen=True, kw_only=True, tag="end"):
    """Contents of a folder of checkpoints.

    Attributes:
        step: Step of the newest complete checkpoint; None if there is none.
        world: Number of ranks that wrote it.
        complete: Whether it is the newest checkpoint.
        single: Whether the folder is a single checkpoint rather than a folder of checkpoints.
        tensors: Number of tensors.
        bytes: Size of the files.
        damaged: Defects of newer checkpoints.
    """

    step: int | None
    world: int
    complete: bool
    single: bool
    tensors: int
    bytes: int
    damaged: list[str]


SimulationEvent = Begun | Stepped | Simulated


def simulate(options: Mapping[str, Value]) -> Generator[SimulationEvent, None, None]:
    """Simulate ranks and yield the events; closing the iterator ends the simulation.

    Args:
        options: The options of the program by name; None leaves an option out.

    Raises:
        BadInput: The program refused its options.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    return _run("simulate", options, kinds=SimulationEvent, last=Simulated)


def checkpoint(verb: str, folder: str, options: Mapping[str, Value]) -> Shown:
    """Inspect a folder of checkpoints, or reshard one of them.

    Args:
        verb: ``show`` or ``reshard``.
        folder: The folder.
        options: As for ``simulate``.

    Raises:
        BadInput: There is no checkpoint, or the new one cannot be written.
        TorchstoneError: As for ``simulate``.
    """
    shown: Shown
    (shown,) = _run("checkpoint", options, [verb, folder], kinds=Shown, last=Shown)
    return shown


def _run(
    command: str,
    options: Mapping[str, Value],
    words: Sequence[str] = (),
    *,
    kinds: Any,
    last: type,
) -> Generator[Any, None, None]:
    all_words = [command, *arguments(options)]
    if words:
        all_words += ["--", *words]
    return follow(
        PROGRAM,
        all_words,
        kinds=kinds,
        last=last,
        errors=ERRORS,
        refusals=REFUSALS,
    )


def arguments(options: Mapping[str, Value]) -> Iterator[str]:
    """Yield the options as ``--name=value``, so that no value looks like an option."""
    for name, value in options.items():
        if value is not None:
            yield f"--{name.replace('_', '-')}={value}"

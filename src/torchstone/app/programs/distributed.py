"""Distributed training in a child process, which may import torch: simulate, and checkpoints."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from torchstone.app.programs.child_program import follow

PROGRAM = "torchstone.distributed"
ERRORS, REFUSALS = "app.distributed", "distributed.refusal"
Value = str | int | float | None


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """A line that the program prints."""


class End(Event, frozen=True, kw_only=True):
    """The last line of a program; ``ok`` says whether the result is as it should be."""

    ok: bool


class Begun(Event, frozen=True, kw_only=True, tag="begin"):
    """The start of a simulation: the number of ranks, how they train, and for how long."""

    world: int
    parallel: str
    steps: int


class Stepped(Event, frozen=True, kw_only=True, tag="step"):
    """A step of a simulation.

    Attributes:
        step: Its number, from 1 on.
        loss: The mean loss of all ranks.
        ms: Its time.
    """

    step: int
    loss: float
    ms: float


class Simulated(End, frozen=True, kw_only=True, tag="end"):
    """The result of a simulation.

    Attributes:
        world: The number of ranks.
        parallel: How they trained.
        equal: Whether all parameters have the bits of one process.
        bytes: What the rank with the most has sent in all steps, by operation.
        bytes_ratio: That, over what a ring all-reduce of the parameters sends.
        memory: The most bytes that the fullest rank held, by kind.
        step_ms: The mean time of a step.
        bubble: The share of time in which ranks do not compute; None where that takes no time.
        timeline: The picture of the collectives.
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
    """A folder of checkpoints.

    Attributes:
        step: The step of the newest whole checkpoint; None if none is whole.
        world: How many ranks wrote it.
        complete: Whether it is the newest of all.
        single: Whether the folder is one checkpoint, and not that of all.
        tensors: The number of its tensors.
        bytes: The size of its files.
        damaged: What is wrong with newer ones.
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
    """Look into a folder of checkpoints, or write one of them for another number of ranks.

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

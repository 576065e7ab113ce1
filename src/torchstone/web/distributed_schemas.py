"""Schemas of distributed training: a simulation and its events."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from torchstone.web.schemas import ApiModel, Text, Words

# A command line cannot hold a null character.
Name = Annotated[Text, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Number = Annotated[int, Field(ge=-(2**31), le=2**31)]


class SimulationQuestion(ApiModel):
    """Ranks that train; without a link the time is that of this machine.

    With a link and ``gflops``, 1e9 operations a second, computing takes simulated time as well.
    ``slow`` is a rank and how many times longer it computes, such as ``1x3``.
    """

    world: Number
    parallel: Name
    steps: Number
    link: Name = ""
    gflops: Annotated[float, Field(allow_inf_nan=False)] | None = None
    slow: Name = ""


class RelatedProblem(ApiModel):
    """A problem of the bank about distributed training."""

    id: str
    title: Words


class DistributedChoices(ApiModel):
    """The most that a page simulates, and what to write oneself."""

    most_ranks: int
    most_steps: int
    problems: list[RelatedProblem]


class SimulationQueued(ApiModel):
    """Other programs run or wait before this one."""

    type: Literal["queued"]
    ahead: int


class SimulationBegun(ApiModel):
    """The simulation has started."""

    type: Literal["begin"]
    world: int
    parallel: str
    steps: int


class SimulationStep(ApiModel):
    """A step, its mean loss and its time."""

    type: Literal["step"]
    step: int
    loss: float
    ms: float


class SimulatedCollective(ApiModel):
    """A collective; the lists are in the order of the ranks."""

    op: str
    axis: str
    number: int
    label: str
    ranks: list[int]
    launched_s: list[float]
    begin_s: list[float]
    end_s: list[float]
    bytes_sent: list[int]
    waits_for: int | None


class SimulatedSpan(ApiModel):
    """A time in which a rank computes."""

    rank: int
    start_s: float
    end_s: float
    label: str


class SimulatedWait(ApiModel):
    """A time in which a rank waits: for the rank ``last``, or for the bytes of an exchange."""

    rank: int
    start_s: float
    end_s: float
    op: str
    axis: str
    number: int
    ranks: list[int]
    last: int | None


class SimulatedTimeline(ApiModel):
    """The ranks over time."""

    num_ranks: int
    end_s: float
    collectives: list[SimulatedCollective]
    compute: list[SimulatedSpan]
    waits: list[SimulatedWait]


class SimulationResult(ApiModel):
    """The result of a simulation; ``equal``: all parameters have the bits of one process."""

    type: Literal["result"]
    world: int
    parallel: str
    equal: bool
    bytes: dict[str, int]
    bytes_ratio: float | None
    memory: dict[str, int]
    step_ms: float
    bubble: float | None
    timeline: SimulatedTimeline


class SimulationError(ApiModel):
    """Why there is no result, in the language of the request."""

    type: Literal["error"]
    code: str
    message: str
    hint: str


SimulationEvent: TypeAlias = Annotated[
    SimulationQueued | SimulationBegun | SimulationStep | SimulationResult | SimulationError,
    Field(discriminator="type"),
]

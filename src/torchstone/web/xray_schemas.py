"""Schemas of the x-ray and of the map: a program, its scenes, components and their edges."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from torchstone.web.schemas import ApiModel, Text, Words

SceneName = Literal["dispatch", "graph", "storage", "compile", "memory"]
ModeName = Literal["grad", "no_grad", "inference_mode", "autocast"]
Name = Annotated[Text, StringConstraints(max_length=200)]


class XrayQuestion(ApiModel):
    """A program, and what is asked about it."""

    text: Text
    scenes: Annotated[list[SceneName], Field(min_length=1, max_length=5)]
    function: Name | None = None
    under: Annotated[list[ModeName], Field(max_length=4, default_factory=list)]


class XrayExample(ApiModel):
    """A program that is offered."""

    id: str
    title: Words
    scenes: list[SceneName]
    text: str


class Related(ApiModel):
    """A topic of the questions, or a problem."""

    id: str
    title: Words


class RelatedParts(ApiModel):
    """What to read and to write about a scene."""

    topics: list[Related]
    problems: list[Related]


class XrayChoices(ApiModel):
    """What a page offers before it asks, and what belongs to each scene."""

    most_chars: int
    isolation: str
    examples: list[XrayExample]
    related: dict[str, RelatedParts]


class XrayQueued(ApiModel):
    """Other programs run or wait before this one."""

    type: Literal["queued"]
    ahead: int


class XrayScene(ApiModel):
    """A scene, as ``torchstone xray --json`` prints it."""

    type: Literal["scene"]
    scene: dict[str, Any]


class XrayRefusal(ApiModel):
    """There is no scene; ``line`` is that of the program, if it has one."""

    type: Literal["error"]
    code: str
    message: str
    hint: str
    line: int | None


class XrayEnd(ApiModel):
    """All scenes have come."""

    type: Literal["end"]


XrayEvent = XrayQueued | XrayScene | XrayRefusal | XrayEnd


class MapLayer(ApiModel):
    """A layer of the map; the first is on top."""

    id: str
    title: Words


class MapComponent(ApiModel):
    """A part of PyTorch, the file in which it lives, and what there is about it."""

    id: str
    layer: str
    name: str
    home: str
    about: Words
    question: str
    problem: str | None


class MapEdge(ApiModel):
    """What ties two components; ``proof`` is a claim that runs, or the file that is cited."""

    source: str
    target: str
    kind: Literal["calls", "owns", "registers", "data"]
    evidence: Literal["claim", "cited"]
    proof: str


class ArchitectureMap(ApiModel):
    """The map of a release of torch."""

    torch: str
    layers: list[MapLayer]
    components: list[MapComponent]
    edges: list[MapEdge]


class PlayQuestion(ApiModel):
    """An expression of one line, which may use ``x``; its calls are played over the map."""

    expression: Annotated[Text, StringConstraints(max_length=200)]


class PlayedStop(ApiModel):
    """A stop of the call at a key; ``component`` is the one that does something there."""

    op: str
    key: str
    depth: int
    component: str


class PlayedCall(ApiModel):
    """The components that an expression passes, in order, and the stops of its calls."""

    path: list[str]
    stops: list[PlayedStop]

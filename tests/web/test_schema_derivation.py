"""The contract follows from the messages of the judge: the same fields, of the same types."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from pydantic import TypeAdapter, ValidationError

from tests.reports import (
    make_case,
    make_report,
    make_row,
    make_smallest,
    make_tensor,
    tag,
    with_later_fields,
)
from torchstone.app.home import find_home
from torchstone.app.judging.streaming import FollowedEvent
from torchstone.app.judging.submission import explain_misconception, judged_from
from torchstone.core.isolation import Isolation
from torchstone.judge import events, messages
from torchstone.judge.messages import plain, read_report
from torchstone.web.reports import as_json, report_model
from torchstone.web.schema_derivation import derive
from torchstone.web.stream import event_model
from torchstone.web.verdict_schemas import EVENTS, JudgeEvent, Misconception

pytestmark = pytest.mark.pure

RECORDED = sorted((Path(__file__).parents[1] / "judge/recorded").glob("*.json"))
# What the terminal gets and the page does not, by the place in a report.
NOT_SENT = {
    "native": {"found", "profile"},
    "nvcc": {"error"},
    "kernels": {"stack_bytes"},
}
MISCONCEPTION = messages.Misconception(name="no_shift", cases=7)
SMALLEST = make_smallest(
    make_row(make_tensor([1.0], [1]), messages.ValuePreview(text="None")), x=make_tensor([2.0], [1])
)
REPORT = make_report(verdict="WA", misconception=MISCONCEPTION, smallest=SMALLEST)
# One of each.
ALL = [
    events.Queued(ahead=1),
    events.StageReached(stage=events.Stage.COMPILING, at_ms=7),
    events.Started(isolation=Isolation.FULL, plan=(("sample", 2),)),
    events.Case(**plain(make_case())),
    events.VerdictReached(report=REPORT),
    events.MisconceptionFound(misconception=MISCONCEPTION),
    events.MisconceptionFound(misconception=None),
    events.SmallestFound(smallest=SMALLEST),
    events.SmallestFound(smallest=None),
    events.Interrupted(reason="it died"),
    events.Starting(),
    events.CancelledEvent(),
    events.Done(report=REPORT),
]


class Point(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="point"):
    """A point."""

    x: float
    y: float | None


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="line"):
    """A line through points."""

    points: tuple[Point, ...]
    name: str = "l"


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """Some of them."""

    first: Point | Line | None
    parts: tuple[Point | Line, ...] = ()
    size: tuple[int, str] = (1, "m")
    hidden: int = 0


def without(record: Any, place: str = "") -> Any:
    """Leave out what is not sent."""
    if isinstance(record, list):
        return [without(each, place) for each in record]
    if isinstance(record, dict):
        left_out = NOT_SENT.get(place, set())
        return {key: without(each, key) for key, each in record.items() if key not in left_out}
    return record


def test_a_shape_has_the_fields_the_words_and_the_defaults_of_its_struct() -> None:
    shape = derive(Figure, leave_out=("hidden",), size=int, more=str)
    assert (shape.__name__, shape.__doc__) == ("Figure", Figure.__doc__)
    assert set(shape.model_fields) == {"first", "parts", "size", "more"}
    point, line = Point(x=1.0, y=None), Line(points=(Point(x=0.0, y=2.0),))
    figure = {"first": line, "parts": (point, line), "size": 3, "more": "m"}
    drawn = shape.model_validate(
        json.loads(msgspec.json.encode(figure)), from_attributes=True
    ).model_dump(mode="json")
    assert drawn == json.loads(msgspec.json.encode(figure))
    assert shape.model_validate({"first": None, "size": 1, "more": ""}).model_dump()["parts"] == []
    for wrong in ({"first": {"kind": "circle"}}, {"first": None}, {"first": {"x": 1.0, "y": 1.0}}):
        with pytest.raises(ValidationError):
            shape.model_validate({"size": 1, "more": ""} | wrong | {"parts": 3})


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_page_gets_a_report_as_it_is_stored(path: Path) -> None:
    stored = with_later_fields(json.loads(path.read_text("utf-8"))["report"])
    problem = find_home().problem(stored["problem"])
    shown = as_json(report_model(judged_from(problem, read_report(stored))))
    assert shown is not None
    named, said = stored.pop("misconception"), shown.pop("misconception")
    assert shown == without(stored)
    assert (said is None) == (named is None)
    if said is not None:
        assert named == {key: said[key] for key in named}
        assert said["html"]["zh"]


def test_every_event_of_a_job_has_a_shape() -> None:
    sent = set(get_args(events.Event)) - {events.Accepted}
    assert EVENTS.keys() == sent == {type(event) for event in ALL}


@pytest.mark.parametrize("event", ALL, ids=tag)
def test_the_page_gets_each_event_in_the_form_of_the_contract(event: Any) -> None:
    home = find_home()
    problem = home.problem("01")
    judged = judged_from(problem, event.report) if hasattr(event, "report") else None
    found = explain_misconception(problem, getattr(event, "misconception", None))
    followed = FollowedEvent(event=event, judged=judged, misconception=found)
    shown = as_json(event_model(home, followed))
    assert shown is not None
    assert shown["type"] == tag(event)
    assert TypeAdapter(JudgeEvent).validate_python(shown).model_dump(mode="json") == shown
    if shown.get("misconception"):
        Misconception.model_validate(shown["misconception"])


def test_an_end_without_a_report_is_a_cancellation() -> None:
    shown = as_json(event_model(find_home(), FollowedEvent(event=events.Done(report=None))))
    assert shown == {"type": "cancelled"}

"""``Case``: requests to the submission, and data that only the oracle receives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchstone.judge.child.answering.observe import tensors_in
from torchstone.judge.child.protocol.records import Arguments, CallData, Params


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request for one answer of the submission.

    ``op`` names the driver's call or an operation of the problem's probe.
    """

    op: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Steps of one case.

    Each step is sent after the whole answer to the previous one has arrived, so a problem can test
    facts about memory: write to the base first, then ask for elements of the view.

    Attributes:
        steps: The requests, in order.
        secret: Data for the oracle that the submission must not see.
        shown: Inputs to show to a person; default: the arguments of the first request.
        parts: The cases combined by `together` into this one, by name.
        again: The same call with other values, sent by `refilled` on the same tensors.
    """

    steps: tuple[Request, ...]
    secret: Params = field(default_factory=dict)
    shown: Arguments | None = None
    parts: dict[str, Case] = field(default_factory=dict)
    again: Case | None = None

    @property
    def is_alone(self) -> bool:
        """Return whether separate processes answer it, so that the host can measure peak memory."""
        return any(step.data.get("alone") for step in self.steps)

    @property
    def inputs(self) -> Arguments:
        """Return the inputs to show beside a wrong answer."""
        if self.shown is not None:
            return self.shown
        data = self.steps[0].data
        if self.steps[0].op != "call":
            return dict(data)
        named = {f"argument {position}": item for position, item in enumerate(data["args"])}
        return {**named, **data["kwargs"]}


def call(
    name: str,
    *args: Any,
    wrt: Sequence[int | str] = (),
    cotangents: Sequence[Any] = (),
    second: Sequence[Any] = (),
    twice: bool = True,
    saved: bool = False,
    views: bool = False,
    fields: Sequence[str] = (),
    held: bool = False,
    **kwargs: Any,
) -> Request:
    """Request a call of a function (or of a class's method, ``"ReLU.apply"``).

    Args:
        name: Name of the function, as the file spells it.
        args: Positional arguments.
        wrt: Positions and keyword names of the arguments to differentiate.
        cotangents: One tensor per output; ``None`` for an output without gradient.
        second: One tensor per ``wrt`` entry; requests the VJP of the VJP.
        twice: Call again on the same input and require the same bits.
        saved: Measure the bytes that are saved for backward.
        views: Allow a result that shares memory with an input.
        fields: Field names of a named tuple result. A field with a trailing question mark may be
            None, and is then left out of the answer.
        held: Send no answer before the request of `held_rows`.
        kwargs: Keyword arguments.
    """
    data: CallData = {
        "name": name,
        "args": list(args),
        "kwargs": kwargs,
        "wrt": list(wrt),
        "cotangents": list(cotangents),
        "second": list(second),
        "twice": twice,
        "saved": saved,
        "views": views,
    }
    if fields:
        data["fields"] = list(fields)
    if held:
        data["held"] = True
    return Request(op="call", data=data)


def module_call(
    name: str,
    *args: Any,
    init: Sequence[Any] = (),
    init_kwargs: Arguments | None = None,
    state: Arguments | None = None,
    **options: Any,
) -> Request:
    """Request a module's construction, its parameter values, and one forward call.

    ``state`` maps parameter names to the values that are copied into them; ``wrt`` accepts
    ``"state.weight"`` in addition to positions. Other options are those of :func:`call`.
    """
    request = call(name, *args, **options)
    extra = {"init": list(init), "init_kwargs": init_kwargs or {}, "state": state or {}}
    return Request(op="call", data={**request.data, **extra})


def together(parts: dict[str, Case]) -> Case:
    """Combine small cases of one request each into a case that is sent at once.

    Each part is requested, expected and shown as if it were alone, under its name.
    """
    assert all(len(part.steps) == 1 and not part.is_alone for part in parts.values()), list(parts)
    steps = {name: part.steps[0] for name, part in parts.items()}
    assert all(step.op not in ("launch", "held", "together") for step in steps.values()), list(
        parts
    )
    calls = {name: step.data for name, step in steps.items()}
    data: Arguments = {"calls": calls}
    data["records"] = any(each.get("second") or each.get("records") for each in calls.values())
    if probed := {name: step.op for name, step in steps.items() if step.op != "call"}:
        data["operations"] = probed
    return Case(
        steps=(Request(op="together", data=data),),
        shown={
            f"{name}: {key}": x for name, part in parts.items() for key, x in part.inputs.items()
        },
        parts=parts,
    )


def refilled(first: Case, second: Case) -> Case:
    """Request a call, then a second one after its tensors were overwritten in place.

    Both are one call with the same parameters and different values. The second answer has the
    prefix ``again:``. This detects answers cached by a tensor's address, object or version. For a
    launch, the device memory is overwritten, at full speed and in the first order of threads.
    """
    if first.steps[0].op == "launch":
        return _launched_again(first, second)
    (one,), (two,) = first.steps, second.steps
    assert one.op == two.op == "call", "only a launch or the driver's own call can be made again"
    pairs = list(zip(_tensors(one.data), _tensors(two.data), strict=True))
    assert all((a.shape, a.dtype) == (b.shape, b.dtype) for a, b in pairs), (
        "the values change, not the shapes"
    )
    request = replace(one, data={**one.data, "again": [b.contiguous() for _, b in pairs]})
    return replace(first, steps=(request,), shown=_shown_with(first, second), again=second)


def _launched_again(first: Case, second: Case) -> Case:
    """Request one more launch of the first step, with other tensors at the same addresses."""
    one, two = first.steps[0], second.steps[0]
    given, other = one.data["values"], two.data["values"]
    assert given.keys() == other.keys(), "the values change, not their names"
    tensors = {name: other[name] for name, item in given.items() if isinstance(item, torch.Tensor)}
    assert all(
        (item.shape, item.dtype) == (given[name].shape, given[name].dtype)
        for name, item in tensors.items()
    ), "the values change, not the shapes"
    assert all(other[name] == item for name, item in given.items() if name not in tensors), (
        "the tensors change, not the numbers"
    )
    request = replace(one, data={**one.data, "again": tensors})
    alone = replace(two, data={**two.data, "orders": one.data["orders"][:1]})
    return replace(
        first,
        steps=(request, *first.steps[1:]),
        shown=_shown_with(first, second),
        again=replace(second, steps=(alone,)),
    )


def _shown_with(first: Case, second: Case) -> Arguments:
    """Return the inputs of both calls to show to a person."""
    changed = {
        f"second {name}": item
        for name, item in second.inputs.items()
        if isinstance(item, torch.Tensor)
    }
    return {**first.inputs, **changed}


def _tensors(data: Mapping[str, Any]) -> list[torch.Tensor]:
    """Return the tensors of a call in the order in which the driver overwrites them."""
    given = [data[name] for name in ("args", "kwargs", "cotangents", "second")]
    return tensors_in([*given, data.get("state", {})])


def held_rows(keys: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> Request:
    """Request some rows of the answer held by the previous step.

    For each key the rows arrive as one tensor, and under ``KEY.apart`` the distance of each row of
    the answer from the row that it repeats. Other parts of the answer arrive whole.

    Args:
        keys: For each key, the indices of the rows to send, and for each row of the answer the
            position among them of the row that it repeats.
    """
    wanted = {
        key: {"rows": list(rows), "repeats": list(repeats)} for key, (rows, repeats) in keys.items()
    }
    return Request(op="held", data={"keys": wanted})


def refusals(calls: dict[str, Request]) -> Request:
    """Request several calls that must raise, in sequence.

    Args:
        calls: Maps a short description of the error to the call. The answer has the exception of
            the call ``n`` under ``n.raised``, if it raised one.
    """
    return Request(op="refusals", data={"calls": {name: each.data for name, each in calls.items()}})

"""``Case``: the requests to the submission, and the data that only the oracle knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from torchstone.judge.child.observe import tensors_in
from torchstone.judge.child.records import Arguments, CallData, Params


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Ask the submission for one answer.

    ``op`` names the driver's call or an operation of the problem's probe.
    """

    op: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Hold the steps of one case.

    Each step is sent after the whole answer to the previous one has arrived. So a problem can prove
    facts about memory: write to the base first, then ask for elements of the view.

    Attributes:
        steps: The requests, in order.
        secret: What the oracle needs and the submission must not see.
        shown: Inputs as a person should see them; default: the arguments of the first request.
        parts: The cases that were put `together` into this one, by name.
        again: The same call with other values, which `refilled` asks for on the same tensors.
    """

    steps: tuple[Request, ...]
    secret: Params = field(default_factory=dict)
    shown: Arguments | None = None
    parts: dict[str, Case] = field(default_factory=dict)
    again: Case | None = None

    @property
    def is_alone(self) -> bool:
        """Return whether processes of its own answer it, whose peak memory the host measures."""
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
    """Ask for a call of a function (or of a class's method, ``"ReLU.apply"``).

    Args:
        name: What is called, as the file spells it.
        args: Positional arguments, as they must arrive.
        wrt: Positions and keyword names of the arguments to differentiate.
        cotangents: One tensor per output; ``None`` for an output without gradient.
        second: One tensor per ``wrt`` entry; asks for the VJP of the VJP.
        twice: Call again on the same input and demand the same bits.
        saved: Measure what is saved for backward.
        views: Allow a result that shares memory with an input.
        fields: The names of the items of a result that is a named tuple. One that a question mark
            follows may be None, and is then left out of the answer.
        held: Send nothing before the request that `held_rows` makes.
        kwargs: Keyword arguments, as they must arrive.
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
    """Ask for the construction of a module, the loading of its parameters, and one forward call.

    ``state`` maps parameter names to the values that are copied into them; ``wrt`` takes
    ``"state.weight"`` in addition to positions. Other options are those of :func:`call`.
    """
    request = call(name, *args, **options)
    extra = {"init": list(init), "init_kwargs": init_kwargs or {}, "state": state or {}}
    return Request(op="call", data={**request.data, **extra})


def together(parts: dict[str, Case]) -> Case:
    """Put small cases into one, which travels once; each of them is a single request.

    Each part is asked, expected and shown as if it were alone, under its name.
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
    """Ask for a call, then for a second one after the same tensors were overwritten in place.

    The two are one call with the same parameters and other values. The second answer has the prefix
    ``again:``. An answer that was remembered by a tensor's address, object or version shows. Of a
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
    """Ask for one more launch of the first step, with other tensors at the same addresses."""
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
    """Return the inputs of two calls as a person should see them."""
    changed = {
        f"second {name}": item
        for name, item in second.inputs.items()
        if isinstance(item, torch.Tensor)
    }
    return {**first.inputs, **changed}


def _tensors(data: Mapping[str, Any]) -> list[torch.Tensor]:
    """List the tensors of a call in the order in which the driver overwrites them."""
    given = [data[name] for name in ("args", "kwargs", "cotangents", "second")]
    return tensors_in([*given, data.get("state", {})])


def held_rows(keys: Mapping[str, tuple[Sequence[int], Sequence[int]]]) -> Request:
    """Ask for some rows of the answer that the step before has held.

    Of each key they arrive as one tensor, and under ``KEY.apart`` the distance of each row of the
    answer from the one that it repeats. Other parts of the answer arrive whole.

    Args:
        keys: The numbers of the rows that are sent, and for each row of the answer the place of the
            one that it repeats among them.
    """
    wanted = {
        key: {"rows": list(rows), "repeats": list(repeats)} for key, (rows, repeats) in keys.items()
    }
    return Request(op="held", data={"keys": wanted})


def refusals(calls: dict[str, Request]) -> Request:
    """Ask for several calls that must raise, one after the other.

    Args:
        calls: A few words about what is wrong with each, and the call; that of the name ``n`` is
            answered by the exception ``n.raised``, if there was one.
    """
    return Request(op="refusals", data={"calls": {name: each.data for name, each in calls.items()}})

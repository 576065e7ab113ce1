"""Driver of a submission: make the calls of one request and describe the results.

The driver runs inside the sandbox, in the process of possibly hostile code. It only collects values
and gradients; their correctness is decided outside, from their bytes. `observe` reads what can only
be seen from inside (mutation, aliasing, bit-equality, global state).
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .answering.fault import SUBMISSION_FILE, Fault, attempt, describe_error
from .answering.former import refuse_former, results_without_gradients
from .answering.gradients import gradients, require_grad, vjp
from .answering.held import held
from .answering.observe import (
    Snapshot,
    Tensor,
    clone,
    detach,
    dtype_of,
    global_state,
    is_plain,
    keeper,
    kept_since,
    living_storages,
    name_of,
    num_elements,
    overlap,
    plain,
    refill,
    same_bits,
    same_state,
    same_storage,
    saved_bytes,
    saved_tensors_hooks,
    sendable,
    shape_of,
    storage_changed,
    storage_snapshot,
    tensors_in,
    torch_equal,
    unique_bytes,
    unpack,
)
from .answering.opaque_function import opaque_function
from .protocol.records import (
    Answer,
    CallData,
    ExpressionData,
    RefusalsData,
    Scope,
    ScriptData,
    TogetherData,
)

# Probes receive this module as their tools and use these names.
__all__ = [
    "SUBMISSION_FILE",
    "Fault",
    "Session",
    "answer",
    "attempt",
    "call",
    "clone",
    "describe_error",
    "detach",
    "evaluate",
    "global_state",
    "is_plain",
    "keeper",
    "kept_since",
    "living_storages",
    "opaque_function",
    "overlap",
    "plain",
    "rank",
    "refill",
    "run",
    "run_script",
    "same_bits",
    "same_state",
    "same_storage",
    "saved_bytes",
    "saved_tensors_hooks",
    "sendable",
    "storage_changed",
    "storage_snapshot",
    "torch_equal",
    "unique_bytes",
    "unpack",
    "vjp",
]

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

SCRATCH_CAP = 20_000
INITIAL_SEED = 2147483647
_seed = torch.default_generator.manual_seed
KEEP_CAP = 1 << 16
_TOOLS = sys.modules[__name__]
# Set in a rank of a distributed problem: its number, the signals, and how it ends other ranks.
rank: Any = None
# Set in a run of a restarted script: its number, its folder and its events.
run: Any = None


@dataclass(slots=True)
class Session:
    """State kept over the requests of one job, for comparison with later requests."""

    while_lifted: Callable[[Callable[[], Answer]], Answer] = lambda work: work()
    previous: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    held: Answer = field(default_factory=dict)


def answer(submission: Any, op: str, data: Any, session: Session, probe: Any = None) -> Answer:
    """Answer one request: the driver's own operations first, then the problem's probe.

    The generator is reseeded, so a module with random parameters has the same parameters in every
    process that answers the request.
    """
    _seed(INITIAL_SEED)
    try:
        if op == "together":
            return together(submission, data, session, probe)
        if op in OPERATIONS:
            return OPERATIONS[op](submission, data, session)
        if probe is None:
            raise LookupError(f"the problem has no probe for the request {op!r}")
        result: Answer = probe(submission, op, data, _TOOLS)
        return result
    except Fault as fault:
        return {"fault": fault.record}
    # SystemExit and KeyboardInterrupt of a submission are answers, too.
    except BaseException as error:  # noqa: BLE001
        return {"raised": describe_error(error)}


def call(submission: Any, data: CallData, session: Session) -> Answer:
    """Call a function or module of the submission.

    Return outputs, VJPs and the other measurements of the request. With ``again``, overwrite the
    same tensors with other values, call once more, and add that answer under ``again:``. With
    ``held``, keep the answer until `held` asks for rows.
    """
    function, parameters = _target(submission, data)
    found = _measure(function, parameters, data, session)
    if "again" in data:
        former = results_without_gradients(function, data)
        _refill(parameters, data, session)
        once: CallData = {**data, "twice": False, "saved": False}
        answered = _measure(function, parameters, once, session, again=True)
        refuse_former((found, answered), (former, results_without_gradients(function, data)))
        found |= {f"again:{key}": item for key, item in answered.items()}
    if data.get("held"):
        session.held, found = found, {}
    return found


def _measure(
    function: Callable[..., Any],
    parameters: dict[str, Tensor],
    data: CallData,
    session: Session,
    *,
    again: bool = False,
) -> Answer:
    args, kwargs = list(data["args"]), dict(data["kwargs"])
    wrt = require_grad(args, kwargs, parameters, data["wrt"])
    watched = [
        item for item in tensors_in([args, kwargs, data["cotangents"], list(parameters.values())])
    ]
    before = [storage_snapshot(item) for item in watched]
    state = global_state()

    saved: list[Tensor] = []
    if data["saved"]:
        alive = living_storages()
        held, keep = keeper()
        with saved_tensors_hooks(keep, unpack):
            result = function(*args, **kwargs)
        saved = [*held, *kept_since(alive, tensors_in([result]))]
    else:
        result = function(*args, **kwargs)
    result = _without_fields(result, data)

    same_state(state)
    _unchanged(watched, before, "call_mutated")
    outputs = _outputs(result, watched if not data["views"] else [])
    _previous_unchanged(session)
    found = _describe_outputs(result, outputs)
    if data["saved"]:
        found["saved.bytes"] = unique_bytes(saved, outputs, watched)
        found["saved.total_bytes"] = unique_bytes(saved, outputs, [])
    if wrt:
        former = session.previous if again else []
        differentiated = session.while_lifted(lambda: _gradients(outputs, wrt, data, former))
        # Outputs keep their values from before the bans were suspended, whatever ran since.
        found = differentiated | found
        _unchanged(watched, before, "backward_mutated")
    if data["twice"]:
        repeated = _outputs(_without_fields(function(*args, **kwargs), data), [])
        if len(repeated) != len(outputs) or not all(map(same_bits, outputs, repeated)):
            raise Fault("second_call_differs")
        if not data["views"] and any(same_storage(a, b) for a in outputs for b in repeated):
            raise Fault("calls_share_memory")
        _unchanged(watched, before, "second_call_mutated")
    # Detached: a loss of one element would keep the graph of its case alive into the next.
    kept = [detach(t) for t in outputs if num_elements(t) <= KEEP_CAP]
    session.previous = [(t, clone(t)) for t in kept]
    return found


def _gradients(
    outputs: list[Tensor],
    wrt: dict[str, Tensor],
    data: CallData,
    former: list[tuple[Tensor, Tensor]],
) -> Answer:
    try:
        return gradients(outputs, wrt, data)
    except RuntimeError:
        # Autograd refuses to traverse a remembered graph whose parameters have changed since.
        if former and len(former) == len(outputs):
            if all(same_bits(copy, new) for (_, copy), new in zip(former, outputs, strict=True)):
                raise Fault("former_answer") from None
        raise


def _refill(parameters: dict[str, Tensor], data: CallData, session: Session) -> None:
    """Write the values of ``again`` in place into the tensors of a call."""
    given = tensors_in([data["args"], data["kwargs"], data["cotangents"], data["second"]])
    values = data["again"]
    for tensor, other in zip(given, values[: len(given)], strict=True):
        refill(tensor, other)
    for parameter, other in zip(parameters.values(), values[len(given) :], strict=True):
        with torch.no_grad():
            parameter.copy_(other)
    if data["views"]:
        # A view rightly shows the new values of its input.
        session.previous = []


def together(submission: Any, data: TogetherData, session: Session, probe: Any = None) -> Answer:
    """Answer several requests in order; the keys of request ``n`` begin with ``n:``."""
    operations = data.get("operations", {})
    answers = {
        name: answer(submission, operations.get(name, "call"), each, session, probe)
        for name, each in data["calls"].items()
    }
    return {f"{name}:{key}": item for name, each in answers.items() for key, item in each.items()}


def refusals(submission: Any, data: RefusalsData, session: Session) -> Answer:
    """Make calls that must raise; describe each exception."""
    found: Answer = {}
    for name, each in data["calls"].items():

        def make(each: CallData = each) -> None:
            function, _ = _target(submission, each)
            function(*each["args"], **each["kwargs"])

        attempted = attempt(make)
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
    return found


def run_script(submission: Any, data: ScriptData, session: Session) -> Answer:
    """Run a script with fresh globals.

    Return its exit code and the values of the requested names.
    """
    scope: Scope = {"__name__": "__main__", "__builtins__": submission.builtins}
    old_argv, sys.argv = sys.argv, [submission.filename, *data.get("argv", [])]
    try:
        exec(submission.code, scope)
        code: object = 0
    except SystemExit as stop:
        code = 0 if stop.code is None else stop.code
    finally:
        sys.argv = old_argv
    found: Answer = {"exit": code if type(code) is int else 1}
    for name in data.get("names", []):
        found[f"name.{name}"] = plain(scope[name]) if name in scope else None
    return found


def evaluate(submission: Any, data: ExpressionData, session: Session) -> Answer:
    """Run the learner's own input with the names of the file; return its value as text.

    The value is that of the last statement, if it is an expression.
    """
    tree = ast.parse(data["expression"], "<input>")
    scope = submission.names()
    scope.setdefault("torch", torch)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, "<input>", "exec"), scope)
    if not isinstance(last, ast.Expr):
        return {}
    value = eval(compile(ast.Expression(last.value), "<input>", "eval"), scope)
    shown = repr(value)
    if isinstance(value, Tensor) and is_plain(value):
        shown += f"\n{str(dtype_of(value)).removeprefix('torch.')} {tuple(shape_of(value))}"
    return {"text": shown[:SCRATCH_CAP]}


# Operations of the driver itself; no probe may define one of these names.
OPERATIONS: dict[str, Callable[[Any, Any, Session], Answer]] = {
    "call": call,
    "held": held,
    "together": together,
    "refusals": refusals,
    "run": run_script,
    "scratch": evaluate,
}


def _target(submission: Any, data: CallData) -> tuple[Callable[..., Any], dict[str, Tensor]]:
    function: Any = submission
    for part in data["name"].split("."):
        function = getattr(function, part)
    if "init" not in data:
        return function, {}
    module = function(*data["init"], **data["init_kwargs"])
    parameters: dict[str, Tensor] = {}
    for name, value in data["state"].items():
        owner, parameter = module, None
        for part in name.split("."):
            owner, parameter = parameter if parameter is not None else owner, None
            parameter = getattr(owner, part)
        if not isinstance(parameter, Tensor) or shape_of(parameter) != shape_of(value):
            raise Fault("parameter_shape", name=name, shape=tuple(shape_of(value)))
        with torch.no_grad():
            parameter.copy_(value)
        parameters[name] = parameter
    return module, parameters


def _without_fields(result: Any, data: CallData) -> Any:
    """Return the items of a named tuple with the expected fields, and any other result unchanged.

    A field name with a trailing question mark is optional: its item is left out if it is None.
    """
    if "fields" not in data:
        return result
    names = [field.removesuffix("?") for field in data["fields"]]
    items = tuple(result) if isinstance(result, tuple) else ()
    named = [getattr(result, name, None) for name in names]
    if len(items) != len(named) or any(a is not b for a, b in zip(items, named, strict=True)):
        raise Fault("result_fields", type=name_of(result), fields=", ".join(names))
    given = zip(data["fields"], items, strict=True)
    return tuple(item for field, item in given if item is not None or not field.endswith("?"))


def _outputs(result: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    items = list(result) if type(result) in (tuple, list) else [result]
    is_alone = type(result) not in (tuple, list)
    for position, item in enumerate(items):
        which = {} if is_alone else {"position": position}
        if not is_plain(item):
            raise Fault(
                "result_type" if is_alone else "nth_result_type", type=name_of(item), **which
            )
        if any(same_storage(item, other) for other in inputs):
            raise Fault("result_shares_input" if is_alone else "nth_result_shares_input", **which)
        for earlier, other in enumerate(items[:position]):
            if overlap(item, other):
                raise Fault("results_share_memory", position=position, earlier=earlier)
    return items


def _describe_outputs(result: Any, outputs: list[Tensor]) -> Answer:
    if type(result) not in (tuple, list):
        return {"out": sendable(outputs[0])}
    found: Answer = {"out.len": len(outputs)}
    return found | {f"out.{position}": sendable(item) for position, item in enumerate(outputs)}


def _unchanged(tensors: Sequence[Tensor], before: Sequence[Snapshot], fault: str) -> None:
    for tensor, snapshot in zip(tensors, before, strict=True):
        if storage_changed(tensor, snapshot):
            raise Fault(fault)


def _previous_unchanged(session: Session) -> None:
    for tensor, copy in session.previous:
        if not same_bits(tensor, copy):
            raise Fault("previous_result_changed")

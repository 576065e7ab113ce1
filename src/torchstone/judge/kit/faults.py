"""Fault codes that the driver and a probe may report, with verdicts and messages.

A fault comes from the submission's process as a key of `FAULTS` with values. It contains no message
and no verdict: both are determined here, in the reference process.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from torchstone.core.i18n import both, catalogue
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.child.answering.fault import VALUE_CAP
from torchstone.judge.child.protocol.records import FaultRecord

Broken = tuple[Verdict, Aspect | None]

_HUNG: Broken = (Verdict.HUNG, None)
_RACE: Broken = (Verdict.RACE, None)
_RAISED: Broken = (Verdict.RTE, None)
_MUTATED: Broken = (Verdict.INPUT_MUTATED, None)
_PROPERTY: Broken = (Verdict.WA, Aspect.PROPERTY)
_SHAPE: Broken = (Verdict.WA, Aspect.SHAPE)
_GRAD: Broken = (Verdict.WA, Aspect.GRAD)
_DETERMINISM: Broken = (Verdict.WA, Aspect.DETERMINISM)

_LINE_CAP = 1 << 31
_OF_RAISED = {"type", "message", "text", "bases", "line"}

# The messages are in ../messages, in the table `fault`.
FAULTS: Mapping[str, Broken] = {
    "call_mutated": _MUTATED,
    "backward_mutated": _MUTATED,
    "second_call_mutated": _MUTATED,
    "value_type": _PROPERTY,
    "result_type": _PROPERTY,
    "nth_result_type": _PROPERTY,
    "result_fields": _PROPERTY,
    "result_shares_input": _PROPERTY,
    "nth_result_shares_input": _PROPERTY,
    "former_answer": _PROPERTY,
    "results_share_memory": _PROPERTY,
    "calls_share_memory": _PROPERTY,
    "previous_result_changed": _PROPERTY,
    "unsendable": _PROPERTY,
    "false_notes": _PROPERTY,
    "bias_not_none": _PROPERTY,
    "forward_forgotten": _PROPERTY,
    "state.grad_mode": _PROPERTY,
    "state.inference_mode": _PROPERTY,
    "state.default_dtype": _PROPERTY,
    "state.default_device": _PROPERTY,
    "state.num_threads": _PROPERTY,
    "state.deterministic": _PROPERTY,
    "state.matmul_precision": _PROPERTY,
    "state.anomaly_mode": _PROPERTY,
    "state.random_state": _PROPERTY,
    "result_too_large": _SHAPE,
    "parameter_shape": _SHAPE,
    "gradient_type": _GRAD,
    "second_call_differs": _DETERMINISM,
    "program_ended": _RAISED,
    "replicas_share_module": _RACE,
    "replicas_differ": _RACE,
    "program_hung": _HUNG,
    "rank_hung": _HUNG,
    "rank_ended": _RAISED,
    "rank_load": _RAISED,
    "rank_wrote": _PROPERTY,
    "launch_arguments": _RAISED,
    "launch_command": _RAISED,
    "launch_many_ranks": _RAISED,
    "launch_no_ranks": _RAISED,
    "launch_out": _RAISED,
    "launch_port": _RAISED,
    "rank_unreadable": _RAISED,
    "run_hung": _HUNG,
    "run_ended": _RAISED,
    "run_unreadable": _RAISED,
}


def is_fault(fault: Any) -> bool:
    """Return whether this is a well-formed fault: a known key with exactly its values."""
    if not isinstance(fault, dict) or set(fault) != {"key", "values"}:
        return False
    key, values = fault["key"], fault["values"]
    if type(key) is not str or key not in FAULTS or not isinstance(values, dict):
        return False
    is_text = all(type(value) is str and len(value) <= VALUE_CAP for value in values.values())
    return is_text and set(values) == names_of(key)


def is_raised(error: Any) -> bool:
    """Return whether a value is a record as ``child.answering.fault.describe_error`` returns it."""
    if not isinstance(error, dict) or set(error) - {"memory", "file"} != _OF_RAISED:
        return False
    bases, line = error["bases"], error["line"]
    return (
        all(type(error[name]) is str for name in ("type", "message", "text"))
        and isinstance(bases, list)
        and all(type(base) is str for base in bases)
        and (line is None or (type(line) is int and 0 <= line < _LINE_CAP))
        and type(error.get("memory", False)) is bool
        and type(error.get("file")) in (str, type(None))
    )


def names_of(key: str) -> set[str]:
    """Return the names of the placeholders in a fault's message."""
    parsed = string.Formatter().parse(catalogue("judge", "en")[f"judge.fault.{key}"])
    return {name for _, name, _, _ in parsed if name is not None}


def say_fault(fault: FaultRecord) -> dict[str, str]:
    """Return the message of a fault in every language."""
    return both(f"judge.fault.{fault['key']}", **fault["values"])

"""Evaluate an expression with the names of a submission, without a verdict or a record."""

from __future__ import annotations

from torchstone.core.i18n import both
from torchstone.core.verdict import Verdict
from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.encryption import new_key
from torchstone.judge.child.protocol.frames import ToJob
from torchstone.judge.events import Evaluated
from torchstone.judge.messages import words_of
from torchstone.judge.order import Dead, Order, Outcome
from torchstone.judge.outcomes import clean_error, fault_words, printable
from torchstone.judge.pool.payload import bans_of, payload_of
from torchstone.judge.pool.submission_process import Mode, SubmissionProcess
from torchstone.judge.pool.submission_supervisor import JobWorkers

TEXT_CAP = 20_000


def evaluate(order: Order, workers: JobWorkers, expression: str) -> Evaluated:
    """Load the file in a new sandboxed process and evaluate one expression there."""
    if order.assignment.recipe is not None:
        # A submission that is built defines no Python names for an expression.
        return _ended(Outcome(code=Verdict.CE, detail=both("judge.outcome.no_expression")))
    submission_process = SubmissionProcess.fork(
        workers.template(bans_of(order.assignment, Mode.PLAIN)),
        order.assignment,
        slot=workers.slot,
        key=new_key(),
    )
    request = {"op": "scratch", "data": {"expression": expression}}
    try:
        submission_process.load(payload_of(order.assignment, order.source, Mode.PLAIN, None))
        answer = submission_process.ask(wire.pack(ToJob.CASE, request)).decode()
    except Dead as dead:
        return _ended(dead.outcome)
    except wire.WireError as error:
        answer = {"raised": {"type": "WireError", "message": str(error)}}
    finally:
        submission_process.end()
    found = answer if isinstance(answer, dict) else {}
    return Evaluated(
        text=printable(str(found.get("text", "")))[:TEXT_CAP] if "text" in found else None,
        error=clean_error(found.get("raised")),
        stdout=submission_process.output(),
        detail=fault_words(found.get("fault")),
    )


def _ended(outcome: Outcome) -> Evaluated:
    return Evaluated(text=None, error=outcome.error, stdout="", detail=words_of(outcome.detail))

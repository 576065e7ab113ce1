"""Receipts: show, save, load and verify by judging again."""

import importlib.metadata
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.home import Home
from torchstone.app.judging.receipt_document import parse_receipt
from torchstone.app.judging.submission import JsonObject, Judged, OnEvent, judge_text
from torchstone.app.transfer import read_document, write_new
from torchstone.bank import Problem
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import hash_of
from torchstone.judge.messages import Receipt
from torchstone.judge.receipt import (
    Difference,
    RecordedReceipt,
    judge_hash,
    receipt_hash,
    same_result,
    text_hash,
)
from torchstone.store import Store, Submission

_LOOKED_THROUGH = 500


class Conclusion(StrEnum):
    """The results of a verification."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_COMPARABLE = "not_comparable"
    NOT_REPLAYABLE = "not_replayable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """All findings of a verification.

    Args:
        recorded: The verdict in the receipt.
        groups: The groups of cases that were judged; None if all were. A run of the samples proves
            nothing, whatever its verdict.
        hash_holds: Whether the receipt is unchanged.
        source_holds: Whether the attached program is the judged one.
        same_problem: Whether this bank has the same version of the problem.
        same_judge: Whether this judge has the same code.
        same_torch: Whether this machine has the same version of torch.
        replay: The verdict under the recorded seed; None if it was not judged again.
        differences: The differences between receipt and replay.
        fresh: The verdict under a fresh seed; None if it was not judged again.
    """

    id: str
    problem: str
    recorded: str
    groups: tuple[str, ...] | None
    isolation: str
    conclusion: Conclusion
    hash_holds: bool
    source_holds: bool
    same_problem: bool
    same_judge: bool
    same_torch: bool
    replay: str | None
    differences: tuple[Difference, ...]
    fresh: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReceipt:
    """A receipt of the history with its program."""

    submission: str
    receipt: Receipt
    source: str


def show_receipt(home: Home, prefix: str) -> ShownReceipt:
    """Find a receipt as ``find_receipt`` does, with its fields.

    Raises:
        NotFound: No receipt and no submission has this prefix.
        BadInput: The submission has no receipt, or one that the judge did not write.
    """
    submission = _find_submission(home, prefix)
    try:
        receipt = msgspec.convert(submission.receipt, Receipt)
    except msgspec.ValidationError as error:
        # Imported progress can contain any object there.
        raise BadInput("app.receipt_unreadable", id=submission.id) from error
    return ShownReceipt(submission=submission.id, receipt=receipt, source=submission.source)


def find_receipt(home: Home, prefix: str) -> tuple[JsonObject, str]:
    """Find a receipt and its program by a prefix of its id or of its submission's id.

    Raises:
        NotFound: No receipt and no submission has this prefix.
        BadInput: The submission has no receipt.
    """
    submission = _find_submission(home, prefix)
    assert submission.receipt is not None, "_find_submission returns one with a receipt"
    return submission.receipt, submission.source


def _find_submission(home: Home, prefix: str) -> Submission:
    with home.open_store() as store:
        try:
            submission = store.find_submission(prefix)
        except NotFound:
            found = _by_receipt(home, store, prefix)
            if found is None:
                raise
            submission = found
    if not submission.receipt:
        raise BadInput("app.no_receipt", id=submission.id, state=submission.state)
    return submission


def _by_receipt(home: Home, store: Store, prefix: str) -> Submission | None:
    """Search the history for a receipt; receipts have no index, because this is rare."""
    for problem in home.bank:
        for line in store.submissions_of(problem.id, limit=_LOOKED_THROUGH):
            submission = store.get_submission(line.id)
            if submission.receipt and str(submission.receipt.get("id", "")).startswith(prefix):
                return submission
    return None


def save_receipt(home: Home, prefix: str, path: Path, *, replace: bool = False) -> None:
    """Write a receipt and its program to a file for a verification elsewhere."""
    receipt, source = find_receipt(home, prefix)
    document = json.dumps(receipt | {"source": source}, ensure_ascii=False, indent=1) + "\n"
    write_new(path, document.encode(), replace=replace)


def load_receipt(home: Home, name: str) -> tuple[JsonObject, str]:
    """Read a receipt from a file, or from the history if the file does not exist.

    Raises:
        NotFound: Neither the file nor a receipt in the history exists.
        BadReceipt: The file does not contain a receipt with its program.
    """
    path = Path(name)
    if not path.exists():
        try:
            return find_receipt(home, name)
        except NotFound as error:
            raise NotFound("app.receipt_absent", name=name) from error
    return parse_receipt(read_document(path), path)


def verify_receipt(home: Home, name: str, on_event: OnEvent) -> Verification:
    """Verify a receipt of a file or of the history, see ``verify_document``."""
    return verify_document(home, *load_receipt(home, name), on_event)


def verify_document(
    home: Home, document: JsonObject, source: str, on_event: OnEvent
) -> Verification:
    """Verify a receipt: check its hashes, replay its seed, and judge under a fresh one.

    The program can come from another person, so it runs only with isolation.

    Raises:
        JudgeUnavailable: This machine does not reach isolation ``namespaces``.
    """
    receipt = msgspec.convert(document, RecordedReceipt)
    problem = home.bank.find(receipt.problem)
    facts: dict[str, bool] = {
        "hash_holds": receipt_hash(document) == receipt.hash,
        "source_holds": text_hash(source) == receipt.source_hash,
        "same_problem": hash_of(problem) == receipt.content_hash,
        "same_judge": judge_hash() == receipt.judge_hash,
        "same_torch": importlib.metadata.version("torch") == receipt.torch,
    }
    replay = fresh = None
    differences: list[Difference] = []
    if facts["hash_holds"] and facts["source_holds"]:
        replay = _judge(home, problem, source, receipt, on_event, seed=receipt.seed)
        differences = same_result(receipt, replay.report)
        fresh = _judge(home, problem, source, receipt, on_event)
    return Verification(
        id=receipt.id,
        problem=receipt.problem,
        recorded=receipt.verdict,
        groups=tuple(receipt.groups) if receipt.groups else None,
        isolation=receipt.isolation,
        conclusion=_conclude(receipt, facts, differences, fresh),
        replay=replay.verdict if replay else None,
        differences=tuple(differences),
        fresh=fresh.verdict if fresh else None,
        **facts,
    )


def _judge(
    home: Home,
    problem: Problem,
    source: str,
    receipt: RecordedReceipt,
    on_event: OnEvent,
    **seed: Any,
) -> Judged:
    groups = tuple(receipt.groups) if receipt.groups else None
    options = {"explain": False, "at_least": Isolation.NAMESPACES, **seed}
    return judge_text(home, problem, source, on_event, groups=groups, **options)


def _conclude(
    receipt: RecordedReceipt,
    facts: dict[str, bool],
    differences: list[Difference],
    fresh: Judged | None,
) -> Conclusion:
    if not facts["hash_holds"] or not facts["source_holds"] or fresh is None:
        return Conclusion.REFUTED
    if not receipt.replayable:
        return Conclusion.NOT_REPLAYABLE
    if not differences and fresh.verdict is receipt.verdict:
        return Conclusion.CONFIRMED
    is_same = facts["same_problem"] and facts["same_judge"] and facts["same_torch"]
    return Conclusion.REFUTED if is_same else Conclusion.NOT_COMPARABLE
